// Matches whole kernel records against a regular expression.
#include "launcher/health/record_form.h"

#include <re2/re2.h>

namespace slipway::health {

const re2::RE2& RecordForm::compiled() const {
  if (!compiled_) {
    re2::RE2::Options options(re2::RE2::Latin1);
    options.set_log_errors(false);
    compiled_ = std::make_shared<re2::RE2>(text_, options);
  }
  return *compiled_;
}

std::string RecordForm::error() const {
  return compiled().ok() ? "" : compiled().error();
}

bool RecordForm::matches(std::string_view record) const {
  return re2::RE2::FullMatch({record.data(), record.size()}, compiled());
}

}  // namespace slipway::health
