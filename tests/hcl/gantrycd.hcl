checks {
  lonely-realm       = "off"
  duplicate-identity = { severity = "error", exclude = ["sandbox/**"] }
}

states {
  max_age_days = 7
  external "billing" { path = "../billing/.gantrycd/state/**/*.json" }
}

variables = { developer = "alice" }

stack "live/account" {
  tool = "tofu"
}
