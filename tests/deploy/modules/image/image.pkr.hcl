# A fake image, which is just a line in a log.
variable "text" {
  type = string
}

variable "folder" {
  type = string
}

source "null" "image" {
  communicator = "none"
}

build {
  sources = ["source.null.image"]

  provisioner "shell-local" {
    inline = [
      "[ ! -e '${var.folder}/broken-image' ] || { echo 'no room for the image'; exit 3; }",
      "echo 'built ${var.text}' >> '${var.folder}/log'",
    ]
  }
}
