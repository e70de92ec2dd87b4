variable "name" {
  description = "Name of the bucket, unique in all of AWS."
  type        = string
}

variable "reader_arns" {
  description = "Principals that may download artifacts."
  type        = list(string)
}

variable "tags" {
  description = "Tags of the bucket, on top of the provider's default tags."
  type        = map(string)
  default     = {}
}
