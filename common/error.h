// Errors: exceptions for operations that failed. (Mistakes in the user's input are diagnostics:
// launcher/source/.)
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace slipway {

// An operation that failed, described for the user. Callers add context on the way up:
//   cannot start node `quickstart-login-001`: cannot mount overlay on /run/x: Operation not
//   permitted
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  // The same error with `context` in front ("context: what").
  Error within(std::string_view context) const;
};

// The command line was wrong: exit status 2 instead of 1.
class UsageError : public Error {
 public:
  using Error::Error;
};

// An operation failed, and the message is already printed: exit status 1 without another message.
class ReportedError : public Error {
 public:
  using Error::Error;
};

// Throws Error("what: <text of errno>"). `code` is an errno value.
[[noreturn]] void throw_errno(std::string_view what, int code);
[[noreturn]] void throw_errno(std::string_view what);

}  // namespace slipway
