// Fuzz target: what a job gives to --container-* and PYXIS_CONTAINER_*, and the records in a
// user's folder. Whatever is accepted is safe to use: as the name of a folder, as a mount inside of
// the root, as the name of a variable.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/text.h"
#include "spank-plugins/container/notation.h"
#include "spank-plugins/container/ours.h"
#include "tests/fuzz/check.h"

namespace {

using namespace slipway::container;
using slipway::fuzz::require;

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

// The folders of a path that are above the root, as the kernel would walk them.
bool climbs(const std::string& path) {
  int depth = 0;
  for (const std::string& part : slipway::split(path, '/')) {
    depth += part == ".." ? -1 : part.empty() || part == "." ? 0 : 1;
    if (depth < 0) return true;
  }
  return false;
}

void check_mounts(std::string_view text) {
  std::string again;
  for (const MountRequest& mount : parse_mounts(text)) {
    require(!climbs(mount.target), "a target stays in the root: " + mount.target);
    require(!has_control(mount.source + mount.target), "a mount is one line");
    again += (again.empty() ? "" : ",") + mount.source + ":" + mount.target;
    for (size_t i = 0; i < mount.flags.size(); ++i) again += (i == 0 ? ":" : "+") + mount.flags[i];
  }
  require(!parse_mounts(again).empty(), "what was accepted is accepted again: " + again);
}

void check_name(std::string_view text) {
  const std::string name = parse_name(text).name;
  require(!name.empty() && name.size() <= 200 && name[0] != '.', "a name names a folder");
  require(name.find_first_of(":/,\\ ") == std::string::npos && !has_control(name),
          "a name is a plain word");
}

void check_variables(std::string_view text) {
  for (const std::string& name : parse_variables(text)) {
    require(name.find_first_of("=$`\"' \n") == std::string::npos, "a variable's name is a word");
  }
}

void accept_or_reject(const std::function<void()>& body) {
  try {
    body();
  } catch (const slipway::Error& error) {
    require(*error.what() != '\0', "a refusal has a reason");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  accept_or_reject([&] { check_mounts(text); });
  accept_or_reject([&] { check_name(text); });
  accept_or_reject([&] { check_variables(text); });
  accept_or_reject([&] { parse_unshared(text); });
  accept_or_reject([&] { require(!has_control(parse_image(text)), "an image is one line"); });
  accept_or_reject([&] { require(!parse_save(text).ends_with('/'), "a file is saved"); });
  accept_or_reject([&] { parse_yes(text); });
  const Environment marked = {{ours_marker, std::string(text)}, {"A", "1"}, {"PATH", "/bin"}};
  require(without_ours(marked).contains(ours_marker) || text.find(ours_marker) != text.npos,
          "a marker removes what it names only");
  return 0;
}
