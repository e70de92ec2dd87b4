resource "aws_sqs_queue" "orders" {
  name                       = "orders"
  visibility_timeout_seconds = 120

  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead.arn
    maxReceiveCount     = 5
  })
}

resource "aws_sqs_queue" "dead" {
  name                      = "orders-dead"
  message_retention_seconds = 1209600 # 14 days, the longest there is
}
