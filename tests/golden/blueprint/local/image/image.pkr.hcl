variable "zone" {
  type = string
}
variable "disk_size" {
  type    = number
  default = 50
}
variable "home" {
  type    = string
  default = env("HOME")
}
source "googlecompute" "image" {
  zone = var.zone
}
