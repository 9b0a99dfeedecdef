# The temporary machine that an image is made from; used by images/build.sh. Packer before 1.10 includes the builder
# `googlecompute`; for newer ones, install it once: `packer plugins install github.com/hashicorp/googlecompute`.

variable "project_id" {
  type = string
}

variable "zone" {
  type = string
}

variable "subnetwork" {
  type = string
}

variable "image_name" {
  type = string
}

variable "image_family" {
  type = string
}

# The script from images/pack.sh.
variable "script" {
  type = string
}

variable "machine_type" {
  type    = string
  default = "n2-standard-8"
}

source "googlecompute" "node" {
  project_id              = var.project_id
  zone                    = var.zone
  subnetwork              = var.subnetwork
  machine_type            = var.machine_type
  source_image_family     = "debian-13"
  source_image_project_id = ["debian-cloud"]
  image_name              = var.image_name
  image_family            = var.image_family
  image_description       = "A node of a Slurm cluster, made by Slipway"
  disk_size               = 50
  disk_type               = "pd-ssd"
  # Reachable only through the Identity-Aware Proxy.
  omit_external_ip = true
  use_internal_ip  = true
  use_iap          = true
  ssh_username     = "packer"
}

build {
  sources = ["source.googlecompute.node"]

  provisioner "shell" {
    script          = var.script
    execute_command = "sudo -H bash '{{ .Path }}'"
  }
}
