environment = "live"
zones       = ["a", "b"] # three next year
tags = {
  Owner = "team a"
  "gantrycd:resource-identity-realm" = "emulator"
}
note = <<EOT
x = 1
EOT
# commented = out
last = null
