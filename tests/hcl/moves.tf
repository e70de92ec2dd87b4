moved {
  from = aws_s3_bucket.a
  to   = module.buckets.aws_s3_bucket.this["a"]
}

removed {
  from = aws_s3_bucket.old
  lifecycle { destroy = false }
}

import {
  to = aws_s3_bucket.b
  id = "b"
}

check "health" {
  data "http" "it" {
    url = "https://example.com"
  }

  assert {
    condition     = data.http.it.status_code == 200
    error_message = "${data.http.it.url} answered ${data.http.it.status_code}"
  }
}

resource aws_s3_bucket b {
  bucket = "b"
}

/* resource "aws_s3_bucket" "c" {
  bucket = "c"
}

resource "aws_s3_bucket" "d" {
  bucket = "d"
} */

ephemeral "random_password" "p" {
  length = 8 * 2 /* twice */ - 1
}
