// NCCL's RAS service (reliability, availability, serviceability), which each process with NCCL 2.24
// or newer has. Any of them answers for its whole job: which ranks do not answer, are dead, or have
// started fewer collectives than the others.
//
// It listens on port 28028 of `localhost`, or where NCCL_RAS_ADDR says, without any proof of who it
// is: every user of the host could listen there. So only what a process of our own user answers
// counts. That may still be any program of the user's: what it says is for people to read, and
// nothing else. Asking while communicators are made has crashed jobs (NCCL 2.26 and 2.29), so ask
// rarely, and best when a job is lost anyway.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace slipway {

inline constexpr const char* ras_address_variable = "NCCL_RAS_ADDR";
inline constexpr const char* ras_enable_variable = "NCCL_RAS_ENABLE";

// Another user's process answers, or one of which nobody can tell whose it is: "another user (uid
// 1001) listens on 127.0.0.1:28028".
class ForeignRas : public Error {
 public:
  using Error::Error;
};

// The answer to VERBOSE STATUS. `address` is "HOST:PORT", "[ADDRESS]:PORT", or empty: the default.
// What has arrived by the time limit counts, 256 KiB at most. Throws ForeignRas, or
// Error, such as "cannot connect to localhost:28028: Connection refused".
std::string ask_ras(const std::string& address, double limit_seconds = 4);

// What the answer says of ranks and processes that differ from the others, as in "rank 1 is missing
// (process 1707 on 192.0.2.2)": 10 lines at most, with printable characters only. Empty: of none.
std::vector<std::string> ras_findings(std::string_view answer);

// The answer without control characters and empty lines.
std::vector<std::string> ras_lines(std::string_view answer);

}  // namespace slipway
