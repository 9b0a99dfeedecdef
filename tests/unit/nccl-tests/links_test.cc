// Programs that do not belong to a run cannot disturb its ranks.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/core.h>

#include <atomic>

#include "common/error.h"
#include "common/pending_clients.h"
#include "common/tcp.h"
#include "nccl-tests/heartbeat.h"
#include "nccl-tests/mesh.h"
#include "nccl-tests/note_link.h"
#include "nccl-tests/rank_handshake.h"
#include "nccl-tests/run.h"
#include "nccl-tests/run_key.h"
#include "nccl-tests/socket.h"
#include "nccl-tests/tcp_backend.h"
#include "tests/unit/catch.h"
#include "tests/unit/flood.h"
#include "tests/unit/nccl-tests/free_port.h"
#include "tests/unit/nccl-tests/variable.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::bandwidth;
using namespace std::chrono_literals;

namespace {

Launch launch(int rank, int size, std::vector<int> ports) {
  return {.rank = rank, .size = size, .host = "127.0.0.1", .ports = std::move(ports), .token = 42};
}

// The seconds that `size` ranks take to connect at one of `ports`. Rank 0 starts first, then
// `between` runs.
template <class Between>
double seconds_to_meet(int size, const std::vector<int>& ports, Between between) {
  std::atomic<int> met = 0;
  double begin = 0;
  {
    std::vector<std::jthread> ranks;
    const auto start = [&](int rank) {
      ranks.emplace_back([&, rank] {
        try {
          const Mesh mesh(launch(rank, size, ports));
          ++met;
        } catch (const Error& error) {
          fmt::print(stderr, "{}\n", error.what());
        }
      });
    };
    start(0);
    between();
    begin = now_seconds();
    for (int rank = 1; rank < size; ++rank) start(rank);
  }
  REQUIRE(met == size);
  return now_seconds() - begin;
}

Fd connect_when_open(int port) {
  for (int i = 0; i < 2000; ++i) {
    try {
      return connect_to("127.0.0.1", port, 5);
    } catch (const Error&) {
      std::this_thread::sleep_for(5ms);
    }
  }
  return {};
}

// On which this process listens.
std::vector<int> listening_ports() {
  std::vector<std::string> own;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    own.push_back(std::filesystem::read_symlink(entry.path(), gone));
  }
  std::vector<int> ports;
  std::ifstream table("/proc/self/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string word, place, state, inode;
    words >> word >> place >> word >> state;
    for (int i = 0; i < 6; ++i) words >> inode;
    const bool ours = std::ranges::find(own, fmt::format("socket:[{}]", inode)) != own.end();
    if (state == "0A" && ours)
      ports.push_back(std::stoi(place.substr(place.find(':') + 1), nullptr, 16));
  }
  return ports;
}

void nothing() {}

}  // namespace

TEST_CASE("links: silent clients do not delay ranks") {
  const int port = free_port();
  std::vector<Fd> silent;
  const double seconds = seconds_to_meet(3, {port}, [&] {
    for (int i = 0; i < 50; ++i) silent.push_back(connect_when_open(port));
  });
  CHECK(seconds < 60);  // each of them took five
}

TEST_CASE("links: a silent listener on one of the ports does not delay ranks") {
  std::vector<Fd> silent;
  std::vector<int> ports;
  for (int i = 0; i < 8; ++i) {
    silent.push_back(listen_on({0}));
    ports.push_back(port_of(silent.back().get()));
  }
  ports.push_back(free_port());
  CHECK(seconds_to_meet(2, ports, nothing) < 30);  // each took five
}

TEST_CASE("links: 10,000 other clients keep no rank out") {
  raise_descriptor_limit();
  const double alone = seconds_to_meet(8, {free_port()}, nothing);
  const int port = free_port();
  const std::string recorded =
      make_answer(random_secret(), "slipway ranks", this_rank(), make_greeting(this_rank()), "1 1");
  std::optional<test::Flood> flood;
  std::vector<std::string> addresses = {"127.0.0.1", "127.0.0.2"};
  const double besieged = seconds_to_meet(8, {port}, [&] {
    connect_when_open(port);
    flood.emplace(port, addresses, recorded);
    for (int i = 0; i < 20'000 && flood->connections() < 10'000; ++i)
      std::this_thread::sleep_for(5ms);
  });
  INFO("alone " << alone << " s, among clients " << besieged << " s");
  CHECK(flood->connections() >= 10'000);
  CHECK(besieged < 20 * alone + 10);
}

TEST_CASE("links: a run with another key is another run") {
  const int port = free_port();
  const Variable mine(run_key_variable, std::string(64, 'a').c_str());
  std::jthread rank([&] {
    // A process has only one environment, so the test plays the other run.
    try {
      const Fd socket = connect_when_open(port);
      prove_to_listener(
          socket.get(), [](const auto&) { return random_secret(); }, envelope_bytes,
          fmt::format("slipway ranks {:016x}", 42), {1, 7}, now_seconds() + 5, "rank 0");
    } catch (const Error&) {
    }
  });
  CHECK_THROWS_WITH(Mesh(launch(0, 2, {port}), 0.5),
                    ContainsSubstring("1 of 2 ranks did not connect"));
}

TEST_CASE("links: a key in the environment is used, on all ranks or on none") {
  const Variable given(run_key_variable, std::string(64, '7').c_str());
  CHECK(RunKey(false).envelope().empty());
  CHECK(open_envelope("") == RunKey(false).secret());
  CHECK(seconds_to_meet(3, {free_port()}, nothing) < 30);
}

TEST_CASE(
    "links: without a key in the environment, a single host has it in memory until all connect") {
  const Variable none(run_key_variable, "");
  std::string envelope;
  {
    const RunKey key(true);
    envelope = key.envelope();
    REQUIRE(envelope.starts_with("memory:"));
    CHECK(open_envelope(envelope) == key.secret());
  }
  CHECK_THROWS_AS(open_envelope(envelope), Error);
  CHECK_THROWS_WITH(open_envelope(""),
                    "rank 0 has its key from SLIPWAY_RUN_KEY, which is not set on this rank");
}

TEST_CASE("links: the key of a killed rank 0 is gone") {
  const Variable none(run_key_variable, "");
  Pipe pipe = make_pipe();
  const pid_t rank = ::fork();
  if (rank == 0) {
    const RunKey key(true);
    (void)!::write(pipe.write.get(), key.envelope().data(), key.envelope().size());
    ::pause();
  }
  char bytes[envelope_bytes] = {};
  REQUIRE(::read(pipe.read.get(), bytes, sizeof bytes - 1) > 0);
  const std::string envelope = bytes;
  CHECK_NOTHROW(open_envelope(envelope));  // another process of the same user
  ::kill(rank, SIGKILL);
  ::waitpid(rank, nullptr, 0);
  CHECK_THROWS_WITH(open_envelope(envelope), ContainsSubstring("cannot read /proc/"));
}

TEST_CASE("links: a file that others can read is refused as a key") {
  const TemporaryDirectory folder;
  const std::string file = folder / "key";
  const auto error_of = [](const std::string& envelope) -> std::string {
    try {
      open_envelope(envelope);
    } catch (const Error& refused) {
      return refused.what();
    }
    return "";
  };
  const auto error_with = [&](const std::string& text, mode_t mode) {
    std::ofstream(file) << text;
    ::chmod(file.c_str(), mode);
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    return error_of(fmt::format("memory:{}/{}", ::getpid(), fd.get()));
  };
  CHECK_THAT(error_with(std::string(64, '0'), 0644),
             ContainsSubstring("is readable by others, or belongs to another user"));
  CHECK(error_with(std::string(64, '0'), 0600).empty());
  CHECK(error_with(std::string(65, '0'), 0600) == "rank 0 sent an envelope without a key");
  const Fd device(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  CHECK_THAT(error_of(fmt::format("memory:{}/{}", ::getpid(), device.get())),
             ContainsSubstring("is readable by others, or belongs to another user"));
  // A file name in the envelope is not opened.
  for (const char* place : {"/etc/passwd", "1/../../etc/passwd", "1", "x/1", ""})
    CHECK_THAT(error_of(fmt::format("memory:{}", place)), ContainsSubstring("it names no process"));
  CHECK_THAT(error_of("MUNGE:AwQFAAC:"), ContainsSubstring("munge"));
  CHECK_THAT(error_of("hello"), ContainsSubstring("it contains no key"));
  const Variable wrong(run_key_variable, "secret");
  CHECK(error_of("") == "SLIPWAY_RUN_KEY is not 64 hexadecimal digits");
}

TEST_CASE("links: only ranks of the run can send heartbeats") {
  const std::vector<int> ports = {free_port()};
  std::atomic<bool> beating = false, over = false;
  std::vector<std::jthread> ranks;
  for (const int rank : {0, 1}) {
    ranks.emplace_back([&, rank] {
      const auto backend = make_tcp_backend(launch(rank, 2, ports));
      Heartbeat heartbeat(*backend, {.program = "test", .status = 99});
      if (rank == 0) beating = true;
      while (!over) std::this_thread::sleep_for(5ms);
      backend->barrier();
    });
  }
  while (!beating) std::this_thread::sleep_for(5ms);
  // "rank 1 has failed", as rank 1 would report it.
  struct {
    int32_t word = 2, rank = 1;
    uint64_t operations = 0;
    char text[248] = "garbage";
  } const failed;
  std::vector<Fd> clients;
  for (const int port : listening_ports()) {
    clients.push_back(connect_to("127.0.0.1", port, 5));
    send_all(clients.back().get(), &failed, sizeof failed, "nobody");
  }
  CHECK_FALSE(clients.empty());
  std::this_thread::sleep_for(1s);  // if it had believed the message, this process would have ended
  over = true;
}

TEST_CASE("links: a rank of another version ends the run with a message, and not by a crash") {
  const std::vector<int> ports = {free_port()};
  const pid_t run = ::fork();
  if (run == 0) {
    std::jthread other([&] {
      const auto backend = make_tcp_backend(launch(1, 2, ports));
      const std::string place = backend->share("").front();
      on_all_ranks(*backend, [&] {
        const size_t space = place.find(' ');
        const Fd socket = connect_to("127.0.0.1", std::stoi(place.substr(0, space)), 5);
        std::string greeting(greeting_bytes, '\0');
        receive_within(socket.get(), greeting.data(), greeting.size(), now_seconds() + 5);
        const std::string answer =
            make_answer(*secret_from_hex(place.substr(space + 1)), "slipway heartbeat",
                        {rank_protocol + 1, "9.9"}, greeting, "1 0");
        send_all(socket.get(), answer.data(), answer.size(), "rank 0");
        std::this_thread::sleep_for(10s);
      });
    });
    const auto backend = make_tcp_backend(launch(0, 2, ports));
    const Heartbeat heartbeat(*backend, {.program = "test", .status = 99});
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(run, &status, 0) == run);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 99);
}

TEST_CASE("links: a rank that has left and whose process does not end is named") {
  const std::vector<int> ports = {free_port()};
  const Pipe errors = make_pipe();
  const pid_t run = ::fork();
  if (run == 0) {
    ::dup2(errors.write.get(), STDERR_FILENO);
    const Heartbeat::Settings settings{
        .program = "test", .status = 99, .silence_seconds = 2, .ending_seconds = 2};
    std::jthread other([&] {
      const auto backend = make_tcp_backend(launch(1, 2, ports));
      Heartbeat heartbeat(*backend, settings);
      heartbeat.leave();
      std::this_thread::sleep_for(60s);  // as a process that was stopped
    });
    const auto backend = make_tcp_backend(launch(0, 2, ports));
    Heartbeat heartbeat(*backend, settings);
    heartbeat.leave();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(run, &status, 0) == run);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 99);
  char text[1024] = {};
  REQUIRE(::read(errors.read.get(), text, sizeof text - 1) > 0);
  CHECK_THAT(text, ContainsSubstring("test: rank 1 on ") &&
                       ContainsSubstring("its last phase was: ending its process for "));
}

TEST_CASE("links: what a rank sent before it ended is read, even if it cannot be answered") {
  int ends[2] = {};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const Fd own(ends[0]);
  Fd others(ends[1]);
  NoteLink ending(others.get()), staying(own.get());
  for (const char* last : {"one", "two"}) ending.queue(std::make_shared<const std::string>(last));
  ending.send();
  others = Fd();
  staying.queue(std::make_shared<const std::string>("too late"));
  std::vector<std::string> read;
  CHECK_FALSE(staying.exchange([] { return true; },
                               [&](std::string note) { read.push_back(std::move(note)); }));
  CHECK(read == std::vector<std::string>{"one", "two"});
  CHECK_FALSE(staying.has_to_send());
}

TEST_CASE("links: notes that nobody wants now stay where they are") {
  int ends[2] = {};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const Fd own(ends[0]), others(ends[1]);
  NoteLink there(others.get()), here(own.get());
  for (const char* text : {"one", "two"}) there.queue(std::make_shared<const std::string>(text));
  there.send();
  std::vector<std::string> read;
  const auto take = [&](std::string note) { read.push_back(std::move(note)); };
  CHECK(here.exchange([&] { return read.empty(); }, take));
  CHECK(read == std::vector<std::string>{"one"});
  CHECK(here.exchange([] { return true; }, take));
  CHECK(read.back() == "two");
}
