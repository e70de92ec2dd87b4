terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = "~> 6.0"
      configuration_aliases = [aws.other]
    }
  }
}
provider "aws" {
  alias  = "other"
  region = "us-east-1"

  assume_role {
    role_arn = "arn:aws:iam::${local.accounts["other"]}:role/${var.role}"
  }

  endpoints { s3 = "http://localhost:4566" }
}
module "both" {
  source    = "./both"
  providers = { aws = aws, aws.other = aws.other }
}
data "aws_caller_identity" "this" { provider = aws.other }
