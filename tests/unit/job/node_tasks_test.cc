#include "launcher/job/node_tasks.h"

#include <csignal>
#include <cstdlib>
#include <thread>

#include "common/host_name.h"
#include "launcher/job/processes.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job;
using namespace std::chrono_literals;

namespace {

struct Collected {
  std::vector<TaskEnd> ends;
  std::string out, err;
};

void read_all(NodeTasks& tasks, Collected& collected) {
  for (auto all = tasks.read(); !all.empty(); all = tasks.read()) {
    for (const TaskOutput& each : all)
      (each.stream == 1 ? collected.out : collected.err) += each.bytes;
  }
}

Collected run_to_end(NodeTasks& tasks) {
  Collected collected;
  for (;;) {
    tasks.notice_ends();
    read_all(tasks, collected);
    for (TaskEnd& end : tasks.reap()) collected.ends.push_back(std::move(end));
    if (!tasks.running()) return collected;
    std::this_thread::sleep_for(1ms);
  }
}

void start(NodeTasks& tasks, const std::string& script, const Variables& variables = {},
           const std::vector<std::string>& unset = {}) {
  tasks.start(3, {"sh", "-c", script}, variables, unset);
}

bool ends_all(NodeTasks& tasks) {
  return tasks.end_all(50ms, 10s, [] {}).empty();
}

}  // namespace

TEST_CASE("tasks: output, status and last output are returned") {
  NodeTasks tasks;
  start(tasks, "echo out; echo err >&2; exit 7");
  const Collected collected = run_to_end(tasks);
  CHECK(collected.out == "out\n");
  CHECK(collected.err == "err\n");
  REQUIRE(collected.ends.size() == 1);
  CHECK(collected.ends[0].rank == 3);
  CHECK(collected.ends[0].code == 7);
  CHECK(collected.ends[0].signal == 0);
}

TEST_CASE("tasks: a signal is distinguished from a status") {
  NodeTasks tasks;
  start(tasks, "kill -9 $$");
  const Collected collected = run_to_end(tasks);
  REQUIRE(collected.ends.size() == 1);
  CHECK(collected.ends[0].signal == SIGKILL);
  CHECK(collected.ends[0].code == 0);
}

TEST_CASE("tasks: a missing program ends as in a shell") {
  NodeTasks tasks;
  tasks.start(0, {"no-such-program"}, {}, {});
  const Collected collected = run_to_end(tasks);
  REQUIRE(collected.ends.size() == 1);
  CHECK(collected.ends[0].code == 127);
  CHECK(collected.err ==
        "slipway launch: cannot start no-such-program: No such file or directory\n");
}

TEST_CASE("tasks: variables are added to ours, and removed") {
  ::setenv("NODE_TASKS_TEST", "ours", 1);
  NodeTasks tasks;
  start(tasks, "echo $RANK $NODE_TASKS_TEST", {{"RANK", "5"}}, {"NODE_TASKS_TEST"});
  CHECK(run_to_end(tasks).out == "5\n");
}

TEST_CASE("tasks: the step is what the task last wrote to its file") {
  NodeTasks tasks;
  start(tasks, "echo 41 >$SLIPWAY_PROGRESS; echo 42 >$SLIPWAY_PROGRESS; echo done");
  CHECK(run_to_end(tasks).out == "done\n");
  const auto progress = tasks.progress();
  REQUIRE(progress.size() == 1);
  CHECK(progress[0].rank == 3);
  CHECK(progress[0].step == 42);
  CHECK(progress[0].saved == 0);
  CHECK(tasks.progress().empty());
}

TEST_CASE("tasks: the first step is reported at once, as the next one may come soon") {
  NodeTasks tasks;
  start(tasks, "sleep 0.1; echo 41 >$SLIPWAY_PROGRESS; exec sleep 1000");
  std::vector<pollfd> fds = tasks.descriptors();
  std::vector<TaskProgress> progress;
  while (progress.empty()) {
    REQUIRE(::poll(fds.data(), fds.size(), 10'000) > 0);
    progress = tasks.progress();
  }
  CHECK(progress[0].step == 41);
  CHECK(tasks.descriptors().size() == fds.size() - 1);
  CHECK(ends_all(tasks));
}

TEST_CASE("tasks: the last output covers both streams, and the error that torch left") {
  NodeTasks tasks;
  start(tasks,
        "echo '{\"message\": {\"message\": \"KeyError: 5\"}}' >$TORCHELASTIC_ERROR_FILE; "
        "echo warning; echo bye >&2; exit 3");
  const Collected collected = run_to_end(tasks);
  REQUIRE(collected.ends.size() == 1);
  CHECK(collected.ends[0].last_output ==
        "\x01warning\nbye\nTraceback (most recent call last):\nKeyError: 5\n");
  ::setenv("TORCHELASTIC_ERROR_FILE", "/tmp/ours", 1);
  NodeTasks others;
  start(others, "echo $TORCHELASTIC_ERROR_FILE");
  CHECK(run_to_end(others).out == "/tmp/ours\n");
  ::unsetenv("TORCHELASTIC_ERROR_FILE");
}

TEST_CASE("tasks: detached processes are ended too") {
  NodeTasks tasks;
  start(tasks, "trap '' TERM; (setsid sh -c 'trap \"\" TERM; sleep 1000' &) ; sleep 1000");
  while (descendants(::getpid()).size() < 4) std::this_thread::sleep_for(1ms);
  CHECK(ends_all(tasks));
  CHECK(descendants(::getpid()).empty());
}

TEST_CASE("tasks: a stopped process is noticed, and ended") {
  NodeTasks tasks;
  start(tasks, "kill -STOP $$");
  std::vector<OddProcess> odd;
  // Until then, it may be stuck in the kernel for a moment, loading a page of its program.
  while (odd.empty() || odd[0].state == 'D') odd = tasks.odd_processes();
  CHECK(odd[0].rank == 3);
  CHECK(odd[0].text.find("is stopped") != std::string::npos);
  CHECK(ends_all(tasks));
}

TEST_CASE("tasks: collectives are read from our folder, or where the user wants them") {
  const TemporaryDirectory folder;
  // As a plugin of NCCL writes them, see inspector_files.h; another host's process has our number.
  const std::string script = R"(
    mkdir -p "$NCCL_INSPECTOR_DUMP_DIR"
    for host in $(uname -n) other; do
      echo '{"header":{"id":"0x7f","rank":0,"n_ranks":2,"nnodes":2},"metadata":{},"coll_perf":{"coll":"AllReduce","coll_sn":'${#host}',"coll_exec_time_us":61}}' >"$NCCL_INSPECTOR_DUMP_DIR/$host-pid$$.log"
      [ -n "$SHARED" ] || break
    done
    echo "$NCCL_INSPECTOR_DUMP_DIR"
    sleep 60)";
  for (const std::string& own : {std::string(), std::string(folder / "dumps")}) {
    NodeTasks tasks;
    if (!own.empty()) ::setenv("NCCL_INSPECTOR_DUMP_DIR", own.c_str(), 1);
    start(tasks, script, {{"NCCL_INSPECTOR_ENABLE", "1"}, {"SHARED", own}});
    ::unsetenv("NCCL_INSPECTOR_DUMP_DIR");
    Collected collected;
    while (collected.out.empty()) read_all(tasks, collected);
    CHECK((collected.out == own + "\n") == !own.empty());
    tasks.samples();
    const auto seen = tasks.collectives();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].rank == 3);
    CHECK(seen[0].sequence == static_cast<int64_t>(own_host_name().size()));
    CHECK(ends_all(tasks));
  }
}

TEST_CASE("tasks: NCCL's RAS is where the tasks' variables say, if it is on") {
  for (const auto& [variables, address] :
       std::initializer_list<std::pair<Variables, std::optional<std::string>>>{
           {{}, ""},
           {{{"NCCL_RAS_ADDR", "localhost:29028"}, {"NCCL_RAS_ENABLE", "1"}}, "localhost:29028"},
           {{{"NCCL_RAS_ENABLE", "0"}}, std::nullopt}}) {
    NodeTasks tasks;
    CHECK(!tasks.ras_address());
    start(tasks, "sleep 60", variables);
    CHECK(tasks.ras_address() == address);
    CHECK(ends_all(tasks));
  }
}

TEST_CASE("node tasks: a task that gave up has ended with an error, and only once") {
  NodeTasks tasks;
  start(tasks, "sleep 0.1; exit 0");
  const auto end = tasks.give_up(3, 256, "called abort");
  REQUIRE(end);
  CHECK(end->rank == 3);
  CHECK(end->code == 1);
  CHECK(end->last_output == "called abort");
  CHECK_FALSE(tasks.give_up(3, 1, ""));
  CHECK(run_to_end(tasks).ends.empty());
}
