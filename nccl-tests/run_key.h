// The key by which the ranks of a run know one another, and how they come to have the same one.
// docs/decisions/0039-links-prove-themselves.md.
//
// It comes from SLIPWAY_RUN_KEY (run_key_variable), where whoever started the ranks has set it.
// Otherwise rank 0 makes one and hands everybody who connects an envelope that only the user's own
// processes can open: a munge credential, or on a single host the place of rank 0's memory that has
// it.
#pragma once

#include <string>

#include "common/fd.h"
#include "common/secret.h"

namespace slipway::bandwidth {

inline constexpr size_t envelope_bytes = 1024;  // padded with zeros

// Of rank 0. What an envelope without munge leads to is gone with it, and with the process.
class RunKey {
 public:
  // `on_one_host` says that all ranks are where this one is. Throws Error, with what to do, when
  // there is no way.
  explicit RunKey(bool on_one_host);

  const Secret& secret() const { return secret_; }
  const std::string& envelope() const { return envelope_; }

 private:
  Secret secret_;
  std::string envelope_;
  Fd memory_;
};

// Of the other ranks. Throws Error when the envelope is not from a process of our own user, or
// there is nothing in it and no key in the environment.
Secret open_envelope(const std::string& envelope);

}  // namespace slipway::bandwidth
