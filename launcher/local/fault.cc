// Reads a fault from a command line.
#include "launcher/local/fault.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text.h"

namespace slipway::local {
namespace {

// A number with a unit, as in tc(8).
bool is_rate(const std::string& text) {
  const size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == text.npos || digits > 9 || text[0] == '0') return false;
  const std::string unit = text.substr(digits);
  return unit == "kbit" || unit == "mbit" || unit == "gbit";
}

void check_arguments(const Fault& fault) {
  for (const std::string& argument : fault.arguments) {
    const bool plain = !argument.empty() && argument[0] != '-' &&
                       std::ranges::none_of(argument, [](unsigned char c) { return c <= ' '; });
    if (!plain)
      throw UsageError(fmt::format("`{}` is not a valid argument of {}", argument, fault.kind));
  }
  const FaultKind& kind = kind_of(fault);
  if (kind.effect == Effect::link_rate && !is_rate(fault.arguments[1])) {
    throw UsageError(fmt::format("`{}` is not a rate; write a number and kbit, mbit or gbit",
                                 fault.arguments[1]));
  }
  if (kind.effect == Effect::gpu || kind.effect == Effect::xid) {
    fault_number(fault.arguments[0], 999);
  }
  if (kind.most > 0) fault_number(fault.arguments[1], kind.most);
  if (kind.effect == Effect::kernel_log) kernel_line(fault.arguments[0]);
}

}  // namespace

const FaultKind& kind_of(const Fault& fault) {
  const auto kind = std::ranges::find(fault_kinds(), fault.kind, &FaultKind::name);
  if (kind == fault_kinds().end()) throw Error(fmt::format("unknown fault `{}`", fault.kind));
  return *kind;
}

const std::string& power_fault() {
  return std::ranges::find(fault_kinds(), Effect::power, &FaultKind::effect)->name;
}

std::string Fault::text() const {
  return arguments.empty() ? kind : kind + " " + join(arguments, " ");
}

std::string Fault::key() const {
  return arguments.empty() ? kind : kind + " " + arguments.front();
}

Fault parse_fault(std::span<const std::string> words) {
  std::vector<std::string> names;
  for (const FaultKind& kind : fault_kinds()) names.push_back(kind.name);
  if (words.empty()) throw UsageError("which fault? known: " + join(names, ", "));
  const auto kind = std::ranges::find(fault_kinds(), words[0], &FaultKind::name);
  if (kind == fault_kinds().end()) {
    const std::string guess = nearest(words[0], names);
    throw UsageError(guess.empty()
                         ? fmt::format("unknown fault `{}`; known: {}", words[0], join(names, ", "))
                         : fmt::format("unknown fault `{}`; did you mean `{}`?", words[0], guess));
  }
  Fault fault{kind->name, {words.begin() + 1, words.end()}};
  if (fault.arguments.size() != kind->arguments.size()) {
    throw UsageError(kind->arguments.empty()
                         ? fmt::format("{} takes no argument", kind->name)
                         : fmt::format("{} takes {}", kind->name, join(kind->arguments, " ")));
  }
  check_arguments(fault);
  return fault;
}

nlohmann::json to_json(const Fault& fault) {
  return {{"kind", fault.kind}, {"arguments", fault.arguments}};
}

Fault fault_from_json(const nlohmann::json& body) {
  std::vector<std::string> words = {body.at("kind")};
  for (const std::string word : body.at("arguments")) words.push_back(word);
  return parse_fault(words);
}

int fault_number(const std::string& text, int last) {
  const int number = to_number<int>(text).value_or(-1);
  if (number < 0 || number > last) {
    throw UsageError(fmt::format("`{}` is not a whole number from 0 to {}", text, last));
  }
  return number;
}

}  // namespace slipway::local
