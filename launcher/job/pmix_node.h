// A node's PMIx server, as its agent has it.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/private_folder.h"
#include "launcher/job/protocol.h"
#include "launcher/job/rendezvous.h"
#include "launcher/job/wire.h"

namespace slipway::job {

// One server serves one attempt, so that nothing of an earlier one remains. It starts before it is
// needed, and the next one while an attempt runs, because libpmix is slow to start. A node without
// libpmix has no server; that is an error only for jobs that ask for PMIx.
class PmixNode {
 public:
  using Clock = std::chrono::steady_clock;

  PmixNode(bool wanted, std::string node);
  ~PmixNode();
  PmixNode(const PmixNode&) = delete;
  PmixNode& operator=(const PmixNode&) = delete;

  void begin(const PmixWorld& attempt);
  // Whether tasks can be started: their variables are known, or will never be.
  bool settled();
  Variables variables(size_t local_rank) const;
  // Ends the attempt's server, and begins the next.
  void end();

  // Never waits. Returns the server's messages that are for others, and PmixNone when the server is
  // lost. Throws Error on an invalid message.
  std::vector<FromPmixServer> hear();
  void tell(const ToPmixServer& message);

  std::vector<pollfd> descriptors() const;
  std::vector<pid_t> processes();  // ours, that end by themselves

 private:
  struct Server {
    pid_t pid = 0;
    std::unique_ptr<PrivateFolder> folder;
    std::unique_ptr<Wire> wire;    // null: it has been told to end
    Clock::time_point since = {};  // when it was told
  };
  std::optional<Server> new_server();
  void end_server(std::optional<Server>& server);
  void look_after_ending();
  void take(FromPmixServer message, std::vector<FromPmixServer>& news);
  static bool has_ended(const Server& server);

  bool wanted_;
  std::string node_;
  std::optional<Server> server_, next_;
  std::vector<Server> ending_;
  Clock::time_point begun_;  // the attempt
  std::string missing_;      // why there is no server
  bool used_ = false;        // by an attempt
  bool ready_ = false, told_ = false;
  std::vector<Variables> variables_;
};

}  // namespace slipway::job
