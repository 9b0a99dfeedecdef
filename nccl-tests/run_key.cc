// Makes and opens the envelope of a run's secret key.
#include "nccl-tests/run_key.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "common/error.h"
#include "common/fd.h"
#include "common/text.h"
#include "nccl-tests/munge_credential.h"

namespace slipway::bandwidth {
namespace {

constexpr std::string_view memory_prefix = "memory:", munge_prefix = "MUNGE:";
constexpr const char* what_to_do =
    "start munge on all nodes, or set SLIPWAY_RUN_KEY to the same 64 random hexadecimal digits for "
    "all ranks (`openssl rand -hex 32`)";

std::optional<Secret> key_in_environment() {
  const char* text = std::getenv(run_key_variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const auto key = secret_from_hex(text);
  if (!key) throw Error(fmt::format("{} is not 64 hexadecimal digits", run_key_variable));
  return key;
}

// A memory file that only its owner can open, through /proc, and that disappears with its
// processes, however they end.
Fd private_memory(const std::string& text) {
  Fd fd(::memfd_create("slipway-run-key", MFD_CLOEXEC));
  if (!fd || ::fchmod(fd.get(), 0600) != 0) throw_errno("cannot make memory for the key");
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw_errno("cannot write the key");
  return fd;
}

// "123/7": a process id in this /proc, and one of its descriptors.
std::string place_of(const Fd& fd) {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self", failed);
  if (failed) throw Error("cannot read /proc/self: " + failed.message());
  return fmt::format("{}/{}", self.native(), fd.get());
}

// The place comes from an untrusted peer: only what the kernel reports about it is trusted.
std::string read_private_memory(const std::string& place) {
  const std::vector<std::string> parts = split(place, '/');
  const auto process = parts.size() == 2 ? to_number<int>(parts[0]) : std::nullopt;
  const auto number = parts.size() == 2 ? to_number<int>(parts[1]) : std::nullopt;
  if (!process || !number) throw Error("it names no process");
  const std::string name = fmt::format("/proc/{}/fd/{}", *process, *number);
  const Fd fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat file = {};
  if (!fd || ::fstat(fd.get(), &file) != 0) throw_errno("cannot read " + name);
  if (!S_ISREG(file.st_mode) || file.st_uid != ::geteuid() || (file.st_mode & 077) != 0)
    throw Error(name + " is readable by others, or belongs to another user");
  std::array<char, 2 * secret_bytes + 1> text;
  const ssize_t got = ::pread(fd.get(), text.data(), text.size(), 0);
  return {text.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))};
}

std::string what_is_in(const std::string& envelope) {
  if (envelope.starts_with(memory_prefix))
    return read_private_memory(envelope.substr(memory_prefix.size()));
  if (envelope.starts_with(munge_prefix)) return open_with_munge(envelope);
  throw Error("it contains no key");
}

}  // namespace

RunKey::RunKey(bool on_one_host) {
  if (const auto given = key_in_environment()) {
    secret_ = *given;
    return;
  }
  secret_ = random_secret();
  try {
    if (on_one_host) {
      memory_ = private_memory(to_hex(secret_));
      envelope_ = fmt::format("{}{}", memory_prefix, place_of(memory_));
    } else {
      envelope_ = seal_with_munge(to_hex(secret_));
    }
  } catch (const Error& error) {
    throw Error(fmt::format("ranks cannot prove to each other that they belong together: {}; {}",
                            error.what(), what_to_do));
  }
  if (envelope_.size() > envelope_bytes) throw Error("the key's envelope is too large");
}

Secret open_envelope(const std::string& envelope) {
  if (envelope.empty()) {
    const auto given = key_in_environment();
    if (given) return *given;
    throw Error(
        fmt::format("rank 0 has its key from {}, which is not set on this rank", run_key_variable));
  }
  try {
    const auto key = secret_from_hex(what_is_in(envelope));
    if (key) return *key;
  } catch (const Error& error) {
    throw Error(fmt::format("cannot open the key of this run: {}; {}", error.what(), what_to_do));
  }
  throw Error("rank 0 sent an envelope without a key");
}

}  // namespace slipway::bandwidth
