variable "region" {
  type    = string
  default = "eu-west-1"
}

# Why
provider "aws" {
  region = var.region

  default_tags {
    tags = {
      Owner = <<EOT
team a
EOT
    }
  }
}
