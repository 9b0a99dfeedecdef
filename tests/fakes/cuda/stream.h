// A stream: a queue of work and the thread that does it.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "tests/fakes/cuda/gpu.h"

namespace fake {

struct Stream {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work> queue;
  bool working = false;  // on what was at the front of the queue
  bool ending = false;   // ends when the queue is empty
  int error = ok;        // of the first work that failed: later work is not done
  std::shared_ptr<Graph> capture;
};

}  // namespace fake
