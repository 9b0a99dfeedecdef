# An image of our own.
variable "family" {
  type = string
}

variable "description" {
  type = string
}

variable "subnetwork" {
  type = string
}

variable "image" {
  type    = string
  default = "image"
}

variable "zone" {
  type = string
}

source "googlecompute" "image" {
  project_id          = "my-project"
  zone                = var.zone
  source_image_family = "debian-12"
  image_family        = var.family
  image_name          = var.image
  image_description   = var.description
  subnetwork          = var.subnetwork
  ssh_username        = "packer"
}

build {
  sources = ["source.googlecompute.image"]
}
