// The formats that a job can be converted to, and how messages call their parts.
#pragma once

#include <string>
#include <string_view>

namespace slipway::conversion {

enum class Format { jobset, vertex };

struct Words {
  const char *name, *job, *pod, *pods;
};

// `name` is the value of --to.
const Words& words_of(Format format);

// "a pod has no ssh" for "{pod} has no ssh"; {job} and {pods} are replaced, too.
std::string in_words_of(Format format, std::string text);

// Throws UsageError for an unknown name.
Format format_of(std::string_view name);

}  // namespace slipway::conversion
