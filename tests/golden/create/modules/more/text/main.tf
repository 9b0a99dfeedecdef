# Keeps a text, without a cloud.
variable "text" {
  type = string
}

variable "list" {
  type = list(object({ a = string, b = optional(number) }))
  default = []
}

variable "anything" {
  type    = any
  default = null
}

resource "terraform_data" "this" {
  input = { text = var.text, list = var.list, anything = var.anything }
}

output "text" {
  value = terraform_data.this.output.text
}

output "object" {
  value = { texts = [terraform_data.this.output.text, "second"] }
}

output "id" {
  value = terraform_data.this.id
}
