# A module of the user's own: "not ours", and not { in the library.
variable "name" {
  description = "Name of the bucket."
  type        = string
  nullable    = false
  validation {
    condition     = length(var.name) >= 3
    error_message = "A name has at least 3 letters."
  }
}

variable "size_gb" {
  type    = number
  default = 100
}

variable "network_id" { type = string }

/* { an aside } */
variable "network_storage" {
  description = "What is mounted already."
  type = list(object({
    server_ip   = string,
    local_mount = string # "where"
    fs_type     = optional(string, "nfs")
  }))
  default = []
}

variable "labels" {
  type    = map(string)
  default = {}
}

variable "options" {
  default = null
}
