// Writes steps to disk, and finds and reads them.
#include "launcher/checkpoint/disk.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/file.h"
#include "common/sha256.h"
#include "common/utc.h"
#include "launcher/checkpoint/store.h"

namespace slipway::checkpoint {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* schema = "slipway/checkpoint/1";
constexpr const char* manifest_name = "manifest.json";
constexpr size_t steps_kept = 2;
constexpr size_t longest_manifest = size_t{1} << 30;  // of all ranks
constexpr mode_t for_owner = 0600;

std::string name_of_step(int64_t step) {
  return fmt::format("step-{}", step);
}

fs::path partial_folder(const DiskStep& step) {
  return fs::path(step.folder) / fmt::format(".{}-{}", name_of_step(step.step), step.writer);
}

fs::path part_in(const fs::path& step, int64_t rank) {
  return step / fmt::format("rank-{}", rank);
}

fs::path part_manifest_in(const fs::path& step, int64_t rank) {
  return step / fmt::format("rank-{}.manifest", rank);
}

// What was renamed in a folder, or made in it, is there after a crash.
void sync_folder(const fs::path& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) throw_errno("cannot write to " + folder.native());
}

void copy_files(const fs::path& from, const Manifest& manifest, const fs::path& to, Durable durable,
                const Cancelled& cancelled) {
  StepReader reader(from, manifest);
  StepWriter writer(to, manifest, durable);
  std::string bytes;
  while (const auto piece = reader.next()) {
    if (cancelled()) throw Error("no longer wanted");
    read_piece(*piece, bytes);
    writer.take(bytes);
  }
}

std::string digest_from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  if (to_hex(bytes) != hex || bytes.size() != digest_bytes)
    throw Error(fmt::format("`{}` is not a digest", hex));
  return bytes;
}

FoundStep read_manifest(const fs::path& step, int64_t number) {
  const fs::path path = step / manifest_name;
  try {
    const Json json = Json::parse(read_regular_file(path, longest_manifest));
    if (json.at("schema") != schema || json.at("step") != number)
      throw Error(fmt::format("it does not describe step {} as {}", number, schema));
    FoundStep found = {number, {}, json.at("job"), ""};
    for (const Json& digest : json.at("ranks")) found.digests.push_back(digest_from_hex(digest));
    return found;
  } catch (const std::exception& error) {
    throw Error(fmt::format("{}: {}", path.native(), error.what()));
  }
}

// That were published, the newest first.
std::vector<int64_t> steps_in(const fs::path& folder) {
  std::vector<int64_t> steps;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; at != end && !error; at.increment(error))
    if (const auto step = step_number(at->path().filename().native());
        step && fs::exists(at->path() / manifest_name, error))
      steps.push_back(*step);
  if (error && error != std::errc::no_such_file_or_directory)
    throw Error(fmt::format("cannot read {}: {}", folder.native(), error.message()));
  std::ranges::sort(steps, std::greater());
  return steps;
}

// The manifest goes first: if the rest cannot be removed, the folder no longer counts.
void remove_step(const fs::path& step) {
  std::error_code ignored;
  fs::remove(step / manifest_name, ignored);
  fs::remove_all(step, ignored);
}

void remove_partial(const DiskStep& step) {
  std::error_code ignored;
  const std::string writer = "-" + step.writer.substr(0, step.writer.find('.') + 1);
  for (fs::directory_iterator at(step.folder, ignored), end; at != end; at.increment(ignored)) {
    const std::string name = at->path().filename();
    if (name.starts_with(".step-") && name.find(writer) != name.npos)
      fs::remove_all(at->path(), ignored);
  }
}

}  // namespace

void write_part(const DiskStep& step, int64_t rank, const fs::path& from, const Manifest& manifest,
                const Cancelled& cancelled) try {
  const fs::path partial = partial_folder(step);
  fs::create_directories(partial);
  fs::remove_all(part_in(partial, rank));
  copy_files(from, manifest, part_in(partial, rank), Durable::yes, cancelled);
  write_file(part_manifest_in(partial, rank), encode(PeerMessage(manifest)), for_owner);
} catch (const MemoryFull&) {
  throw Error(fmt::format("{} is full", step.folder));
} catch (const fs::filesystem_error& error) {
  throw Error(fmt::format("{}: {}", error.path1().native(), error.code().message()));
}

void publish(const DiskStep& step, const std::vector<std::string>& digests) try {
  const fs::path partial = partial_folder(step);
  const fs::path place = fs::path(step.folder) / name_of_step(step.step);
  Json ranks = Json::array();
  for (const std::string& digest : digests) ranks.push_back(to_hex(digest));
  const Json manifest = {{"schema", schema},
                         {"step", step.step},
                         {"job", step.writer.substr(0, step.writer.find('.'))},
                         {"time", utc_text(std::time(nullptr))},
                         {"ranks", ranks}};
  write_file(partial / manifest_name, manifest.dump(1) + "\n", for_owner);
  sync_folder(partial);
  // A step that was done again takes the place of the one before.
  remove_step(place);
  fs::rename(partial, place);
  sync_folder(step.folder);
  const std::vector<int64_t> steps = steps_in(step.folder);
  for (size_t i = steps_kept; i < steps.size(); ++i)
    remove_step(fs::path(step.folder) / name_of_step(steps[i]));
  remove_partial(step);
} catch (const fs::filesystem_error& error) {
  throw Error(fmt::format("{}: {}", error.path1().native(), error.code().message()));
}

FoundStep newest_on_disk(const fs::path& folder, int64_t below) {
  std::string trouble;
  try {
    for (const int64_t step : steps_in(folder)) {
      if (step >= below) continue;
      try {
        FoundStep found = read_manifest(folder / name_of_step(step), step);
        found.trouble = trouble;
        return found;
      } catch (const Error& error) {
        trouble = error.what();
      }
    }
  } catch (const Error& error) {
    trouble = error.what();
  }
  return {-1, {}, "", trouble};
}

Manifest read_part(const fs::path& folder, int64_t step, int64_t rank, const std::string& digest,
                   const fs::path& to, const std::function<void(int64_t)>& admit,
                   const Cancelled& cancelled) {
  const fs::path from = folder / name_of_step(step);
  const fs::path path = part_manifest_in(from, rank);
  const PeerMessage message = decode<PeerMessage>(read_regular_file(path, longest_order));
  const auto* manifest = std::get_if<Manifest>(&message);
  if (manifest == nullptr || digest_of(*manifest) != digest)
    throw Error(fmt::format("{} does not have the digest that was announced", path.native()));
  check_manifest(*manifest);
  admit(size_of(*manifest));
  copy_files(part_in(from, rank), *manifest, to, Durable::no, cancelled);
  return *manifest;
}

}  // namespace slipway::checkpoint
