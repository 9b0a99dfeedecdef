variable "name" {
  type = strng
}
variable "count_of" {
  type    = number
  default = "many"
}
variable "name" {}
variable "note" {
  descripton = "x"
}
