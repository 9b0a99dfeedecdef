// Tests of the profiler plugin, which is loaded and called as NCCL does it.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <vector>

#include "common/file.h"
#include "common/text.h"
#include "tests/fakes/nccl/profiler.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace fake;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

constexpr int newest = 22809;
constexpr const char* shortest_interval = "10000";  // microseconds

// The plugin's thread warns, too.
std::mutex warning;
std::vector<std::string> warnings;

size_t count_warnings() {
  const std::lock_guard lock(warning);
  return warnings.size();
}

void keep_warnings(int level, unsigned long, const char*, int, const char* format, ...) {
  constexpr int warn_level = 2;
  if (level != warn_level) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const std::lock_guard lock(warning);
  warnings.emplace_back(text);
}

// A folder for the plugin's file, and the environment that names it.
class Dumps {
 public:
  Dumps() : path(folder_.path() / "job/nccl") {
    ::setenv("NCCL_INSPECTOR_DUMP_DIR", path.c_str(), 1);
    ::setenv("NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS", shortest_interval, 1);
    warnings.clear();
  }

  // All lines with "coll_perf", or those with "coll_pending".
  std::vector<json> lines(const std::string& kind) const {
    std::vector<json> all;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(path, missing)) {
      for (const std::string& line : slipway::split(slipway::read_file(entry.path()), '\n')) {
        if (line.empty()) continue;
        json body = json::parse(line);
        if (body.contains(kind)) all.push_back(std::move(body));
      }
    }
    return all;
  }

  bool come(const std::function<bool()>& done) const {
    for (int i = 0; i < 3000; ++i) {
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  TemporaryDirectory folder_;

 public:
  const fs::path path;
};

// A communicator under a plugin.
struct Watched {
  explicit Watched(int version = newest, ProfiledCommunicator of = {0xc28a, 2, 16, 3})
      : communicator(of), plugin(ProfilerPlugin::load(version, 0)) {
    context = plugin->init(communicator, keep_warnings);
  }

  void* start(const ProfiledCollective& collective) {
    void* const handle = plugin->start(context, communicator, collective);
    plugin->stop(handle);
    return handle;
  }

  void run(const ProfiledCollective& collective, uint64_t nanoseconds = 2000000) {
    void* const handle = start(collective);
    std::vector<void*> kernels;
    for (int i = 0; i < collective.channels; ++i)
      kernels.push_back(plugin->start_kernel(context, handle, i, 1000000 + 500U * unsigned(i)));
    for (void* const kernel : kernels) plugin->stop_kernel(kernel, 1000000 + nanoseconds);
  }

  void finalize() { plugin->finalize(context); }

  ProfiledCommunicator communicator;
  std::shared_ptr<ProfilerPlugin> plugin;
  void* context;
};

// The exit status of what a child of this process does; 1000 and the signal if one ends it.
int in_child(const std::function<void()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    act();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("nccl profiler: a collective becomes a line, in each version of the interface") {
  const auto [version, interface, source, ranks] = GENERATE(table<int, int, std::string, int>(
      {{22809, 5, "kernel_gpu", 16}, {22707, 4, "kernel_gpu", 16}, {22605, 3, "kernel_cpu", 0}}));
  const Dumps dumps;
  Watched watched(version);
  CHECK(watched.plugin->interface() == interface);
  CHECK(watched.plugin->mask() == (profiler::coll | profiler::kernel_ch));
  watched.run({"AllReduce", 7, 1 << 20, "ncclBfloat16", 0, 3});
  watched.finalize();
  const auto lines = dumps.lines("coll_perf");
  REQUIRE(lines.size() == 1);
  json line = lines[0];
  CHECK(line["header"] ==
        json{{"id", "0xc28a"}, {"rank", 3}, {"n_ranks", ranks}, {"nnodes", ranks == 0 ? 0 : 2}});
  CHECK(line["metadata"]["pid"] == ::getpid());
  CHECK(line["metadata"]["git_rev"] == "slipway");
  CHECK(line["metadata"]["inspector_output_format_version"] == "v4.0");
  json& seen = line["coll_perf"];
  CHECK(seen["coll"] == "AllReduce");
  CHECK(seen["coll_sn"] == 7);
  CHECK(seen["coll_msg_size_bytes"] == 2 << 20);
  CHECK(seen["coll_timing_source"] == source);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  CHECK(seen["coll_start_timestamp_us"].get<double>() / 1e6 ==
        Approx(std::chrono::duration<double>(now).count()).margin(60));
  if (interface == 3) return;
  CHECK(seen["coll_exec_time_us"] == 2000);
  CHECK(seen["coll_algobw_gbs"] == 1.048576);
  CHECK(seen["coll_busbw_gbs"] == 1.966080);
}

TEST_CASE("nccl profiler: it can be unloaded and loaded again, and its process lives on") {
  const Dumps dumps;
  CHECK(in_child([] {
          for (uint64_t round = 0; round < 3; ++round) {
            Watched watched;
            watched.run({"AllGather", round, 8});
            watched.finalize();
            const std::weak_ptr<ProfilerPlugin> last = watched.plugin;
            watched.plugin.reset();
            if (!last.expired()) ::_exit(1);
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
          }
        }) == 0);
  CHECK(dumps.lines("coll_perf").size() == 3);
}

TEST_CASE("nccl profiler: what hangs is in the file, the oldest and the newest, once each") {
  const Dumps dumps;
  Watched watched;
  watched.run({"AllReduce", 0, 8});
  std::vector<void*> kernels;
  for (uint64_t i = 1; i < 4; ++i) {
    void* const handle = watched.start({"AllReduce", i, 8});
    kernels.push_back(watched.plugin->start_kernel(watched.context, handle, 0, 1));
  }
  REQUIRE(dumps.come([&] { return dumps.lines("coll_pending").size() == 2; }));
  CHECK(dumps.lines("coll_perf").size() == 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto pending = dumps.lines("coll_pending");
  REQUIRE(pending.size() == 2);
  CHECK(pending[0]["coll_pending"]["coll_sn"] == 1);
  CHECK(pending[1]["coll_pending"]["coll_sn"] == 3);
  CHECK_FALSE(pending[0]["coll_pending"].contains("coll_exec_time_us"));
  for (void* const kernel : kernels) watched.plugin->stop_kernel(kernel, 2);
  watched.finalize();
  CHECK(dumps.lines("coll_perf").size() == 4);
}

TEST_CASE("nccl profiler: of many collectives, all ranks keep the same ones") {
  const Dumps dumps;
  constexpr int many = 60000;
  Watched one(newest, {1, 1, 2, 0}), other(newest, {1, 1, 2, 1});
  for (uint64_t i = 0; i < many; ++i) one.run({"AllReduce", i, 8});
  for (uint64_t i = 0; i < many; ++i) {
    other.run({"AllReduce", i, 8});
    if (i % 7000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(15));
  }
  one.finalize();
  other.finalize();
  std::set<int> kept[2];
  const auto lines = dumps.lines("coll_perf");
  for (const json& line : lines) {
    const int sequence = line["coll_perf"]["coll_sn"];
    CHECK(sequence % line["metadata"].value("sampled_every", 1) == 0);
    kept[line["header"]["rank"].get<int>()].insert(sequence);
  }
  CHECK(lines.size() < many);
  for (int i = 0; i < many; i += 256) {
    CAPTURE(i);
    CHECK(kept[0].contains(i));
    CHECK(kept[1].contains(i));
  }
}

TEST_CASE("nccl profiler: threads that make and destroy communicators lose nothing") {
  const Dumps dumps;
  constexpr int threads = 4, rounds = 8, each = 100;
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([thread] {
      for (int round = 0; round < rounds; ++round) {
        Watched watched(newest, {uint64_t(thread), 1, 4, round});
        std::thread kernels;
        for (uint64_t i = 0; i < each; ++i) {
          void* const handle = watched.start({"Broadcast", i, 8});
          if (kernels.joinable()) kernels.join();
          kernels = std::thread([&watched, handle] {
            void* const kernel = watched.plugin->start_kernel(watched.context, handle, 0, 1);
            watched.plugin->stop_kernel(kernel, 2);
          });
        }
        kernels.join();
        watched.finalize();
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  CHECK(dumps.lines("coll_perf").size() == threads * rounds * each);
}

TEST_CASE("nccl profiler: events that come too late harm nothing") {
  const Dumps dumps;
  Watched first;
  void* const handle = first.start({"Reduce", 0, 8});
  void* const kernel = first.plugin->start_kernel(first.context, handle, 0, 1);
  first.finalize();
  first.plugin->stop_kernel(kernel, 2);
  Watched second(newest, {2, 1, 2, 0});
  second.plugin->stop_kernel(kernel, 2);
  CHECK(second.plugin->start_kernel(second.context, nullptr, 0, 1) == nullptr);
  CHECK(second.plugin->start(nullptr, second.communicator, {}) == nullptr);
  second.finalize();
  CHECK(dumps.lines("coll_perf").empty());
}

TEST_CASE("nccl profiler: a program that ends without a word leaves its last collectives") {
  const Dumps dumps;
  ::setenv("NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS", "60000000", 1);
  CHECK(in_child([] {
          auto* const watched = new Watched;
          watched->run({"AllReduce", 1, 8});
          std::exit(7);
        }) == 7);
  CHECK(dumps.lines("coll_perf").size() == 1);
}

TEST_CASE("nccl profiler: a child of the process records nothing and ends as usual") {
  const Dumps dumps;
  Watched watched;
  watched.run({"AllReduce", 1, 8});
  CHECK(in_child([&] {
          watched.run({"AllReduce", 2, 8});
          watched.finalize();
          std::_Exit(5);
        }) == 5);
  watched.run({"AllReduce", 3, 8});
  watched.finalize();
  CHECK(dumps.lines("coll_perf").size() == 2);
}

TEST_CASE("nccl profiler: without a folder it is off, says so once, and NCCL goes on") {
  const Dumps dumps;
  fs::create_directories(dumps.path.parent_path());
  slipway::write_file(dumps.path, "a file in the way");
  Watched watched, second;
  CHECK(watched.plugin->mask() == 0);
  watched.run({"AllReduce", 1, 8});
  watched.finalize();
  second.finalize();
  REQUIRE(count_warnings() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("slipway: collectives are not recorded: cannot "));
}

TEST_CASE("nccl profiler: a file that cannot grow turns it off") {
  const Dumps dumps;
  CHECK(in_child([&] {
          ::signal(SIGXFSZ, SIG_IGN);
          const rlimit small = {4096, 4096};
          ::setrlimit(RLIMIT_FSIZE, &small);
          Watched watched;
          for (uint64_t i = 0; i < 100; ++i) watched.run({"AllReduce", i, 8});
          if (!dumps.come([&] { return count_warnings() > 0; })) ::_exit(1);
          if (watched.start({"AllReduce", 100, 8}) != nullptr) ::_exit(2);
          watched.finalize();
          if (count_warnings() != 1) ::_exit(3);
        }) == 0);
}

TEST_CASE("nccl profiler: a link in the place of its file is not followed") {
  const Dumps dumps;
  CHECK(in_child([&] {
          fs::create_directories(dumps.path);
          char host[65] = {};
          ::gethostname(host, sizeof host - 1);
          const std::string name = std::string(host) + "-pid" + std::to_string(::getpid()) + ".log";
          fs::create_symlink("/dev/full", dumps.path / name);
          Watched watched;
          watched.run({"AllReduce", 1, 8});
          watched.finalize();
          if (count_warnings() != 1) ::_exit(1);
        }) == 0);
}

TEST_CASE("nccl profiler: NCCL_INSPECTOR_ENABLE=0 turns it off") {
  const Dumps dumps;
  ::setenv("NCCL_INSPECTOR_ENABLE", "0", 1);
  Watched watched;
  CHECK(watched.start({"AllReduce", 1, 8}) == nullptr);
  ::unsetenv("NCCL_INSPECTOR_ENABLE");
  CHECK_FALSE(fs::exists(dumps.path));
}
