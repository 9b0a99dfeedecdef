// PID 1's records of a node's services, for programs that cannot ask the services themselves.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

namespace slipway::node {

struct ServiceRecord {
  bool runs = false;
  std::chrono::system_clock::time_point since;  // of a running one: just before its start
  std::string how;  // how a stopped service ended: "status 1", "signal 9"
};

// Updates one record in the file `services` of `folder`. Ignores errors: a full disk must not end a
// node.
void write_service_record(const std::filesystem::path& folder, const std::string& name,
                          const ServiceRecord& record);

// The records in the file `services` of `folder`, by daemon name; empty if it cannot be read. A
// line is `slurmctld ended 1763830000123 signal 9`, with milliseconds since 1970.
std::map<std::string, ServiceRecord> read_service_records(const std::filesystem::path& folder);

}  // namespace slipway::node
