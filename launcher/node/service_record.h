// What PID 1 of a node has written down about its services, for whoever cannot ask them.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

namespace slipway::node {

struct ServiceRecord {
  bool runs = false;
  std::chrono::system_clock::time_point since;
  std::string how;  // of one that does not run: how it ended, "status 1", "signal 9"
};

// Writes one to the file `services` of `folder`, which keeps the others. Errors are ignored: a full
// disk must not end a node.
void write_service_record(const std::filesystem::path& folder, const std::string& name,
                          const ServiceRecord& record);

// Those in the file `services` of `folder`, by the daemon's name; none when it cannot be read. Its
// lines: `slurmctld ended 1763830000123 signal 9`, with milliseconds since 1970.
std::map<std::string, ServiceRecord> read_service_records(const std::filesystem::path& folder);

}  // namespace slipway::node
