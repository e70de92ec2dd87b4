resource "aws_iam_policy" "read" {
  name   = "read"
  policy = <<EOF
{
  "Version": "2012-10-17",
  "Statement": [{ "Effect": "Allow", "Action": "s3:Get*", "Resource": "${aws_s3_bucket.b.arn}/*" }]
}
EOF
}

resource "aws_instance" "web" {
  user_data = <<-EOF
    #!/bin/bash
    cat > /etc/motd <<'MOTD'
    it's { unbalanced
    MOTD
    %{for name in var.names~}
    echo "${join(",", [for it in name : "<${it}>"])}"
    %{endfor~}
    cat <<EOF > /etc/app
    EOF
}

resource "local_file" "example" {
  filename = "${path.module}/example.tf"
  content  = <<-TERRAFORM
    resource "aws_s3_bucket" "inner" {
      bucket = "a $${literal} and a %%{literal}"
    }
  TERRAFORM
}

resource "aws_cloudwatch_dashboard" "d" {
  dashboard_body = jsonencode(yamldecode(<<YAML
widgets:
  - { type: text }
YAML
  ))
}

module "last" {
  source = "./last"
  script = <<EOT
EOT
}
