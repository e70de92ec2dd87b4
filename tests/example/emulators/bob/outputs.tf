output "queue_url" {
  description = "Where orders are sent to."
  value       = aws_sqs_queue.orders.url
}
