// The tasks of one node: the agent starts them, reads their output, and makes sure that they end.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "launcher/job/container_place.h"
#include "launcher/job/inspector_files.h"
#include "launcher/job/private_folder.h"
#include "launcher/job/rank_sample.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

struct TaskEnd {
  int64_t rank = 0;
  int code = 0;             // its exit status; 0 if a signal ended it
  int signal = 0;           // that ended it
  std::string last_output;  // condensed: last_output.h
};

struct TaskOutput {
  int64_t rank = 0;
  int stream = 1;  // or 2
  std::string bytes;
};

struct TaskProgress {
  int64_t rank = 0;
  int64_t step = 0;
  int64_t saved = 0;  // step_file.h
};

// A process of a task, or a descendant, that is stopped or stuck.
struct OddProcess {
  int64_t rank = 0;
  char state = 'T';  // from proc(5): T stopped, t traced, D stuck in the kernel
  std::string text;  // "python3 (process 12) is stopped"
};

class NodeTasks {
 public:
  // Makes this process the parent of any orphans that the tasks leave behind.
  NodeTasks();
  NodeTasks(const NodeTasks&) = delete;
  NodeTasks& operator=(const NodeTasks&) = delete;

  // Adds `variables` to our own environment, without `unset`. If the command cannot be run, the
  // task ends with 127 or 126, as in a shell. In a container, its environment takes the place of
  // ours.
  void start(int64_t rank, const std::vector<std::string>& command, const Variables& variables,
             const std::vector<std::string>& unset, const Container* container = nullptr);

  // File descriptors to poll for reading. The caller handles SIGCHLD.
  std::vector<pollfd> descriptors() const;
  // Output since the last call.
  std::vector<TaskOutput> read();
  // Counts as output of a rank what it printed by another way.
  void add_output(const TaskOutput& output);
  // Tasks that had ended at the last notice_ends(). Between the two calls, read what they wrote
  // before that, so that it is part of their last output.
  void notice_ends();
  std::vector<TaskEnd> reap();
  // Tasks whose step changed since the last call.
  std::vector<TaskProgress> progress();
  std::vector<OddProcess> odd_processes() const;
  // What the ranks that run do, and what NCCL's inspector has written about them since the last
  // call.
  std::vector<RankSample> samples();
  std::vector<RankCollective> collectives();
  UnreadLines take_unread() { return inspector_.take_unread(); }
  // Where NCCL's RAS service of the tasks listens, for ask_ras(); empty: nowhere.
  std::optional<std::string> ras_address() const;

  // A rank gave up, and counts as ended with `code`; reap() will not return it. Empty if it had
  // already ended.
  std::optional<TaskEnd> give_up(int64_t rank, int code, const std::string& words);

  bool running() const;
  void signal(int number) const;

  // Ends everything that the tasks started, however it was detached: SIGTERM, then SIGKILL after
  // `grace`. Returns the processes that remain after `limit`, held by the kernel. A process is gone
  // only once its files are closed, so its GPU memory is free by then. Calls `meanwhile` every few
  // milliseconds. Spares `others`, our own processes that are not tasks.
  std::vector<std::string> end_all(std::chrono::milliseconds grace, std::chrono::milliseconds limit,
                                   const std::function<void()>& meanwhile,
                                   const std::vector<pid_t>& others = {});
  // Forgets the tasks, all of which have ended.
  void forget() { tasks_.clear(); }

 private:
  struct Task {
    int64_t rank = 0;
    pid_t pid = 0;
    Fd out, err;
    std::string last_out, last_err;
    std::filesystem::path progress_file;
    std::filesystem::path error_file;  // for torch; empty if the user already set one
    int64_t step = -1, saved = 0, output_bytes = 0;
    bool ended = false;
    int status = 0;
    bool reported = false;  // its end has been returned
  };
  bool awaits_step() const;
  // Where NCCL's inspector writes, unless the user says where: too much for memory.
  std::filesystem::path inspector_folder();
  static std::string last_output_of(const Task& task);
  static void keep(Task& task, int stream, const std::string& bytes);
  static void read_stream(Task& task, int stream, std::vector<TaskOutput>& into);

  PrivateFolder folder_{"slipway-launch", lasting_folder()};
  std::optional<PrivateFolder> inspector_folder_;  // once a task uses it
  std::filesystem::path dump_folder_;              // this, or the user's; empty: nothing is written
  Fd changes_;  // watches the folder until each task has reported the step at which it resumed,
                // since the next step may follow soon
  std::vector<Task> tasks_;
  std::map<pid_t, int64_t> families_;  // ranks by their processes, as of the last samples()
  InspectorFiles inspector_;
  std::string ras_address_;  // of the last task that began; empty: NCCL's default
  bool has_ras_ = false;
};

}  // namespace slipway::job
