# resource "aws_s3_bucket" "a" {
#   bucket = "a"
# }

// one
/* two */ # three
/* four
   five */
resource "aws_s3_bucket" "b" { // six
  # seven
  bucket = "b" // eight
  /* nine */ acl = "private"

  grant { # ten
    # eleven
  } # twelve
} # thirteen
# fourteen
module "m" /* fifteen */ {
  source = "./m"
  list = [ # sixteen
    1, 2, # seventeen
  ] # eighteen
}

# nineteen

variable "v" {} # twenty
