output "url" {
  description = "Where the shop is."
  value       = "https://${aws_route53_record.www.fqdn}"
}

output "artifact_bucket" {
  description = "Where releases are uploaded to."
  value       = module.artifacts.bucket
}
