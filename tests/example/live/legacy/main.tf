# What is left of the first version of the shop.
# TODO: remove once the alerts have moved to live/web.

resource "aws_s3_bucket" "customer_uploads" {
  bucket = "example-shop-uploads-eu-west-1"

  tags = {
    Name = "customer-uploads"
  }
}

resource "aws_s3_bucket_versioning" "customer_uploads" {
  bucket = aws_s3_bucket.customer_uploads.id

  versioning_configuration {
    status = "Enabled"
  }
}

# Handed over to live/account; this copy goes with the next release.
# gantrycd:resource-identity: ignore=true
resource "aws_cloudwatch_log_group" "audit" {
  name              = "/shop/audit"
  retention_in_days = 365
}
