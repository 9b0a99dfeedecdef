// Runs skopeo, umoci, tar and mksquashfs.
#include "launcher/container/tool.h"

#include <fmt/core.h>
#include <unistd.h>

#include "common/environment.h"
#include "common/error.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::container {
namespace {

// Tens of GB from far away; Ctrl-C ends it before.
constexpr std::chrono::hours longest_run{24};

struct KnownCause {
  const char* mark;  // in a tool's messages
  const char* cause;
};

// What skopeo 1.9 to 1.18, umoci and squashfs-tools print.
constexpr KnownCause known_causes[] = {
    {"manifest unknown", "the registry has no such image or tag"},
    {"name unknown", "the registry has no such image"},
    {"repository name not known", "the registry has no such image"},
    {"invalid username/password", "the registry refuses the user or the password"},
    {"unauthorized", "the registry wants other credentials, or the image does not exist"},
    {"authentication required", "the registry wants credentials, or the image does not exist"},
    {"requested access to the resource is denied",
     "the registry wants other credentials, or the image does not exist"},
    {"no image found in image index for architecture", "the image is not for this architecture"},
    {"server gave HTTP response to HTTPS client",
     "the registry has no HTTPS; if you trust the network, use --allow-http"},
    {"first record does not look like a TLS handshake",
     "the registry has no HTTPS; if you trust the network, use --allow-http"},
    {"certificate", "the registry's certificate is not valid here"},
    {"no such host", "the registry's name is not known here"},
    {"connection refused", "nothing answers at the registry's address"},
    {"network is unreachable", "there is no network from here to the registry"},
    {"no route to host", "there is no network from here to the registry"},
    {"i/o timeout", "the registry does not answer"},
    {"toomanyrequests", "the registry wants fewer requests; try again later, or log in"},
};

// The last line that says something, without skopeo's and umoci's decoration.
std::string last_line(const std::string& messages) {
  const std::string last(last_line_of(messages));
  if (last.empty()) return "it says nothing";
  const size_t text = last.find("msg=\"");
  return text == last.npos ? last : last.substr(text + 5, last.rfind('"') - text - 5);
}

}  // namespace

void require_tool(const std::string& program, const std::string& package) {
  for (const std::string& folder : split(environment_variable("PATH"), ':')) {
    if (!folder.empty() && ::access((folder + "/" + program).c_str(), X_OK) == 0) return;
  }
  throw Error(fmt::format("{} is not installed; as root: apt-get install {}", program, package));
}

std::string cause_of(const std::string& messages, const std::string& folder) {
  if (messages.find("o space left on device") != messages.npos ||
      messages.find("isk quota exceeded") != messages.npos) {
    return fmt::format(
        "the disk of {} is full; TMPDIR is where images are unpacked, and needs three times their "
        "size",
        folder);
  }
  for (const KnownCause& known : known_causes) {
    if (messages.find(known.mark) != messages.npos) {
      return fmt::format("{} ({})", known.cause, last_line(messages));
    }
  }
  return last_line(messages);
}

std::string run_tool(const std::vector<std::string>& argv, const std::string& what,
                     const std::string& folder) {
  const ProcessResult result = run_process(argv, {"", longest_run});
  if (result.ok()) return result.output + result.errors;
  throw Error(fmt::format("cannot {}: {}", what, cause_of(result.output + result.errors, folder)));
}

}  // namespace slipway::container
