// Reads and writes PID 1's records of its services.
#include "launcher/node/service_record.h"

#include <fmt/core.h>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::node {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr const char* file_name = "services";
constexpr size_t longest_record = 64 * 1024;

}  // namespace

void write_service_record(const std::filesystem::path& folder, const std::string& name,
                          const ServiceRecord& record) try {
  std::map<std::string, ServiceRecord> records = read_service_records(folder);
  records[name] = record;
  std::string text;
  for (const auto& [service, one] : records) {
    const auto since = std::chrono::duration_cast<milliseconds>(one.since.time_since_epoch());
    text += fmt::format("{} {} {}{}{}\n", service, one.runs ? "runs" : "ended", since.count(),
                        one.how.empty() ? "" : " ", one.how);
  }
  write_file(folder / file_name, text);
} catch (const Error&) {
  // There is nobody to report this to.
}

std::map<std::string, ServiceRecord> read_service_records(const std::filesystem::path& folder) try {
  std::map<std::string, ServiceRecord> records;
  for (const std::string& line :
       split(read_regular_file(folder / file_name, longest_record), '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    const auto since = words.size() < 3 ? std::nullopt : to_number<int64_t>(words[2]);
    if (!since || (words[1] != "runs" && words[1] != "ended")) continue;
    records[words[0]] = {words[1] == "runs", system_clock::time_point(milliseconds(*since)),
                         join(std::span(words).subspan(3), " ")};
  }
  return records;
} catch (const Error&) {
  return {};
}

}  // namespace slipway::node
