// The tasks of one node: its agent starts them, reads them, and makes sure that they are gone.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "launcher/job/private_folder.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

struct TaskEnd {
  int64_t rank = 0;
  int code = 0;       // its exit status; 0 when a signal ended it
  int signal = 0;     // that ended it
  std::string words;  // what it said last: last_words.h
};

struct TaskOutput {
  int64_t rank = 0;
  int stream = 1;  // or 2
  std::string bytes;
};

struct TaskProgress {
  int64_t rank = 0;
  int64_t step = 0;
};

// A process of a task, its children included, that does not run as it should.
struct OddProcess {
  int64_t rank = 0;
  char state = 'T';  // of proc(5): T stopped, t traced, D in the kernel
  std::string text;  // "python3 (process 12) is stopped"
};

class NodeTasks {
 public:
  // Becomes the parent of whatever the tasks leave behind.
  NodeTasks();
  NodeTasks(const NodeTasks&) = delete;
  NodeTasks& operator=(const NodeTasks&) = delete;

  // `variables` are all that the task gets beside our own environment. A command that cannot be run
  // is a task that ends with 127 or 126, as in a shell.
  void start(int64_t rank, const std::vector<std::string>& command, const Variables& variables,
             const std::vector<std::string>& unset);

  // What to poll for reading; SIGCHLD is the caller's.
  std::vector<pollfd> descriptors() const;
  // What they have written since.
  std::vector<TaskOutput> read();
  // Who has ended since.
  std::vector<TaskEnd> reap();
  // Whose step has changed since.
  std::vector<TaskProgress> progress();
  std::vector<OddProcess> odd_processes() const;

  // A rank has given up, and is as good as ended, with `code`: how it ends is not returned any
  // more. None when it has ended before.
  std::optional<TaskEnd> give_up(int64_t rank, int code, const std::string& words);

  bool running() const;
  void signal(int number) const;

  // Ends all that the tasks have started, however it was detached: SIGTERM, SIGKILL after `grace`.
  // Returns the processes that are there still after `limit`: the kernel holds them. A process is
  // gone when its files are closed, so the memory of its GPUs is free then. Calls `meanwhile` every
  // few milliseconds. `others` are our own processes besides the tasks: they are left alone.
  std::vector<std::string> end_all(std::chrono::milliseconds grace, std::chrono::milliseconds limit,
                                   const std::function<void()>& meanwhile,
                                   const std::vector<pid_t>& others = {});
  // Forgets the tasks, which have ended.
  void forget() { tasks_.clear(); }

 private:
  struct Task {
    int64_t rank = 0;
    pid_t pid = 0;
    Fd out, err;
    std::string last_out, last_err;
    std::filesystem::path progress_file;
    std::filesystem::path error_file;  // of torch; empty when the program has one of its own
    int64_t step = -1;
    bool ended = false;
    int status = 0;
    bool told = false;  // its end has been returned
  };
  void reap_children();
  bool awaits_step() const;
  static std::string words_of(const Task& task);
  static void read_stream(Task& task, int stream, std::vector<TaskOutput>& into);

  PrivateFolder folder_{"slipway-launch"};
  Fd changes_;  // in the folder, until each task has told the step at which it resumes: it may be
                // at the next one soon
  std::vector<Task> tasks_;
};

}  // namespace slipway::job
