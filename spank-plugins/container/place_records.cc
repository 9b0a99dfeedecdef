// The records in a container's folder. Their writer is the user, or could be.
#include <sys/stat.h>

#include <limits>
#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include "common/error.h"
#include "common/file.h"
#include "common/json.h"
#include "common/process_stat.h"
#include "spank-plugins/container/places.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;

constexpr const char *made_file = "made.json", *running_file = "running.json";
constexpr size_t longest_record = 16 << 20;  // it has the image's environment
constexpr int64_t any_number = std::numeric_limits<int64_t>::max();

// JSON is UTF-8, a variable any bytes: from 0x80 on they are written as the characters U+0080 to
// U+00FF.
std::string bytes_of(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      utf8 += static_cast<char>(0xc0 | (byte >> 6));
      utf8 += static_cast<char>(0x80 | (byte & 0x3f));
    } else {
      utf8 += c;
    }
  }
  return utf8;
}

std::string text_of_bytes(std::string_view utf8) {
  std::string text;
  for (size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte >= 0xc0 && i + 1 < utf8.size()) {
      text += static_cast<char>((byte << 6) | (static_cast<unsigned char>(utf8[++i]) & 0x3f));
    } else {
      text += utf8[i];
    }
  }
  return text;
}

std::optional<nlohmann::json> read_record(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  return parse_json(read_regular_file(file, longest_record));
}

}  // namespace

Made made_of(const fs::path& image, const std::string& asked) {
  struct stat state = {};
  if (::stat(image.c_str(), &state) != 0) throw_errno(image.string());
  const int64_t changed = state.st_mtim.tv_sec * 1'000'000'000LL + state.st_mtim.tv_nsec;
  return {image, asked, static_cast<uint64_t>(state.st_size), changed};
}

void write_made(const fs::path& folder, const Made& made) {
  const nlohmann::json record{{"image", made.image.string()},
                              {"asked", made.asked},
                              {"size_bytes", made.size},
                              {"changed_ns", made.changed_ns}};
  write_file(folder / made_file, record.dump(), 0600);
}

std::optional<Made> read_made(const fs::path& folder) {
  const auto record = read_record(folder / made_file);
  if (!record) return std::nullopt;
  const JsonValue value(*record);
  const Made made{value.at("image").text(), value.at("asked").text(),
                  static_cast<uint64_t>(value.at("size_bytes").whole(0, any_number)),
                  value.at("changed_ns").whole(0, any_number)};
  const Made now = made_of(made.image, made.asked);
  if (now.size != made.size || now.changed_ns != made.changed_ns) {
    throw Error(
        fmt::format("the container was made of {}, which has changed since: remove the "
                    "container, or bring back the file",
                    made.image.string()));
  }
  return made;
}

void write_running(const fs::path& folder, const Running& running) {
  nlohmann::json record{
      {"keeper", running.keeper}, {"start", running.start}, {"workdir", running.workdir}};
  record["sets"] = record["unsets"] = nlohmann::json::object();
  for (const auto& [name, value] : running.changes) {
    record[value ? "sets" : "unsets"][bytes_of(name)] = bytes_of(value.value_or(""));
  }
  write_file(folder / running_file, record.dump(), 0600);
}

std::optional<Running> read_running(const fs::path& folder) {
  const auto record = read_record(folder / running_file);
  if (!record) return std::nullopt;
  const JsonValue value(*record);
  Running running{static_cast<pid_t>(value.at("keeper").whole(1, 1 << 30)),
                  value.at("start").text(),
                  value.at("workdir").text(),
                  {}};
  for (const auto& [name, set] : value.at("sets").members()) {
    running.changes[text_of_bytes(name)] = text_of_bytes(set.text());
  }
  for (const auto& [name, unset] : value.at("unsets").members()) {
    running.changes[text_of_bytes(name)] = std::nullopt;
  }
  const auto state = process_stat(running.keeper);
  if (!state || state->state == 'Z' || state->start != running.start) return std::nullopt;
  return running;
}

}  // namespace slipway::container
