data "aws_iam_role" "deploy" {
  name = "shop-deploy"
}

module "artifacts" {
  source = "../../modules/artifact-bucket"

  name        = "example-shop-web-artifacts-eu-west-1"
  reader_arns = [data.aws_iam_role.deploy.arn]
}
