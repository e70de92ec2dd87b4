output "database_endpoint" {
  description = "Host and port of the database."
  value       = aws_db_instance.orders.endpoint
}

output "queue_url" {
  description = "Where orders are sent to."
  value       = aws_sqs_queue.orders.url
}
