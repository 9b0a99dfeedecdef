// Evaluates the expressions on standard input, one per line with ⏎ for a line end, and prints a
// line of JSON for each: {"value": …} or {"error": …}.
#include <iostream>
#include <string>

#include "launcher/expression/evaluate.h"
#include "launcher/expression/json.h"

using namespace slipway::expression;

namespace {

std::string with_line_ends(std::string line) {
  const std::string mark = "⏎";
  for (size_t at = line.find(mark); at != std::string::npos; at = line.find(mark, at + 1)) {
    line.replace(at, mark.size(), "\n");
  }
  return line;
}

Value::Object result(const std::string& line) {
  try {
    const Value value = evaluate(*parse(line), EmptyScope());
    if (value.is_known()) return {{"value", value}};
    return {{"error", "not known: " + to_hcl(*to_expression(value))}};
  } catch (const ExpressionError& error) {
    return {{"error", std::string(error.what())}};
  }
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << to_json(result(with_line_ends(line))) << '\n';
  }
}
