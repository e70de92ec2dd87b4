variable "domain" {
  description = "The domain whose wildcard certificate the load balancer serves."
  type        = string
  default     = "shop.example.com"
}

variable "instance_type" {
  description = "Size of the web servers."
  type        = string
  default     = "t4g.small"
}
