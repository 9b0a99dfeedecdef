// A connection that this rank opens to another one, without waiting: many can be opened at once,
// while this rank's own listener answers others.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/secret.h"
#include "nccl-tests/rank_handshake.h"

namespace slipway::bandwidth {

class RankDialer {
 public:
  struct Target {
    std::string address;  // dotted IPv4
    int port = 0;
    std::string name;  // for messages
  };

  // `key` and `purpose` as in connect_to_rank().
  RankDialer(Target target, const Secret& key, std::string purpose, const RankClaim& own);

  int fd() const { return socket_.get(); }
  short events() const;  // of poll(2), on which advance() has something to do

  // True when both sides have proven themselves. A rank that drops the connection may have too many
  // pending ones: it is called again. Throws Error if nothing listens there.
  bool advance();
  Fd take() { return std::move(socket_); }
  const Target& target() const { return target_; }

 private:
  void begin();
  bool read(size_t bytes);
  bool step();

  enum class Stage { connecting, greeting, confirmation, done };
  Target target_;
  Secret key_;
  std::string purpose_;
  RankClaim own_;
  Stage stage_ = Stage::connecting;
  Fd socket_;
  std::string greeting_, answer_, received_;
};

}  // namespace slipway::bandwidth
