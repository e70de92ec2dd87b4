resource "aws_kms_key" "app" {
  description             = "Encrypts what the workers store"
  deletion_window_in_days = 7
}

resource "aws_kms_alias" "app" {
  name          = "alias/app"
  target_key_id = aws_kms_key.app.key_id
}

resource "aws_sqs_queue" "orders" {
  name                       = "orders"
  visibility_timeout_seconds = 120
  kms_master_key_id          = aws_kms_key.app.key_id
}
