resource "aws_launch_template" "web" {
  name                   = "web"
  image_id               = "resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64"
  instance_type          = var.instance_type
  user_data              = filebase64("${path.module}/user-data.sh")
  vpc_security_group_ids = [aws_security_group.web.id]
}

# Tags of a group are blocks, and the default tags of the provider do not reach it.
resource "aws_autoscaling_group" "web" {
  name                = "web"
  min_size            = 2
  max_size            = 6
  health_check_type   = "ELB"
  target_group_arns   = [aws_lb_target_group.web.arn]
  vpc_zone_identifier = data.aws_subnets.public.ids

  launch_template {
    id      = aws_launch_template.web.id
    version = aws_launch_template.web.latest_version
  }

  tag {
    key                 = "Name"
    value               = "web"
    propagate_at_launch = true
  }

  tag {
    key                 = "Environment"
    value               = "live"
    propagate_at_launch = true
  }
}
