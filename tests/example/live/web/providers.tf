provider "aws" {
  region              = "eu-west-1"
  allowed_account_ids = ["111122223333"]

  default_tags {
    tags = {
      Environment = "live"
      Stack       = "web"
    }
  }
}
