// A node's PMIx server, from its agent's side.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/wire.h"
#include "launcher/job/private_folder.h"
#include "launcher/job/protocol.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

// Each server serves one attempt, so that nothing remains of an earlier one. It starts before it is
// needed, and the next one while an attempt runs, because libpmix is slow to start. A node without
// libpmix has no server; that is an error only for jobs that request PMIx.
class PmixNode {
 public:
  using Clock = std::chrono::steady_clock;

  PmixNode(bool wanted, std::string node);
  ~PmixNode();
  PmixNode(const PmixNode&) = delete;
  PmixNode& operator=(const PmixNode&) = delete;

  void begin(const PmixWorld& attempt);
  // Whether tasks can start: their variables are known, or there will be none.
  bool settled();
  Variables variables(size_t local_rank) const;
  // Ends the attempt's server, and starts the next.
  void end();

  // Never waits. Returns the server's messages for others, and PmixNone if the server is lost.
  // Throws Error on an invalid message.
  std::vector<FromPmixServer> receive();
  void send(const ToPmixServer& message);

  std::vector<pollfd> descriptors() const;
  std::vector<pid_t> processes();  // child processes, which end by themselves

 private:
  struct Server {
    pid_t pid = 0;
    std::unique_ptr<PrivateFolder> folder;
    std::unique_ptr<Wire> wire;    // null: the server is ending
    Clock::time_point since = {};  // when the agent closed its wire
  };
  std::optional<Server> new_server();
  void end_server(std::optional<Server>& server);
  void reap_ending();
  void take(FromPmixServer message, std::vector<FromPmixServer>& news);
  static bool has_ended(const Server& server);

  bool wanted_;
  std::string node_;
  std::optional<Server> server_, next_;
  std::vector<Server> ending_;
  Clock::time_point begun_;  // when the attempt began
  std::string missing_;      // why there is no server
  bool used_ = false;        // by an attempt
  bool ready_ = false, reported_ = false;
  std::vector<Variables> variables_;
};

}  // namespace slipway::job
