// The form of a whole record of the kernel's log, as a regular expression of RE2's.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace slipway::health {

// Compiled when it is used for the first time: a policy has twenty of them, and most checks of a
// node find no record to compare with. Not for several threads at a time.
class RecordForm {
 public:
  RecordForm() = default;
  explicit RecordForm(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }
  // Why it is not a regular expression; empty when it is one.
  std::string error() const;
  // Whether all of a record has this form.
  bool matches(std::string_view record) const;

 private:
  const re2::RE2& compiled() const;

  std::string text_;
  mutable std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace slipway::health
