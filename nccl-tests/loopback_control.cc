// A control for a bandwidth test: what this machine moves over its own loopback interface.
#include "nccl-tests/loopback_control.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "common/median.h"
#include "common/tcp.h"
#include "nccl-tests/flow.h"
#include "nccl-tests/socket.h"
#include "nccl-tests/statistics.h"

namespace slipway::bandwidth {
namespace {

// Odd, so that the median is one of them: enough for a disturbed round at each end not to matter to
// the interval of the median, which then is from the second lowest to the second highest.
constexpr int control_rounds = 9;

constexpr double loopback_seconds = 10;

// The next connection at `listener` that comes from port `port` of this host. Others are dropped:
// any process may connect to a listening port.
Fd accept_from(const Fd& listener, int port) {
  for (;;) {
    sockaddr_in peer{};
    socklen_t length = sizeof peer;
    Fd socket(::accept4(listener.get(), reinterpret_cast<sockaddr*>(&peer), &length,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) throw_errno("cannot accept a connection over the loopback interface");
    const bool is_local = peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
    if (is_local && ntohs(peer.sin_port) == port) return socket;
  }
}

}  // namespace

Loopback::Loopback() {
  const Fd listener = listen_on({0});
  if (!listener) throw_errno("cannot listen on the loopback interface");
  from_ = connect_to("127.0.0.1", port_of(listener.get()), loopback_seconds);
  to_ = accept_from(listener, port_of(from_.get()));
  make_prompt(to_.get());
}

double Loopback::move(const Buffers& buffers, int64_t bytes) {
  const std::span<std::byte> from = buffers.send(), to = buffers.receive();
  const auto at_once = static_cast<int64_t>(std::min(from.size(), to.size()));
  const double begin = now_seconds();
  for (int64_t left = at_once > 0 ? bytes : 0; left > 0; left -= at_once) {
    const int64_t now = std::min(left, at_once);
    exchange({{.socket = from_.get(), .data = from.data(), .bytes = now}},
             {{.socket = to_.get(), .data = to.data(), .bytes = now}});
  }
  return now_seconds() - begin;
}

ControlledRun run_with_control(Backend& backend, const Case& which, int64_t requested_bytes,
                               const Buffers& buffers, const Timing& timing) {
  Loopback loopback;
  const Shape shape =
      which.collective->shape(requested_bytes, which.datatype.bytes, backend.size());
  const double bytes = static_cast<double>(shape.size_bytes) *
                       which.collective->algbw_factor(backend.size()) *
                       which.collective->busbw_factor(backend.size());
  ControlledRun result{.size_bytes = shape.size_bytes, .rounds = control_rounds};
  std::vector<double> tests, controls, ratios;
  for (int round = 0; round < control_rounds; ++round) {
    double seconds[] = {take_one(backend, which, shape, buffers, timing), 0};
    backend.barrier();
    seconds[1] = loopback.move(buffers, static_cast<int64_t>(bytes));
    backend.combine(Combine::max, seconds);
    tests.push_back(bytes / 1e9 / seconds[0]);
    controls.push_back(bytes / 1e9 / seconds[1]);
    ratios.push_back(seconds[1] / seconds[0]);
  }
  result.busbw_gb_per_s = median(tests);
  result.control_gb_per_s = median(controls);
  result.ratio = median(ratios);
  result.ratio_interval = describe(ratios).interval;
  return result;
}

}  // namespace slipway::bandwidth
