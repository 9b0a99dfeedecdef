// Tests what the comparison with Terraform in terraform/ does not cover: functions that Terraform
// does not have, and error messages.
#include "launcher/expression/functions.h"

#include <set>

#include "tests/unit/catch.h"
#include "tests/unit/expression/support.h"

using namespace slipway::expression;

namespace {

// The part of the text at which the error is reported.
std::string place(std::string_view text) {
  std::vector<uint32_t> offsets;
  for (uint32_t i = 0; i <= text.size(); ++i) offsets.push_back(i + 1);
  try {
    evaluate(*parse({text, offsets}), TestScope());
  } catch (const ExpressionError& error) {
    return std::string(text.substr(error.span.begin - 1, error.span.end - error.span.begin));
  }
  return "none";
}

}  // namespace

TEST_CASE("functions: work as in Terraform") {
  CHECK(value("flatten([1, [2, [3]], []])") == "[1, 2, 3]");
  CHECK(value("merge({a = 1}, {a = 2, b = 3})") == "{ a = 2, b = 3 }");
  CHECK(value("concat([1], [2])") == "[1, 2]");
  CHECK(value("coalesce(null, \"\", \"x\")") == "\"x\"");
  CHECK(value("join(\",\", [1, \"a\", true])") == "\"1,a,true\"");
  CHECK(value("format(\"%s-%03d|%-3s|%%|%q\", \"a\", 7, \"b\", \"c\")") ==
        "\"a-007|b  |%|\\\"c\\\"\"");
  CHECK(value("format(\"%s\")") == "error: format(): argument 1 has `%s`, but there is no value 1");
  CHECK(value("replace(\"a_b_c\", \"_\", \"\")") == "\"abc\"");
  CHECK(value("replace(\"a1b2\", \"/[0-9]/\", \"\")") == "\"ab\"");
  CHECK(value("lower(\"ABC\")") == "\"abc\"");
  CHECK(value("substr(\"abcdef\", 1, 3)") == "\"bcd\"");
  CHECK(value("length(\"ñandú\")") == "5");
  CHECK(value("matches(\"^a+$\", \"aab\")") == "false");
  CHECK(value("max(1, 3, 2)") == "3");
  CHECK(value("lookup({a = 1}, \"b\", 2)") == "2");
  CHECK(value("cidrsubnet(\"10.0.0.0/9\", 15, 1)") == "\"10.0.1.0/24\"");
  CHECK(value("cidrsubnet(\"10.0.0.1/9\", 15, 1)") == "\"10.0.1.0/24\"");
  CHECK(value("is_ipv4_range(\"300.0.0.0/8\")") == "false");
  CHECK(value("abs(-3)") == "3");
  CHECK(value("pow(2, 10)") == "1024");
  CHECK(value("pow(10, 100000)") == "error: pow(): the result is not a finite number");
  CHECK(value("sum([1, 2.5])") == "3.5");
  CHECK(value("sum([])") == "error: sum(): argument 1 is an empty list");
  CHECK(value("element(list, 3)") == "\"b\"");
  CHECK(value("element(list, -1)") == "error: element(): argument 2 is -1, less than 0");
  CHECK(value("range(3)") == "[0, 1, 2]");
  CHECK(value("range(3, 1)") == "[3, 2]");
  CHECK(value("range(1, 6, 2)") == "[1, 3, 5]");
  CHECK(value("range(1, 6, -1)") ==
        "error: range(): argument 3 is -1, which moves away from the end");
  CHECK(value("range(1025)") == "error: range(): the list would have more than 1024 members");
  CHECK(value("is_set([])") == "false");
  CHECK(value("lower([])") == "error: lower(): argument 1 is a list, not a string");
  CHECK(value("lower()") == "error: lower() takes 1 argument, not 0");
  CHECK(value("uper(1)") == "error: there is no function `uper`; did you mean `upper`?");
}

TEST_CASE("functions: exactly those of Terraform 1.11 and our own exist") {
  // From `terraform metadata functions -json`, without those in core::.
  const std::set<std::string> terraform = {"abs",
                                           "abspath",
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
                                           "cidrsubnet",
                                           "cidrsubnets",
                                           "coalesce",
                                           "coalescelist",
                                           "compact",
                                           "concat",
                                           "contains",
                                           "csvdecode",
                                           "dirname",
                                           "distinct",
                                           "element",
                                           "endswith",
                                           "ephemeralasnull",
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
                                           "flatten",
                                           "floor",
                                           "format",
                                           "formatdate",
                                           "formatlist",
                                           "indent",
                                           "index",
                                           "issensitive",
                                           "join",
                                           "jsondecode",
                                           "jsonencode",
                                           "keys",
                                           "length",
                                           "log",
                                           "lookup",
                                           "lower",
                                           "matchkeys",
                                           "max",
                                           "md5",
                                           "merge",
                                           "min",
                                           "nonsensitive",
                                           "one",
                                           "parseint",
                                           "pathexpand",
                                           "plantimestamp",
                                           "pow",
                                           "range",
                                           "regex",
                                           "regexall",
                                           "replace",
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
                                           "substr",
                                           "sum",
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
                                           "tonumber",
                                           "toset",
                                           "tostring",
                                           "transpose",
                                           "trim",
                                           "trimprefix",
                                           "trimspace",
                                           "trimsuffix",
                                           "try",
                                           "upper",
                                           "urlencode",
                                           "uuid",
                                           "uuidv5",
                                           "values",
                                           "yamldecode",
                                           "yamlencode",
                                           "zipmap"};
  const std::set<std::string> ours = {"ghpc_stage", "is_ipv4_range", "is_null",  "is_set",
                                      "matches",    "module_file",   "module_of"};
  std::set<std::string> expected = terraform;
  expected.insert(ours.begin(), ours.end());
  const std::vector<std::string> names = function_names();
  CHECK(std::set<std::string>(names.begin(), names.end()) == expected);
}

TEST_CASE("functions: a wrong number of arguments is reported even where nothing is evaluated") {
  CHECK(value("true ? 1 : lower()") == "error: lower() takes 1 argument, not 0");
  CHECK(value("[for x in net.list : bcrypt(x, 1, 2)]") ==
        "error: bcrypt() takes 1 to 2 arguments, not 3");
  CHECK(value("uuid(1)") == "error: uuid() takes no arguments, not 1");
  CHECK(value("max()") == "error: max() takes 1 argument or more, not 0");
  CHECK(value("lower([]...)") == "error: lower() takes 1 argument, not 0");
  CHECK(value("[for x in net.list : uper(x)]") ==
        "error: there is no function `uper`; did you mean `upper`?");
  CHECK(value("type(1)") == "error: there is no function `type`");
}

TEST_CASE("functions: an error points at the wrong argument") {
  CHECK(place("1 + length(lower([1], 2))") == "2");
  CHECK(place("upper(lower())") == "lower");
  CHECK(place("join(\",\", [\"a\"], {})") == "{}");
  CHECK(place("substr(\"abc\", 0.5, 1)") == "0.5");
  CHECK(place("[for x in [1] : tonumber(\"x\")]") == "\"x\"");
  CHECK(place("zipmap([1], [])") == "zipmap([1], [])");
  CHECK(place("f.x + nothing(1)") == "nothing");
}

TEST_CASE("functions: messages about wrong arguments") {
  CHECK(value("abs(\"x\")") == "error: abs(): argument 1 is `x`, not a number");
  CHECK(value("upper(null)") == "error: upper(): argument 1 is null, not a string");
  CHECK(value("join(\",\", [[]])") == "error: join(): argument 2 at [0]: a list is not a string");
  CHECK(value("join(\",\", 1)") == "error: join(): argument 2 is a number, not a list of strings");
  CHECK(value("regex(\"[\", \"a\")") ==
        "error: regex(): argument 1 is not a valid regular expression: missing ]: [");
  CHECK(value("cidrsubnet(\"10.0.0.0/8\", -1, 0)") ==
        "error: cidrsubnet(): argument 2 is -1, less than 0");
  CHECK(value("cidrhost(\"10.0.0.0/33\", 1)") ==
        "error: cidrhost(): argument 1 is `10.0.0.0/33`, not an IP address range");
  CHECK(value("formatdate(\"YYY\", \"2018-01-02T23:12:01Z\")") ==
        "error: formatdate(): argument 1 has `YYY`, which has no meaning");
  CHECK(value("try([][0], [][1])") ==
        "error: try(): every argument fails; the first one: there is no element [0] in a list "
        "of 0");
}

TEST_CASE("functions: those that depend on time, files or chance are left to Terraform") {
  CHECK(value("upper(file(\"a.txt\"))") == "upper(file(\"a.txt\"))");
  CHECK(value("[timestamp(), 1 + 1]") == "[timestamp(), 2]");
  CHECK(value("provider::x::f(1 + 1)") == "provider::x::f(2)");
  CHECK(is_terraform_function("file"));
  CHECK(is_terraform_function("provider::x::f"));
  CHECK_FALSE(is_terraform_function("upper"));
  CHECK_FALSE(is_terraform_function("try"));
  CHECK(value("provider::x(1)") == "error: there is no function `provider::x`");
}

TEST_CASE("functions: ghpc_stage() returns the path of the copy in the deployment") {
  CHECK(value("ghpc_stage(\"./files/a.sh\")") == "\"../.ghpc/staged/a.sh_2647750fd5\"");
  CHECK(value("ghpc_stage(\"..\")") == "\"../.ghpc/staged/file_58b9e70b65\"");
  CHECK(value("ghpc_stage(net.id)") == "ghpc_stage(net.id)");
}

TEST_CASE("functions: templatestring() renders a referenced string as a template") {
  CHECK(value("templatestring(text, {a = 1, b = [2, 3]})") == "\"1-23\"");
  CHECK(value("templatestring(text, {a = net.id, b = []})") == "\"${net.id}-\"");
  CHECK(value("templatestring(text, {b = []})") ==
        "error: templatestring(): in the template: there is no `a` among the variables");
  CHECK(value("templatestring(\"x\", {})") ==
        "error: templatestring(): argument 1 must be a reference, not a literal string; a literal "
        "string does not need templatestring()");
}
