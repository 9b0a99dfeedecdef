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

# The base: a row of blueprints/catalogue/images.yaml.
variable "source_image_family" {
  type = string
}

variable "source_image_project" {
  type = string
}

variable "machine_type" {
  type = string
}

variable "disk_type" {
  type = string
}

# Login, password and key of the archive that the step kernel reads; empty if the image needs none.
variable "archive_login" {
  type      = string
  default   = ""
  sensitive = true
}

source "googlecompute" "node" {
  project_id              = var.project_id
  zone                    = var.zone
  subnetwork              = var.subnetwork
  machine_type            = var.machine_type
  source_image_family     = var.source_image_family
  source_image_project_id = [var.source_image_project]
  image_name              = var.image_name
  image_family            = var.image_family
  image_description       = "A node of a Slurm cluster, made by Slipway"
  disk_size               = 100
  disk_type               = var.disk_type
  # Ubuntu's own updates would hold apt's lock, and change the kernel under the driver's modules.
  metadata = {
    user-data = "#cloud-config\npackage_update: false\npackage_upgrade: false\n"
  }
  # With the default scopes, apt cannot read Artifact Registry. What the machine may do follows from its account's roles.
  scopes = ["https://www.googleapis.com/auth/cloud-platform"]
  # Reachable only through the Identity-Aware Proxy.
  omit_external_ip = true
  use_internal_ip  = true
  use_iap          = true
  ssh_username     = "packer"
}

build {
  sources = ["source.googlecompute.node"]

  provisioner "shell" {
    script = var.script
    # The variables come in a file, so that no process list shows them.
    use_env_var_file = true
    environment_vars = ["tcpx_archive_login=${var.archive_login}"]
    execute_command  = "sudo -H bash -c \". '{{ .EnvVarFile }}' && bash '{{ .Path }}'\""
  }
}
