// The key by which the ranks of a run know one another.
#include "nccl-tests/run_key.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "common/error.h"
#include "common/fd.h"
#include "nccl-tests/munge_credential.h"

namespace slipway::bandwidth {
namespace {

constexpr std::string_view file_prefix = "file:", munge_prefix = "MUNGE:";
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

// Readable by its owner alone, as mkstemp makes it.
std::filesystem::path write_private_file(const std::string& text) {
  std::string name = std::filesystem::temp_directory_path() / "slipway-run-XXXXXX";
  const Fd fd(::mkstemp(name.data()));
  if (!fd) throw_errno("cannot make a file for the key in " + name);
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    ::unlink(name.c_str());
    throw Error("cannot write the key to " + name);
  }
  return name;
}

// Whoever named it: nothing is believed of it but what the kernel says.
std::string read_private_file(const std::string& name) {
  const Fd fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat file = {};
  if (!fd || ::fstat(fd.get(), &file) != 0) throw_errno("cannot read " + name);
  if (!S_ISREG(file.st_mode) || file.st_uid != ::geteuid() || (file.st_mode & 077) != 0)
    throw Error(name + " is not a file that only we can read");
  std::array<char, 2 * secret_bytes + 1> text;
  const ssize_t got = ::read(fd.get(), text.data(), text.size());
  return {text.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))};
}

std::string what_is_in(const std::string& envelope) {
  if (envelope.starts_with(file_prefix))
    return read_private_file(envelope.substr(file_prefix.size()));
  if (envelope.starts_with(munge_prefix)) return open_with_munge(envelope);
  throw Error("there is no key in it");
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
      file_ = write_private_file(to_hex(secret_));
      envelope_ = fmt::format("{}{}", file_prefix, file_.native());
    } else {
      envelope_ = seal_with_munge(to_hex(secret_));
    }
  } catch (const Error& error) {
    throw Error(fmt::format("ranks cannot prove to each other that they belong together: {}; {}",
                            error.what(), what_to_do));
  }
  if (envelope_.size() > envelope_bytes) throw Error("the key's envelope is too large");
}

RunKey::~RunKey() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

Secret open_envelope(const std::string& envelope) {
  if (envelope.empty()) {
    const auto given = key_in_environment();
    if (given) return *given;
    throw Error(
        fmt::format("rank 0 has its key from {}, and this rank has none", run_key_variable));
  }
  try {
    const auto key = secret_from_hex(what_is_in(envelope));
    if (key) return *key;
  } catch (const Error& error) {
    throw Error(
        fmt::format("the key of this run cannot be opened: {}; {}", error.what(), what_to_do));
  }
  throw Error("what rank 0 gives out is not a key");
}

}  // namespace slipway::bandwidth
