// Runs the thread that writes.
#include "spank-plugins/nccl_profiler/recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "spank-plugins/nccl_profiler/dump_file.h"
#include "spank-plugins/nccl_profiler/system.h"

SLIPWAY_OLDEST(pthread_create);
SLIPWAY_OLDEST(pthread_join);
SLIPWAY_OLDEST(pthread_mutex_trylock);

namespace slipway::nccl_profiler {
namespace {

constexpr int64_t second = 1000000;  // in microseconds
constexpr int64_t shortest_interval = second / 100, longest_interval = 60 * second;
constexpr size_t write_bytes = size_t{64} << 10;
// At the end of the program: how long a file system that hangs may hold it up.
constexpr int64_t patience = 5 * second;

struct Recorder {
  Communicator communicators[most_communicators];
  std::atomic<bool> off{false}, forked{false};

  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // of what follows
  size_t used = 0;
  bool runs = false, guards_forks = false;
  pthread_t thread = {};

  // Of the thread while it runs.
  Log log = nullptr;
  int64_t interval = second;
  DumpFile file;
  std::atomic<bool> stops{false}, stopped{false};
  Signal wake, end;
};

// Never destroyed: threads of NCCL may call until the very end of the process.
union Forever {
  Recorder recorder;
  constexpr Forever() : recorder() {}
  ~Forever() {}
};
constinit Forever forever;
char written_text[write_bytes];  // of the thread, too

Recorder& recorder() {
  return forever.recorder;
}

void tell(int level, const char* format, const char* a, const char* b, const char* c) {
  if (recorder().log != nullptr) recorder().log(level, log_init, "slipway", 0, format, a, b, c);
}

void turn_off(const char* why, int error) {
  if (recorder().off.exchange(true)) return;
  char number[24];
  Text text(number, sizeof number - 1);
  text << error;
  number[text.size()] = '\0';
  tell(log_warn, "slipway: collectives are not recorded: %s %s (errno %s)", why,
       recorder().file.path(), number);
}

int64_t interval_from_environment() {
  const char* text = ::getenv("NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS");
  int64_t value = 0;
  for (; text != nullptr && *text >= '0' && *text <= '9' && value <= longest_interval; ++text)
    value = value * 10 + (*text - '0');
  if (value == 0) return second;
  return value < shortest_interval  ? shortest_interval
         : value > longest_interval ? longest_interval
                                    : value;
}

bool flush(Text& text, bool& open) {
  const char* why = nullptr;
  if (text.size() == 0) return true;
  if (!open) {
    open = recorder().file.open(why);
    if (!open) {
      turn_off(why, errno);
      return false;
    }
  }
  const bool written = recorder().file.write(text.data(), text.size(), why);
  if (!written) turn_off(why, errno);
  text.clear();
  return written;
}

void write_all() {
  Recorder& all = recorder();
  const int64_t now = microseconds_now();
  const Author& author = all.file.author();
  Text text(written_text, sizeof written_text);
  bool open = false, good = true;
  for (Communicator& each : all.communicators) {
    Taken taken;
    if (!each.take(now, all.interval, taken)) continue;
    for (size_t i = 0; good && i < taken.count; ++i) {
      if (text.room() < longest_line) good = flush(text, open);
      write_ended(text, author, now, taken.identity, taken.ended[i]);
    }
    for (size_t i = 0; good && i < taken.waiting_count; ++i) {
      if (text.room() < longest_line) good = flush(text, open);
      write_waiting(text, author, now, taken.identity, taken.waiting[i]);
    }
  }
  if (good) flush(text, open);
  all.file.close();
}

void* run(void*) {
  Recorder& all = recorder();
  int64_t next = microseconds_now() + all.interval;
  for (bool stops = false; !stops && !all.off;) {
    const uint32_t seen = all.wake.value();
    stops = all.stops;
    // A clock that was set back must not make it wait longer.
    int64_t left = next - microseconds_now();
    if (left > all.interval) left = all.interval;
    if (!stops && left > 0) {
      all.wake.wait(seen, left);
      if (all.wake.value() == seen && next > microseconds_now()) continue;
      stops = all.stops;
    }
    write_all();
    next = microseconds_now() + all.interval;
  }
  all.stopped = true;
  all.end.raise();
  return nullptr;
}

// The child has neither the thread nor, perhaps, consistent memory.
void in_child() {
  recorder().forked = true;
}

// The program's signals stay with the program's threads.
bool start_thread() {
  Recorder& all = recorder();
  sigset_t every, before;
  ::sigfillset(&every);
  ::sigprocmask(SIG_SETMASK, &every, &before);
  const int error = ::pthread_create(&all.thread, nullptr, run, nullptr);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) turn_off("cannot start a thread for", error);
  return error == 0;
}

bool start(Log log) {
  Recorder& all = recorder();
  all.log = log;
  all.stops = false;
  all.stopped = false;
  all.interval = interval_from_environment();
  const char* why = nullptr;
  if (!all.file.prepare(why)) {
    turn_off(why, errno);
    return false;
  }
  if (!all.guards_forks) all.guards_forks = ::pthread_atfork(nullptr, nullptr, in_child) == 0;
  all.runs = start_thread();
  if (all.runs)
    tell(log_info, "slipway: collectives are recorded in %s%s%s", all.file.path(), "", "");
  return all.runs;
}

void stop() {
  Recorder& all = recorder();
  all.runs = false;
  all.stops = true;
  all.wake.raise();
  ::pthread_join(all.thread, nullptr);
  for (Communicator& each : all.communicators) each.release();
}

bool lock_in_time(pthread_mutex_t& mutex) {
  for (int64_t waited = 0; waited < patience; waited += 1000) {
    if (::pthread_mutex_trylock(&mutex) == 0) return true;
    const timespec pause = {0, 1000000};
    ::nanosleep(&pause, nullptr);
  }
  return false;
}

// The program ends with communicators that it did not destroy: write what they have. If the file
// system hangs, leave the thread behind.
__attribute__((destructor)) void at_exit() {
  Recorder& all = recorder();
  if (all.forked || !lock_in_time(all.mutex)) return;
  if (all.runs) {
    all.stops = true;
    all.wake.raise();
    const int64_t until = microseconds_now() + patience;
    for (int64_t left = patience; !all.stopped && left > 0 && left <= patience;
         left = until - microseconds_now()) {
      const uint32_t seen = all.end.value();
      if (!all.stopped) all.end.wait(seen, left);
    }
    if (all.stopped) stop();
  }
  ::pthread_mutex_unlock(&all.mutex);
}

Communicator* take_free(const Identity& identity) {
  for (Communicator& each : recorder().communicators)
    if (each.begin(identity)) return &each;
  return nullptr;
}

}  // namespace

bool is_on() {
  const Recorder& all = recorder();
  return !all.off.load(std::memory_order_relaxed) && !all.forked.load(std::memory_order_relaxed);
}

Communicator* begin(const Identity& identity, Log log) {
  Recorder& all = recorder();
  if (!is_on()) return nullptr;
  const char* const wanted = ::getenv("NCCL_INSPECTOR_ENABLE");
  if (wanted != nullptr && strcmp(wanted, "0") == 0) return nullptr;
  const Locked lock(all.mutex);
  if (!all.runs && !start(log)) return nullptr;
  Communicator* const made = take_free(identity);
  if (made != nullptr) ++all.used;
  if (made == nullptr && all.used == 0) stop();
  return made;
}

void finish(Communicator* communicator) {
  Recorder& all = recorder();
  if (communicator == nullptr || all.forked) return;
  const Locked lock(all.mutex);
  communicator->finish();
  all.wake.raise();
  if (--all.used == 0 && all.runs) stop();
}

Communicator& communicator_at(size_t index) {
  return recorder().communicators[index];
}

size_t index_of(const Communicator* communicator) {
  return static_cast<size_t>(communicator - recorder().communicators);
}

}  // namespace slipway::nccl_profiler
