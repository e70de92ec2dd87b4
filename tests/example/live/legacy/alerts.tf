resource "aws_sns_topic" "alerts" {
  name         = "shop-alerts"
  display_name = "Shop alerts"
}

resource "aws_sns_topic_subscription" "on_call" {
  topic_arn = aws_sns_topic.alerts.arn
  protocol  = "email"
  endpoint  = "on-call@example.com"
}
