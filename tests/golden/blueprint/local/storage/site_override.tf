variable "size_gb" {
  default = 200
}
