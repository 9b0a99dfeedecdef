// The key by which the ranks of a run know one another, and how they come to have the same one.
// docs/decisions/0039-links-prove-themselves.md.
//
// From SLIPWAY_RUN_KEY (run_key_variable), where the starter of the ranks has set it. Otherwise rank 0 makes one and
// hands everybody who connects an envelope that only the user's own processes can open: a
// credential of munge's, or on a single host the name of a file that only the user can read.
#pragma once

#include <filesystem>
#include <string>

#include "common/secret.h"

namespace slipway::bandwidth {

inline constexpr size_t envelope_bytes = 1024;  // padded with zeros

// Of rank 0. The file, if there is one, is gone with it.
class RunKey {
 public:
  // `on_one_host` says that all ranks are where this one is. Throws Error, with what to do, when
  // there is no way.
  explicit RunKey(bool on_one_host);
  ~RunKey();
  RunKey(const RunKey&) = delete;
  RunKey& operator=(const RunKey&) = delete;

  const Secret& secret() const { return secret_; }
  const std::string& envelope() const { return envelope_; }

 private:
  Secret secret_;
  std::string envelope_;
  std::filesystem::path file_;
};

// Of the other ranks. Throws Error when the envelope is not from a process of our own user, or
// there is nothing in it and no key in the environment.
Secret open_envelope(const std::string& envelope);

}  // namespace slipway::bandwidth
