locals {
  script = <<EOT
    if true; then echo "${join("}", ["{"])}"; fi # }
EOT
}

resource "google_storage_bucket" "this" {
  name   = var.name
  labels = { for k, v in var.labels : k => v if k != "}" }
  dynamic "rule" {
    for_each = toset(["a"])
    content { value = "${rule.value}${"}"}" }
  }
}

output "bucket" {
  description = "The bucket's name."
  value       = google_storage_bucket.this.name
}

output "kind" { value = "gcs" }
