// The formats that a job can be converted to.
#include "launcher/conversion/format.h"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "common/error.h"
#include "common/text.h"

namespace slipway::conversion {
namespace {

constexpr std::array words_of_formats = {
    std::pair{Format::jobset, Words{"jobset", "a JobSet", "a pod", "pods"}},
    std::pair{Format::vertex, Words{"vertex", "a custom job", "a replica", "replicas"}}};

}  // namespace

const Words& words_of(Format format) {
  return words_of_formats[static_cast<size_t>(format)].second;
}

std::string in_words_of(Format format, std::string text) {
  const Words& words = words_of(format);
  for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{"{job}", words.job},
                                 {"{pods}", words.pods},
                                 {"{pod}", words.pod}}) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

Format format_of(std::string_view name) {
  for (const auto& [format, words] : words_of_formats) {
    if (name == words.name) return format;
  }
  throw UsageError(fmt::format("--to takes jobset or vertex, not `{}`", name));
}

}  // namespace slipway::conversion
