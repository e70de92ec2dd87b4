/*
 * The network of one environment.
 * resource "aws_vpc" "old" { … } moved to its own stack.
 */

terraform {
  required_version = ">= 1.5"

  backend "s3" {
    bucket = "states"
    key    = "network/terraform.tfstate"
  }
}

locals {
  name  = "net-${var.environment}"
  zones = slice(data.aws_availability_zones.here.names, 0, 3)
  cidrs = { for index, zone in local.zones : zone => cidrsubnet(var.cidr, 4, index) }
}

data "aws_availability_zones" "here" {}

# The one that everything hangs from.
# tfsec:ignore:aws-ec2-require-vpc-flow-logs-for-all-vpcs
resource "aws_vpc" "this" {
  cidr_block           = var.cidr
  enable_dns_hostnames = true # needed by the endpoints

  tags = merge(local.tags, {
    Name  = local.name
    Notes = "a \"quoted\" word, a brace { and a mark # that is none"
  })
}

resource "aws_subnet" "private" {
  for_each = local.cidrs

  vpc_id            = aws_vpc.this.id
  availability_zone = each.key
  cidr_block        = each.value

  lifecycle {
    ignore_changes = [
      # set by the cluster
      tags["kubernetes.io/role/internal-elb"],
    ]
  }
}
resource "aws_internet_gateway" "this" { vpc_id = aws_vpc.this.id } // one line
resource "aws_eip" "nat" { # checkov:skip=CKV2_AWS_19: for the gateway
  count  = var.nat ? length(local.zones) : 0
  domain = "vpc"
}

output "zones" { value = keys(local.cidrs) }
