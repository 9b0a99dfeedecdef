// The secret key that the ranks of a run share, and how they obtain it:
// docs/decisions/0039-links-prove-themselves.md.
//
// SLIPWAY_RUN_KEY (run_key_variable) wins if it is set. Otherwise rank 0 makes a key and sends
// everyone who connects an envelope that only the same user's processes can open: a munge
// credential or, on a single host, the location of the key in rank 0's memory.
#pragma once

#include <string>

#include "common/fd.h"
#include "common/secret.h"

namespace slipway::bandwidth {

inline constexpr size_t envelope_bytes = 1024;  // padded with zeros

// The key on rank 0. Without munge, the envelope's memory is released by the destructor, and when
// the process ends.
class RunKey {
 public:
  // `on_one_host`: all ranks run on this host. Throws an Error that says what to do if there is no
  // way to share a key.
  explicit RunKey(bool on_one_host);

  const Secret& secret() const { return secret_; }
  const std::string& envelope() const { return envelope_; }

 private:
  Secret secret_;
  std::string envelope_;
  Fd memory_;
};

// The key on the other ranks. Throws Error if the envelope was not made by the same user, or if it
// is empty and the environment has no key.
Secret open_envelope(const std::string& envelope);

}  // namespace slipway::bandwidth
