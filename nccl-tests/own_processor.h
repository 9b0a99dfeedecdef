// Ranks of one host on processors of their own.
//
// Linux wakes a process up on the processor of the one that sent it data. Two ranks that wait for
// each other then share a processor while another one is idle, and take turns: twice as slow for a
// kibibyte (docs/background/bandwidth-measurements.md). So a rank that has slept goes back to its
// own place. It is not bound: Linux may move it on from there.
#pragma once

#include <sched.h>

#include <cstdint>
#include <optional>

namespace slipway::bandwidth {

// The processors that this thread may use.
cpu_set_t allowed_processors();

// The one for rank `index` of `ranks` on this host: as many different ones as there are ranks.
// `token` is the run's (launch.h): runs that share a host begin at different processors. Nothing if
// there are more ranks than processors.
std::optional<int> own_processor(const cpu_set_t& allowed, int index, int ranks, uint64_t token);

// Moves this thread to a processor, and lets Linux move it again. Does nothing if that fails.
void go_to(int processor, const cpu_set_t& allowed);

}  // namespace slipway::bandwidth
