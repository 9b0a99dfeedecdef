# Calls a module beside it.
variable "text" {
  type = string
}

module "inner" {
  source = "../text"
  text   = var.text
}
