variable "domain" {
  description = "The domain that everything public lives under."
  type        = string
  default     = "shop.example.com"
}

variable "log_sources" {
  description = "What writes logs to S3; each gets a bucket of its own."
  type        = set(string)
  default     = ["alb", "cloudtrail"]
}
