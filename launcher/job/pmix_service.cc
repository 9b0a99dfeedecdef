// The PMIx server of a node.
#include "launcher/job/pmix_service.h"

#include <fmt/format.h>
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

#include "common/error.h"
#include "common/text.h"
#include "launcher/job/pmix_exchange.h"
#include "launcher/job/pmix_job.h"
#include "launcher/job/pmix_library.h"
#include "launcher/job/wire.h"

namespace slipway::job {
namespace {

using Bytes = Message::binary_t;

Message to_bytes(const char* data, size_t size) {
  Bytes::container_type bytes;
  if (data != nullptr) bytes.assign(data, data + size);
  return Message::binary(std::move(bytes));
}

// Called back with data: libpmix says when it needs them no more.
struct Waiting {
  pmix_modex_cbfunc_t function = nullptr;
  void* data = nullptr;

  void answer(pmix_status_t status, const Bytes& bytes) const {
    if (bytes.empty()) return function(status, nullptr, 0, data, nullptr, nullptr);
    auto* kept = new Bytes(bytes);
    function(
        status, reinterpret_cast<const char*>(kept->data()), kept->size(), data,
        [](void* mine) { delete static_cast<Bytes*>(mine); }, kept);
  }
};

struct Release {
  pmix_op_cbfunc_t function = nullptr;
  void* data = nullptr;
};

// libpmix calls us on its own thread. There things are only noted, and nothing of ours waits for
// anything; all else is done by the main thread.
class Server {
 public:
  Server(int socket, const std::filesystem::path& folder, const std::string& node)
      : wire_(Fd(::dup(socket)), most_pmix_bytes * 2),
        news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
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
      while (const auto message = wire_.next()) hear(*message);
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
    // Files that a killed rank leaves behind are libpmix's to remove, but it does not begin to
    // without a host that could do other things to jobs.
    module.job_control = [](const pmix_proc_t*, const pmix_proc_t*, size_t, const pmix_info_t*,
                            size_t, pmix_info_cbfunc_t,
                            void*) -> pmix_status_t { return PMIX_ERR_NOT_SUPPORTED; };
    PmixInfos infos(pmix_);
    infos.text(PMIX_SERVER_TMPDIR, folder_);
    infos.text(PMIX_SYSTEM_TMPDIR, folder_);
    if (!node.empty()) infos.text(PMIX_HOSTNAME, node);
    pmix_.check(pmix_.server_init(&module, infos.infos(), infos.size()), "PMIx_server_init");
  }

  pmix_proc_t name_space() const { return pmix_process(job_.name, PMIX_RANK_WILDCARD); }

  // --- on libpmix's thread

  static pmix_status_t on_abort(const pmix_proc_t* process, void*, int status, const char* text,
                                pmix_proc_t*, size_t, pmix_op_cbfunc_t function, void* data) {
    const std::lock_guard lock(the_server->mutex_);
    the_server->aborts_[process->rank] = {function, data};
    return the_server->note({{"what", "abort"},
                             {"rank", process->rank},
                             {"status", status},
                             {"text", text == nullptr ? "" : text}});
  }

  static pmix_status_t on_fence(const pmix_proc_t* processes, size_t count, const pmix_info_t*,
                                size_t, char* data, size_t size, pmix_modex_cbfunc_t function,
                                void* of_function) {
    const Message bytes = to_bytes(data, size);
    // Nobody says whose `data` is now. It stays, once for each MPI_Init of a server's life.
    if (size > most_pmix_bytes) return PMIX_ERR_OUT_OF_RESOURCE;
    std::vector<int64_t> ranks;
    for (size_t i = 0; i < count; ++i) {
      if (the_server->job_.name != processes[i].nspace) return PMIX_ERR_NOT_SUPPORTED;
      if (processes[i].rank == PMIX_RANK_WILDCARD) {
        ranks.clear();
        break;
      }
      ranks.push_back(processes[i].rank);
    }
    std::ranges::sort(ranks);
    if (static_cast<int64_t>(ranks.size()) == the_server->job_.size()) ranks.clear();
    const std::lock_guard lock(the_server->mutex_);
    the_server->fences_[ranks].push_back({function, of_function});
    return the_server->note({{"what", "fence"}, {"ranks", ranks}, {"bytes", bytes}});
  }

  static pmix_status_t on_modex(const pmix_proc_t* process, const pmix_info_t*, size_t,
                                pmix_modex_cbfunc_t function, void* of_function) {
    if (the_server->job_.name != process->nspace) return PMIX_ERR_NOT_SUPPORTED;
    const std::lock_guard lock(the_server->mutex_);
    const int64_t ask = the_server->asked_++;
    the_server->asks_[ask] = {function, of_function};
    return the_server->note({{"what", "want"}, {"rank", process->rank}, {"ask", ask}});
  }

  // The mutex is held.
  pmix_status_t note(Message message) {
    to_send_.push_back(std::move(message));
    const uint64_t one = 1;
    return ::write(news_.get(), &one, sizeof one) == sizeof one ? PMIX_SUCCESS : PMIX_ERROR;
  }

  // --- on the main thread

  void send() {
    std::vector<Message> messages;
    {
      const std::lock_guard lock(mutex_);
      uint64_t count = 0;
      if (::read(news_.get(), &count, sizeof count) > 0) messages.swap(to_send_);
    }
    for (const Message& each : messages) wire_.put(each);
    wire_.flush();
  }

  void hear(const Message& message) {
    const std::string what = message.at("what");
    if (what == "attempt") begin_attempt(message);
    if (what == "fenced") end_fence(message);
    if (what == "get") give(message);
    if (what == "got") take(message);
    if (what == "release") release(message.at("rank"));
  }

  void begin_attempt(const Message& message) {
    job_ = {message.at("name"), message.at("nodes"), message.at("node"),
            message.at("tasks_per_node"), folder_};
    register_job(pmix_, job_);
    Message set = Message::array();
    for (const auto& each : variables_of_ranks(pmix_, job_)) set.push_back(each);
    wire_.put({{"what", "ready"}, {"set", set}});
  }

  // Taken out before it is called: libpmix may call us from there.
  void end_fence(const Message& message) {
    Waiting waiting;
    {
      const std::lock_guard lock(mutex_);
      const auto found = fences_.find(message.at("ranks").get<std::vector<int64_t>>());
      if (found == fences_.end()) return;
      waiting = found->second.front();
      found->second.erase(found->second.begin());
      if (found->second.empty()) fences_.erase(found);
    }
    waiting.answer(message.at("status"), message.at("bytes").get_binary());
  }

  struct Question {
    Message ask, node;
  };

  // Answered when the rank has told it, on libpmix's thread.
  void give(const Message& message) {
    const pmix_proc_t process = pmix_process(job_.name, message.at("rank"));
    auto* question = new Question{message.at("ask"), message.at("node")};
    const auto answer = [](pmix_status_t status, char* data, size_t size, void* mine) {
      const std::unique_ptr<Question> asked(static_cast<Question*>(mine));
      const std::lock_guard lock(the_server->mutex_);
      the_server->note({{"what", "have"},
                        {"ask", asked->ask},
                        {"node", asked->node},
                        {"status", status},
                        {"bytes", to_bytes(data, size)}});
    };
    const pmix_status_t status = pmix_.dmodex_request(&process, answer, question);
    if (status != PMIX_SUCCESS) answer(status, nullptr, 0, question);
  }

  void take(const Message& message) {
    Waiting waiting;
    {
      const std::lock_guard lock(mutex_);
      const auto found = asks_.find(message.at("ask"));
      if (found == asks_.end()) return;
      waiting = found->second;
      asks_.erase(found);
    }
    waiting.answer(message.at("status"), message.at("bytes").get_binary());
  }

  void release(int64_t rank) {
    Release release;
    {
      const std::lock_guard lock(mutex_);
      release = aborts_[rank];
      aborts_.erase(rank);
    }
    if (release.function != nullptr) release.function(PMIX_SUCCESS, release.data);
  }

  static Server* the_server;  // libpmix keeps nothing of ours for its callbacks

  PmixLibrary pmix_;
  Wire wire_;
  Fd news_;
  std::filesystem::path folder_;
  PmixJob job_;  // set before there is a rank that could call us
  std::mutex mutex_;
  std::vector<Message> to_send_;
  std::map<std::vector<int64_t>, std::vector<Waiting>> fences_;
  std::map<int64_t, Waiting> asks_;
  std::map<int64_t, Release> aborts_;  // by rank
  int64_t asked_ = 0;
};

Server* Server::the_server = nullptr;

// What a launcher within a step of others may have: libpmix would take us for one of its clients.
// Settings of its parts (PMIX_MCA_…) are the user's.
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

void be_pmix_server(int socket, const std::filesystem::path& folder, const std::string& node) {
  ::prctl(PR_SET_NAME, "slipway-pmix");
  forget_other_servers();
  try {
    Server(socket, folder, node).run();
  } catch (const std::exception& error) {
    // The agent reads it when it needs us.
    Wire(Fd(socket), 0).put({{"what", "none"}, {"text", error.what()}});
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  ::_exit(0);
}

}  // namespace slipway::job
