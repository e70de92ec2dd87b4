# LocalStack on alice's machine: docker run --rm -p 4566:4566 localstack/localstack-pro
provider "aws" {
  region     = "eu-west-1"
  access_key = "test"
  secret_key = "test"

  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true

  endpoints {
    autoscaling = "http://localhost:4566"
    ec2         = "http://localhost:4566"
    kms         = "http://localhost:4566"
    sqs         = "http://localhost:4566"
  }

  # Everybody's LocalStack has the same account and the same ARNs; the realm tells them apart.
  default_tags {
    tags = {
      Environment                        = "local"
      "gantrycd:resource-identity-realm" = "localstack-alice"
    }
  }
}
