resource "aws_security_group" "web" {
  name        = "web"
  description = "HTTPS from anywhere, everything out"
  vpc_id      = data.aws_vpc.main.id

  tags = {
    Name = "web"
  }
}

resource "aws_vpc_security_group_ingress_rule" "https" {
  security_group_id = aws_security_group.web.id
  description       = "HTTPS"
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
}

resource "aws_vpc_security_group_egress_rule" "all" {
  security_group_id = aws_security_group.web.id
  description       = "Everything"
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "-1"
}
