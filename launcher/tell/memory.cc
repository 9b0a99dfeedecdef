// Keeps in a file what was sent.
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/json.h"
#include "launcher/tell/cluster_watch.h"

namespace slipway::tell {
namespace {

using nlohmann::json;

constexpr size_t largest_memory = size_t{16} << 20;

}  // namespace

Memory load_memory(const std::filesystem::path& file) {
  try {
    const json body = parse_json(read_regular_file(file, largest_memory));
    Memory memory;
    memory.known = {false, body.at("drained"), body.at("alarms"), body.at("failed_jobs"),
                    body.value("short_jobs", std::set<std::string>())};
    memory.sent = {body.at("sent"), body.at("left_out"), body.at("since")};
    return memory;
  } catch (const Error&) {
    return {};
  } catch (const json::exception&) {
    return {};
  }
}

void save_memory(const std::filesystem::path& file, const Memory& memory) {
  const json body = {{"drained", memory.known.drained},
                     {"alarms", memory.known.alarms},
                     {"failed_jobs", memory.known.failed_jobs},
                     {"short_jobs", memory.known.short_jobs},
                     {"sent", memory.sent.sent},
                     {"left_out", memory.sent.left_out},
                     {"since", memory.sent.since}};
  write_file(file, body.dump(1, ' ', false, json::error_handler_t::replace) + "\n", 0600);
}

}  // namespace slipway::tell
