// Records requests to Compute Engine and their answers.
#include "launcher/node/traffic.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/fd.h"
#include "launcher/node/service.h"

namespace slipway::node {
namespace {

using nlohmann::ordered_json;

constexpr off_t largest_record = 200'000'000;

bool is_switched_on() {
  struct stat info = {};
  return ::lstat(traffic_switch, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == 0 &&
         (info.st_mode & 022) == 0;
}

std::string place_of_record() {
  return ::geteuid() == 0 ? "/var/log/slipway-traffic.jsonl"
                          : fmt::format("{}/slipway-traffic.jsonl", log_folder);
}

ordered_json json_or_null(const std::string& body) {
  ordered_json value = ordered_json::parse(body, nullptr, false);
  return value.is_discarded() ? ordered_json() : value;
}

}  // namespace

std::string traffic_line(const HttpRequest& request, const HttpAnswer& answer) {
  if (!request.url.starts_with("https://compute.googleapis.com/") || answer.status == 0) return "";
  const ordered_json row{{"method", request.method},
                         {"url", request.url},
                         {"request", json_or_null(request.body)},
                         {"status", answer.status},
                         {"response", json_or_null(answer.body)}};
  return row.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

void record_traffic(const HttpRequest& request, const HttpAnswer& answer) {
  if (!is_switched_on()) return;
  const std::string line = traffic_line(request, answer);
  if (line.empty()) return;
  const Fd file(::open(place_of_record().c_str(),
                       O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return;
  struct stat info = {};
  // Several programs write at the same time, and a line may be longer than what is written at once.
  if (::flock(file.get(), LOCK_EX) == 0 && ::fstat(file.get(), &info) == 0 &&
      S_ISREG(info.st_mode) && info.st_size < largest_record) {
    for (size_t done = 0; done < line.size();) {
      const ssize_t count = ::write(file.get(), line.data() + done, line.size() - done);
      if (count <= 0) break;
      done += static_cast<size_t>(count);
    }
  }
}

}  // namespace slipway::node
