// Reads metrics at intervals and serves them.
#include "launcher/observe/exporter.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>

#include "common/error.h"
#include "common/interfaces.h"
#include "common/interrupts.h"
#include "common/tcp.h"
#include "common/text.h"
#include "launcher/observe/metric_text.h"
#include "launcher/observe/slurm_metrics.h"

namespace slipway::observe {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* text_type = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* openmetrics_type =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

bool accepts_openmetrics(const HttpRequest& request) {
  const auto accept = request.headers.find("accept");
  return accept != request.headers.end() &&
         accept->second.find("application/openmetrics-text") != std::string::npos;
}

}  // namespace

Exporter::Exporter(std::vector<Part> parts, int port) : port_(port) {
  for (Part& part : parts) {
    std::string text = text_of_child(part.make, part.limit).value_or("");
    const auto due = Clock::now() + part.interval;
    readings_.push_back({std::move(part), std::move(text), due, nullptr});
  }
}

std::string Exporter::text() const {
  std::string all;
  for (const Reading& reading : readings_) all += reading.text;
  return all;
}

HttpAnswer Exporter::answer(const HttpRequest& request) const {
  if (request.path == "/metrics") {
    if (!accepts_openmetrics(request)) return {.type = text_type, .body = text()};
    return {.type = openmetrics_type, .body = to_openmetrics(text())};
  }
  if (request.path == "/targets") {
    for (const Reading& reading : readings_) {
      if (reading.part.name != "slurm") continue;
      return {.type = "application/json", .body = scrape_targets(reading.text, port_)};
    }
  }
  if (request.path == "/") return {.body = "slipway metrics: see /metrics\n"};
  return {.status = 404, .body = "not found; see /metrics\n"};
}

void Exporter::read_parts() {
  const auto now = Clock::now();
  for (Reading& reading : readings_) {
    if (reading.child && reading.child->is_over()) {
      // After a reading that failed, old figures would look like new ones.
      reading.text = reading.child->text().value_or("");
      reading.child.reset();
    }
    if (reading.child || now < reading.due) continue;
    reading.due = now + reading.part.interval;
    try {
      reading.child = std::make_unique<ChildText>(reading.part.make, reading.part.limit);
    } catch (const Error& error) {
      fmt::print(stderr, "slipway metrics: {}\n", error.what());
    }
  }
}

void Exporter::serve(Fd listener) {
  HttpServer server(std::move(listener),
                    [this](const HttpRequest& request) { return answer(request); });
  const Interrupts interrupts;
  while (!interrupts.take()) {
    read_parts();
    server.serve();
    std::vector<pollfd> wait_for = server.descriptors();
    wait_for.push_back({interrupts.fd(), POLLIN, 0});
    Clock::time_point next = server.next_deadline();
    for (const Reading& reading : readings_) {
      next = std::min(next, reading.child ? reading.child->deadline() : reading.due);
      if (reading.child) wait_for.push_back({reading.child->fd(), POLLIN, 0});
    }
    const auto left = std::chrono::ceil<milliseconds>(next - Clock::now()).count();
    ::poll(wait_for.data(), wait_for.size(),
           static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)));
  }
}

std::string cluster_address(const NodeProfile& profile) {
  if (profile.network_interfaces.empty()) {
    throw Error("the node profile lists no interface: give --listen");
  }
  const NodeProfile::Interface& first = profile.network_interfaces.front();
  if (!first.address.empty()) return first.address.substr(0, first.address.find('/'));
  const std::vector<Ipv4Interface> own = ipv4_interfaces();
  const auto found = std::ranges::find(own, first.name, &Ipv4Interface::name);
  if (found != own.end()) return found->address;
  throw Error(fmt::format("{} has no IPv4 address: give --listen", first.name));
}

}  // namespace slipway::observe
