# One step of a deployment that needs no cloud. It writes its name to a log when it is created and when it is destroyed. It
# waits while the file `gate-NAME` exists, and fails if the file `broken-NAME` exists.
variable "name" {
  type = string
}

variable "text" {
  type    = string
  default = "nothing"
}

variable "folder" {
  type = string
}

resource "terraform_data" "this" {
  input            = { name = var.name, log = "${var.folder}/log" }
  triggers_replace = var.text

  provisioner "local-exec" {
    command = <<-END
      echo "${var.name}" >> "${var.folder}/begun"
      while [ -e "${var.folder}/gate-${var.name}" ]; do sleep 0.02; done
      [ ! -e "${var.folder}/broken-${var.name}" ] || { echo "no room for ${var.name}" >&2; exit 3; }
      echo "made ${var.name}" >> "${var.folder}/log"
    END
  }

  provisioner "local-exec" {
    when    = destroy
    command = "echo 'destroyed ${self.input.name}' >> '${self.input.log}'"
  }
}

output "text" {
  value = "${var.text} ${terraform_data.this.output.name}"
}

output "secret" {
  value     = "hush-${terraform_data.this.output.name}"
  sensitive = true
}
