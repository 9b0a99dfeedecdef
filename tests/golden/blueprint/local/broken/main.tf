output "x" {
  value = "abc
}
