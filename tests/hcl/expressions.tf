locals {
  deep = [[[{ a = [{ b = ({ c = "${"${"x"}"}" }) }] }]]]
  cond = var.a > 1 && var.b < 2 ? "<<EOF" : "//"
  path = "${path.module}/*"
  url  = "https://example.com/#top"
  text = "%{if var.a}yes%{else}no%{endif}"
  back = "C:\\dir\\"
  rest = { for k, v in var.m : (k) => v... if v != "}" }
  long = "${
    join(",", var.names) # within a template
  }"
  half = 1 / 2
}

variable "schedule" {
  description = "cron, as in */5 * * * *"
  default     = "*/5 * * * *"
  validation {
    condition     = can(regex("^[*/0-9]+ ", var.schedule))
    error_message = "Not a schedule: (see \"cron\")."
  }
}

variable "object" {
  type = object({
    a = optional(string, "{")
    b = map(list(number))
  })
}

output "é" {
  value = "naïve 😀"
}
