resource "aws_launch_template" "workers" {
  name          = "workers"
  image_id      = "ami-df5de72bdb3b"
  instance_type = "t3.nano"
}

resource "aws_autoscaling_group" "workers" {
  name               = "workers"
  availability_zones = ["eu-west-1a"]
  min_size           = 1
  max_size           = 1

  launch_template {
    id      = aws_launch_template.workers.id
    version = "$Latest"
  }

  tag {
    key                 = "Name"
    value               = "worker"
    propagate_at_launch = true
  }
}
