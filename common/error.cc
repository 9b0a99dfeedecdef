// Errors: exceptions for operations that failed.
#include "common/error.h"

#include <cerrno>
#include <system_error>

#include <fmt/core.h>

namespace slipway {

Error Error::within(std::string_view context) const {
  return Error(fmt::format("{}: {}", context, what()));
}

void throw_errno(std::string_view what, int code) {
  throw Error(fmt::format("{}: {}", what, std::generic_category().message(code)));
}

void throw_errno(std::string_view what) {
  throw_errno(what, errno);
}

}  // namespace slipway
