// Replaces the parts of a template by an unknown of the same length.
#pragma once

#include <string>
#include <string_view>

namespace slipway::kubernetes {

// A character of Unicode's private use area, which no manifest contains otherwise.
inline constexpr std::string_view unknown_mark = "\xEE\x80\x80";

struct Masked {
  std::string text;   // as long as the original
  bool any = false;   // there was a template in it
  bool open = false;  // it may add fields: `%{ if … }`, or an expression on a line of its own
};

// Masks `${…}` and `%{…}` of Terraform, `{{…}}` of Helm and, if `expressions`, `$(…)` of
// blueprints.
// `$${` and `%%{` are text.
Masked mask_templates(std::string_view text, bool expressions);

}  // namespace slipway::kubernetes
