// Whether the energy of jobs adds up to that of their cluster: seeded power curves of the GPUs of
// some nodes, which one job after another has for itself, as `slipway launch` demands, and jobs
// that are restarted and cancelled. The truth is the power of each GPU, integrated in small steps.
// Simulated: the clock, and when agents read. Real: the meter with its child processes, and the
// tally.
#include <fmt/core.h>

#include <cmath>
#include <list>
#include <random>
#include <set>
#include <thread>

#include "launcher/job/energy_meter.h"
#include "launcher/job/energy_tally.h"
#include "launcher/simulated_nvml/power_curve.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::job;
using namespace std::chrono_literals;
using simulated_nvml::PowerCurve;

namespace {

constexpr size_t node_count = 6, gpus_of_node = 8;

class MeteredCluster {
 public:
  explicit MeteredCluster(uint32_t seed) : random(seed) {
    for (auto& node : curves) {
      for (PowerCurve& curve : node) {
        curve = {{0, between(60, 700)}};
        for (uint32_t i = random() % 6 + 1; i > 0; --i)
          curve.push_back({curve.back().seconds + between(1, 200), between(60, 700)});
      }
    }
  }
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  uint64_t counters(size_t node) const {
    uint64_t all = 0;
    for (const PowerCurve& curve : curves[node])
      all += static_cast<uint64_t>(1000 * joules_until(curve, now));
    return all;
  }
  // Until then; what GPUs without a job use is idle.
  void run(double until) {
    constexpr double step = 0.25;
    for (; now < until; now += step) {
      for (size_t node = 0; node < node_count; ++node) {
        for (size_t gpu = 0; gpu < gpus_of_node; ++gpu) {
          const double joules = step * watts_at(curves[node][gpu], now + step / 2);
          total += joules;
          if (!used.contains(node)) idle += joules;
        }
      }
    }
  }

  std::mt19937 random;
  double now = 0, total = 0, idle = 0;
  std::set<size_t> used;
  PowerCurve curves[node_count][gpus_of_node];
};

// A job on one or several nodes, each with an agent.
class MeteredJob {
 public:
  MeteredJob(MeteredCluster& cluster, double end) : cluster_(cluster), ends_(end) {
    for (size_t node = 0; node < node_count; ++node) {
      if (cluster.used.contains(node) || cluster.random() % 2 == 0) continue;
      used_.insert(node);
      names_.push_back(fmt::format("n{}", node));
      agents_.emplace_back(read(node), 60s);
    }
    cluster.used.insert(used_.begin(), used_.end());
    begin();
  }

  double ends() const { return ends_; }
  // A failed attempt ends at once on all nodes, and the next one begins.
  void restart() {
    end_attempt();
    begin();
  }
  // Its own end, or that of a cancelled job. Returns what the ledger has.
  double end() {
    end_attempt();
    for (const size_t each : used_) cluster_.used.erase(each);
    size_t name = 0;
    for (EnergyMeter& agent : agents_) {
      const std::string& node = names_[name++];
      for (size_t heard = 0; heard < static_cast<size_t>(attempt_);) {
        for (const MeasuredEnergy& each : agent.finished()) {
          tally_.handle({node, Energy{each.attempt, each.joules}});
          ++heard;
        }
        std::this_thread::sleep_for(1ms);
      }
    }
    double joules = 0;
    for (const AttemptEnergy& each : tally_.complete()) {
      CHECK(each.missing.empty());
      joules += each.joules;
    }
    return joules;
  }

 private:
  EnergyMeter::Read read(size_t node) {
    return [this, node](const health::Doing&) { return std::optional(cluster_.counters(node)); };
  }
  void begin() {
    tally_.begin(++attempt_, names_);
    for (EnergyMeter& agent : agents_) agent.begin(attempt_);
  }
  void end_attempt() {
    for (EnergyMeter& agent : agents_) agent.end();
  }

  MeteredCluster& cluster_;
  double ends_;
  int64_t attempt_ = 0;
  std::vector<std::string> names_;
  std::set<size_t> used_;
  std::list<EnergyMeter> agents_;
  EnergyTally tally_;
};

}  // namespace

TEST_CASE("energy: jobs one after another, restarted or cancelled, add up to their cluster") {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    MeteredCluster cluster(seed);
    std::list<MeteredJob> jobs;
    double of_jobs = 0;
    int restarts = 0, cancelled = 0;
    for (int event = 0; event < 24; ++event) {
      cluster.run(cluster.now + cluster.between(1, 300));
      for (auto job = jobs.begin(); job != jobs.end();) {
        if (job->ends() > cluster.now) {
          ++job;
          continue;
        }
        of_jobs += job->end();
        job = jobs.erase(job);
      }
      const uint32_t what = cluster.random() % 6;
      if (what < 3 || jobs.empty()) {
        jobs.emplace_back(cluster, cluster.now + cluster.between(100, 2000));
      } else if (what < 5) {
        jobs.front().restart();
        ++restarts;
      } else {
        of_jobs += jobs.back().end();
        jobs.pop_back();
        ++cancelled;
      }
    }
    for (MeteredJob& job : jobs) of_jobs += job.end();
    CHECK(restarts + cancelled > 0);
    CHECK(of_jobs > cluster.total / 10);
    CHECK(std::abs(of_jobs + cluster.idle - cluster.total) < cluster.total / 100);
    // The jobs' part by itself, too.
    const double in_jobs = cluster.total - cluster.idle;
    CHECK(std::abs(of_jobs - in_jobs) < in_jobs / 100);
  }
}
