// The functions that are left to Terraform.
#include <algorithm>
#include <array>

#include "launcher/expression/functions.h"

namespace slipway::expression {
namespace {

// https://developer.hashicorp.com/terraform/language/functions, without those of functions.cc;
// ghpc_stage is Cluster Toolkit's, and copies a file into the deployment.
constexpr auto terraform_functions = std::to_array<std::string_view>({"abspath",
                                                                      "alltrue",
                                                                      "anytrue",
                                                                      "base64decode",
                                                                      "base64encode",
                                                                      "base64gzip",
                                                                      "base64sha256",
                                                                      "base64sha512",
                                                                      "basename",
                                                                      "bcrypt",
                                                                      "can",
                                                                      "ceil",
                                                                      "chomp",
                                                                      "chunklist",
                                                                      "cidrhost",
                                                                      "cidrnetmask",
                                                                      "cidrsubnets",
                                                                      "coalescelist",
                                                                      "csvdecode",
                                                                      "dirname",
                                                                      "endswith",
                                                                      "file",
                                                                      "filebase64",
                                                                      "filebase64sha256",
                                                                      "filebase64sha512",
                                                                      "fileexists",
                                                                      "filemd5",
                                                                      "fileset",
                                                                      "filesha1",
                                                                      "filesha256",
                                                                      "filesha512",
                                                                      "floor",
                                                                      "formatdate",
                                                                      "formatlist",
                                                                      "ghpc_stage",
                                                                      "indent",
                                                                      "index",
                                                                      "issensitive",
                                                                      "jsondecode",
                                                                      "jsonencode",
                                                                      "log",
                                                                      "matchkeys",
                                                                      "md5",
                                                                      "nonsensitive",
                                                                      "one",
                                                                      "parseint",
                                                                      "pathexpand",
                                                                      "plantimestamp",
                                                                      "regex",
                                                                      "regexall",
                                                                      "reverse",
                                                                      "rsadecrypt",
                                                                      "sensitive",
                                                                      "setintersection",
                                                                      "setproduct",
                                                                      "setsubtract",
                                                                      "setunion",
                                                                      "sha1",
                                                                      "sha256",
                                                                      "sha512",
                                                                      "signum",
                                                                      "slice",
                                                                      "sort",
                                                                      "split",
                                                                      "startswith",
                                                                      "strcontains",
                                                                      "strrev",
                                                                      "templatefile",
                                                                      "templatestring",
                                                                      "textdecodebase64",
                                                                      "textencodebase64",
                                                                      "timeadd",
                                                                      "timecmp",
                                                                      "timestamp",
                                                                      "title",
                                                                      "tobool",
                                                                      "tolist",
                                                                      "tomap",
                                                                      "toset",
                                                                      "transpose",
                                                                      "trim",
                                                                      "trimprefix",
                                                                      "trimspace",
                                                                      "trimsuffix",
                                                                      "try",
                                                                      "type",
                                                                      "urlencode",
                                                                      "uuid",
                                                                      "uuidv5",
                                                                      "values",
                                                                      "yamldecode",
                                                                      "yamlencode",
                                                                      "zipmap"});

}  // namespace

bool is_terraform_function(std::string_view name) {
  return std::find(terraform_functions.begin(), terraform_functions.end(), name) !=
         terraform_functions.end();
}

std::vector<std::string> terraform_function_names() {
  return {terraform_functions.begin(), terraform_functions.end()};
}

}  // namespace slipway::expression
