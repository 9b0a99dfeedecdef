variable "name" {
  type    = string
  default = null
}
variable "size" {
  type    = any
  default = 4
}
variable "mode" {
  type    = string
  default = null
}
variable "old" {
  type    = bool
  default = false
}
variable "ranges" {
  type    = any
  default = []
}
variable "image" {
  type    = map(string)
  default = {}
}
variable "flex" {
  type = object({
    enabled = optional(bool, false)
    hours   = optional(number)
  })
  default = {}
}
variable "machine_type" {
  type    = string
  default = "small-2"
}
variable "network_id" {
  type    = string
  default = null
}
output "network_id" { value = "Any_Network" }
