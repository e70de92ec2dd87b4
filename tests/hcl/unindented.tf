resource "aws_security_group" "web" {
name = "web"
ingress {
from_port = 80
to_port = 80
}
dynamic "egress" {
for_each = var.ports
content {
from_port = egress.value
}
}
tags = {
Name = "web"
}
}
module "x" {
source = "./x"
}
  variable "indented" {
    default = null
  }
output "id" {
value = aws_security_group.web.id
}
