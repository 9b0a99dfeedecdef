// Runs families of checks in parallel.
#include "launcher/health/runner.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <deque>

#include "launcher/health/family_process.h"
#include "launcher/health/metadata_server.h"

namespace slipway::health {
namespace {

using Clock = std::chrono::steady_clock;

void read_until(std::deque<FamilyProcess>& all, Clock::time_point end) {
  for (;;) {
    std::vector<pollfd> fds;
    bool any = false;
    for (const FamilyProcess& one : all) {
      fds.push_back({one.fd(), POLLIN, 0});
      any = any || !one.ended();
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (!any || left <= 0) return;
    if (::poll(fds.data(), fds.size(), static_cast<int>(left)) < 0 && errno != EINTR) return;
    for (size_t i = 0; i < all.size(); ++i) {
      if (fds[i].revents != 0) all[i].read();
    }
  }
}

}  // namespace

CheckResults run_families(const std::vector<Family>& families, const Context& context,
                          std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  std::deque<FamilyProcess> all;
  for (const Family& family : families) all.emplace_back(family, context);
  read_until(all, end);
  CheckResults results;
  for (FamilyProcess& one : all) {
    one.kill();
    results.add(one.results(limit));
  }
  return results;
}

std::vector<Family> families_for(const Context& context, const Machine& machine) {
  std::vector<Family> families;
  if (context.profile.gpus.count > 0) {
    families.push_back({"gpu", "driver-hang", [](CheckRun& run, const Doing& doing) {
                          check_gpus(read_gpus(doing), run);
                        }});
  }
  families.push_back({"network", "network-hang", [&](CheckRun& run, const Doing& doing) {
                        check_network(machine, run, doing);
                        // Only root can read the rules.
                        if (run.context.profile.target == "google" && ::geteuid() == 0) {
                          doing("reading the metadata server's firewall rules");
                          const Stage stage = run.context.stage;
                          const bool waits = stage == Stage::prolog || stage == Stage::epilog;
                          check_metadata_server(read_metadata_server(!waits), run);
                        }
                      }});
  families.push_back({"storage", "mount-hang", [&](CheckRun& run, const Doing& doing) {
                        check_storage(machine, run, doing);
                      }});
  families.push_back({"system", "kernel-stall", [&](CheckRun& run, const Doing&) {
                        check_system(machine, run);
                        check_kernel_log(machine, run);
                      }});
  return families;
}

}  // namespace slipway::health
