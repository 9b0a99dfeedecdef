// A connection that this rank opens to another one, without waiting.
#include "nccl-tests/rank_dialer.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "common/error.h"
#include "common/tcp.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {

RankDialer::RankDialer(Target target, const Secret& key, std::string purpose, const RankClaim& own)
    : target_(std::move(target)), key_(key), purpose_(std::move(purpose)), own_(own) {
  begin();
}

void RankDialer::begin() {
  stage_ = Stage::connecting;
  received_.clear();
  socket_ = new_tcp_socket();
  const Addresses where = addresses_of(target_.address, target_.port);
  if (::connect(socket_.get(), where->ai_addr, where->ai_addrlen) == 0 || errno == EINPROGRESS)
    return;
  throw_errno(fmt::format("cannot connect to {}", target_.name));
}

short RankDialer::events() const {
  return stage_ == Stage::connecting ? POLLOUT : POLLIN;
}

// Whether `bytes` have arrived. Throws Error if the other side has closed the connection.
bool RankDialer::read(size_t bytes) {
  char some[greeting_bytes];
  while (received_.size() < bytes) {
    const size_t missing = std::min(sizeof some, bytes - received_.size());
    const ssize_t got = ::recv(socket_.get(), some, missing, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got <= 0) throw Error(fmt::format("{} closed the connection", target_.name));
    received_.append(some, static_cast<size_t>(got));
  }
  return true;
}

bool RankDialer::step() {
  if (stage_ == Stage::connecting) {
    const int failed = error_of(socket_.get());
    if (failed != 0 || is_connected_to_itself(socket_.get())) {
      const char* const why = failed != 0 ? std::strerror(failed) : "Connection refused";
      throw Refused(fmt::format("cannot connect to {}: {}", target_.name, why));
    }
    make_prompt(socket_.get());
    stage_ = Stage::greeting;
  }
  if (stage_ == Stage::greeting) {
    if (!read(greeting_bytes)) return false;
    greeting_ = std::exchange(received_, {});
    answer_ = make_answer(key_, purpose_, this_rank(), greeting_, claim_text(own_));
    send_all(socket_.get(), answer_.data(), answer_.size(), target_.name);
    stage_ = Stage::confirmation;
  }
  if (!read(confirmation_bytes)) return false;
  const auto listener = speaker_of(greeting_);
  if (!listener || !check_confirmation(key_, purpose_, greeting_, answer_, received_))
    throw Refused(fmt::format("{} belongs to another run", target_.name));
  require_same_protocol(*listener, target_.name);
  stage_ = Stage::done;
  return true;
}

bool RankDialer::advance() {
  try {
    return step();
  } catch (const Refused&) {
    throw;
  } catch (const Error&) {
    begin();
    return false;
  }
}

}  // namespace slipway::bandwidth
