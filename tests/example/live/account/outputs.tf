output "certificate_arn" {
  description = "ARN of the wildcard certificate."
  value       = aws_acm_certificate_validation.wildcard.certificate_arn
}

output "deploy_role_arn" {
  description = "The role that pipelines assume."
  value       = aws_iam_role.deploy.arn
}

output "zone_id" {
  description = "ID of the public zone."
  value       = aws_route53_zone.public.zone_id
}
