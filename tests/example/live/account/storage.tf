# Customers' uploads. Moved here from the legacy stack in March.
resource "aws_s3_bucket" "uploads" {
  bucket = "example-shop-uploads-eu-west-1"

  tags = {
    Name = "uploads"
    Data = "personal"
  }
}

resource "aws_s3_bucket_public_access_block" "uploads" {
  bucket = aws_s3_bucket.uploads.id

  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket" "logs" {
  for_each = var.log_sources

  bucket = "example-shop-logs-${each.key}-eu-west-1"

  tags = {
    Name = "logs-${each.key}"
  }
}

resource "aws_cloudwatch_log_group" "audit" {
  name              = "/shop/audit"
  retention_in_days = 365
}

module "artifacts" {
  source = "../../modules/artifact-bucket"

  name        = "example-shop-account-artifacts-eu-west-1"
  reader_arns = [aws_iam_role.deploy.arn]

  tags = {
    Name = "account-artifacts"
  }
}
