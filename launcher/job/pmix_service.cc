// The PMIx server process of a node.
#include "launcher/job/pmix_service.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "common/error.h"
#include "common/text.h"
#include "common/wire.h"
#include "launcher/job/pmix_job.h"
#include "launcher/job/pmix_library.h"
#include "launcher/job/protocol.h"

namespace slipway::job {
namespace {

using Bytes = std::string;

// Longest abort message kept; libpmix sets no bound.
constexpr size_t longest_text = 4096;
// The same for what ranks print through us.
constexpr size_t longest_log = 65536;

Bytes to_bytes(const char* data, size_t size) {
  return data == nullptr ? Bytes() : Bytes(data, size);
}

// A callback that takes data: libpmix tells us when it no longer needs the data.
struct Waiting {
  pmix_modex_cbfunc_t function = nullptr;
  void* data = nullptr;

  void answer(pmix_status_t status, const Bytes& bytes) const {
    if (bytes.empty()) return function(status, nullptr, 0, data, nullptr, nullptr);
    auto* kept = new Bytes(bytes);
    function(
        status, kept->data(), kept->size(), data,
        [](void* mine) { delete static_cast<Bytes*>(mine); }, kept);
  }
};

struct Release {
  pmix_op_cbfunc_t function = nullptr;
  void* data = nullptr;
};

// libpmix calls us on its own thread. Those callbacks only take notes and never wait; the main
// thread does everything else.
class Server {
 public:
  Server(int socket, const std::filesystem::path& folder, const std::string& node)
      : wire_(Fd(::dup(socket)), longest_message), news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!news_) throw_errno("eventfd");
    folder_ = folder;
    the_server = this;
    begin(node);
  }

  ~Server() {
    if (!job_.name.empty()) pmix_.deregister_nspace(name_space().nspace, nullptr, nullptr);
    pmix_.server_finalize();
  }

  void run() {
    for (;;) {
      std::array<pollfd, 2> fds = {
          {{wire_.fd(), static_cast<short>(wire_.unsent() > 0 ? POLLIN | POLLOUT : POLLIN), 0},
           {news_.get(), POLLIN, 0}}};
      ::poll(fds.data(), fds.size(), -1);
      send();
      if (!wire_.receive()) return;
      while (const auto message = wire_.next()) {
        std::visit([this](const auto& each) { handle(each); }, decode<ToPmixServer>(*message));
      }
    }
  }

 private:
  void begin(const std::string& node) {
    static pmix_server_module_t module = {};
    module.client_connected = [](const pmix_proc_t*, void*, pmix_op_cbfunc_t, void*) {
      return PMIX_OPERATION_SUCCEEDED;
    };
    module.client_finalized = module.client_connected;
    module.abort = on_abort;
    module.fence_nb = on_fence;
    module.direct_modex = on_modex;
    module.log = on_log;  // without it, libpmix drops what ranks log
    // libpmix removes the files of killed ranks, but only if the host offers job control.
    module.job_control = [](const pmix_proc_t*, const pmix_proc_t*, size_t, const pmix_info_t*,
                            size_t, pmix_info_cbfunc_t,
                            void*) -> pmix_status_t { return PMIX_ERR_NOT_SUPPORTED; };
    PmixInfos infos(pmix_);
    infos.text(PMIX_SERVER_TMPDIR, folder_);
    infos.text(PMIX_SYSTEM_TMPDIR, folder_);
    if (!node.empty()) infos.text(PMIX_HOSTNAME, node);
    pmix_.check(pmix_.server_init(&module, infos.infos(), infos.size()), "PMIx_server_init");
  }

  bool has_rank(pmix_rank_t rank) const { return static_cast<int64_t>(rank) < job_.size(); }
  pmix_proc_t name_space() const { return pmix_process(job_.name, PMIX_RANK_WILDCARD); }

  // --- on libpmix's thread

  static pmix_status_t on_abort(const pmix_proc_t* process, void*, int status, const char* text,
                                pmix_proc_t*, size_t, pmix_op_cbfunc_t function, void* data) {
    const std::lock_guard lock(the_server->mutex_);
    the_server->aborts_[process->rank] = {function, data};
    std::string words = text == nullptr ? "" : text;
    if (words.size() > longest_text) words.resize(longest_text);
    return the_server->note(PmixAbort{process->rank, status, std::move(words)});
  }

  // The main thread releases the rank: libpmix holds a lock here that its function takes.
  static void on_log(const pmix_proc_t* process, const pmix_info_t* entries, size_t count,
                     const pmix_info_t*, size_t, pmix_op_cbfunc_t function, void* data) {
    const std::lock_guard lock(the_server->mutex_);
    the_server->logged_.push_back({function, data});
    PmixLog log{process->rank, 0, ""};
    for (const pmix_info_t& entry : std::span(entries, count)) {
      if (std::string_view(entry.key) == PMIX_LOG_STDERR)
        log.stream = 2;
      else if (std::string_view(entry.key) == PMIX_LOG_STDOUT)
        log.stream = 1;
      else
        continue;
      if (entry.value.type != PMIX_STRING || entry.value.data.string == nullptr) continue;
      log.text = std::string(entry.value.data.string).substr(0, longest_log);
      the_server->note(log);
    }
    the_server->wake();
  }

  static pmix_status_t on_fence(const pmix_proc_t* processes, size_t count, const pmix_info_t*,
                                size_t, char* data, size_t size, pmix_modex_cbfunc_t function,
                                void* of_function) {
    Bytes bytes = to_bytes(data, size <= most_pmix_bytes ? size : 0);
    // The standard does not say who owns `data`, so it leaks, once per MPI_Init in a server's life.
    if (size > most_pmix_bytes) return PMIX_ERR_OUT_OF_RESOURCE;
    std::vector<int64_t> ranks;
    for (size_t i = 0; i < count; ++i) {
      if (the_server->job_.name != processes[i].nspace) return PMIX_ERR_NOT_SUPPORTED;
      if (processes[i].rank == PMIX_RANK_WILDCARD) {
        ranks.clear();
        break;
      }
      if (!the_server->has_rank(processes[i].rank)) return PMIX_ERR_NOT_SUPPORTED;
      ranks.push_back(processes[i].rank);
    }
    std::ranges::sort(ranks);
    if (static_cast<int64_t>(ranks.size()) == the_server->job_.size()) ranks.clear();
    const std::lock_guard lock(the_server->mutex_);
    the_server->fences_[ranks].push_back({function, of_function});
    return the_server->note(PmixFence{ranks, std::move(bytes)});
  }

  static pmix_status_t on_modex(const pmix_proc_t* process, const pmix_info_t*, size_t,
                                pmix_modex_cbfunc_t function, void* of_function) {
    if (the_server->job_.name != process->nspace || !the_server->has_rank(process->rank))
      return PMIX_ERR_NOT_SUPPORTED;
    const std::lock_guard lock(the_server->mutex_);
    const int64_t ask = the_server->asked_++;
    the_server->asks_[ask] = {function, of_function};
    return the_server->note(PmixWant{process->rank, ask});
  }

  // Call with the mutex held.
  template <class News>
  pmix_status_t note(News news) {
    to_send_.emplace_back(std::move(news));
    return wake();
  }

  // Wakes the main thread.
  pmix_status_t wake() const {
    const uint64_t one = 1;
    return ::write(news_.get(), &one, sizeof one) == sizeof one ? PMIX_SUCCESS : PMIX_ERROR;
  }

  // --- on the main thread

  void send() {
    std::vector<FromPmixServer> messages;
    std::vector<Release> logged;
    {
      const std::lock_guard lock(mutex_);
      uint64_t count = 0;
      if (::read(news_.get(), &count, sizeof count) > 0) {
        messages.swap(to_send_);
        logged.swap(logged_);
      }
    }
    for (const FromPmixServer& each : messages) wire_.put(encode(each));
    wire_.flush();
    for (const Release& each : logged) each.function(PMIX_SUCCESS, each.data);
  }

  void handle(const PmixWorld& world) {
    job_ = {world.name, world.nodes, world.node, world.tasks_per_node, folder_};
    register_job(pmix_, job_);
    wire_.put(encode(PmixReady{variables_of_ranks(pmix_, job_)}));
  }

  // Removes the entry before calling it: libpmix may call us from there.
  void handle(const PmixFenced& fenced) {
    Waiting waiting;
    {
      const std::lock_guard lock(mutex_);
      const auto found = fences_.find(fenced.ranks);
      if (found == fences_.end()) return;
      waiting = found->second.front();
      found->second.erase(found->second.begin());
      if (found->second.empty()) fences_.erase(found);
    }
    waiting.answer(static_cast<pmix_status_t>(fenced.status), fenced.bytes);
  }

  // libpmix answers, on its own thread, once the rank has published its data.
  void handle(const PmixGet& get) {
    const pmix_proc_t process = pmix_process(job_.name, static_cast<pmix_rank_t>(get.rank));
    auto* question = new PmixGet(get);
    const auto answer = [](pmix_status_t status, char* data, size_t size, void* mine) {
      const std::unique_ptr<PmixGet> asked(static_cast<PmixGet*>(mine));
      const std::lock_guard lock(the_server->mutex_);
      const bool fits = size <= most_pmix_bytes;
      the_server->note(PmixHave{asked->node, asked->ask, fits ? status : PMIX_ERROR,
                                to_bytes(data, fits ? size : 0)});
    };
    const pmix_status_t status = pmix_.dmodex_request(&process, answer, question);
    if (status != PMIX_SUCCESS) answer(status, nullptr, 0, question);
  }

  void handle(const PmixGot& got) {
    Waiting waiting;
    {
      const std::lock_guard lock(mutex_);
      const auto found = asks_.find(got.ask);
      if (found == asks_.end()) return;
      waiting = found->second;
      asks_.erase(found);
    }
    waiting.answer(static_cast<pmix_status_t>(got.status), got.bytes);
  }

  void handle(const PmixRelease& of) {
    Release release;
    {
      const std::lock_guard lock(mutex_);
      release = aborts_[of.rank];
      aborts_.erase(of.rank);
    }
    if (release.function != nullptr) release.function(PMIX_SUCCESS, release.data);
  }

  static Server* the_server;  // libpmix passes no context to its callbacks

  PmixLibrary pmix_;
  Wire wire_;
  Fd news_;
  std::filesystem::path folder_;
  PmixJob job_;  // set before any rank can call us
  std::mutex mutex_;
  std::vector<FromPmixServer> to_send_;
  std::map<std::vector<int64_t>, std::vector<Waiting>> fences_;
  std::map<int64_t, Waiting> asks_;
  std::map<int64_t, Release> aborts_;  // by rank
  std::vector<Release> logged_;
  int64_t asked_ = 0;
};

Server* Server::the_server = nullptr;

// Removes variables from an outer step (srun --mpi=pmix), which would make libpmix take us for one
// of its clients. Keeps the user's settings for libpmix's components (PMIX_MCA_…).
void forget_other_servers() {
  std::vector<std::string> names;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string entry = *each;
    if (entry.starts_with("PMIX_") && !entry.starts_with("PMIX_MCA_"))
      names.push_back(entry.substr(0, entry.find('=')));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

}  // namespace

void run_pmix_server(int socket, const std::filesystem::path& folder, const std::string& node) {
  ::prctl(PR_SET_NAME, "slipway-pmix");
  forget_other_servers();
  try {
    Server(socket, folder, node).run();
  } catch (const std::exception& error) {
    // The agent reads this when it needs the server.
    Wire(Fd(socket), 0).put(encode(PmixNone{error.what()}));
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  ::_exit(0);
}

}  // namespace slipway::job
