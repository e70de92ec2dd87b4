variable "database_password" {
  description = "Comes from the pipeline's secrets."
  type        = string
  sensitive   = true
}
