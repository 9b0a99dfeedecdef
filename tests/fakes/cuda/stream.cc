// Streams do their work in order, each on a thread of its own.
#include "tests/fakes/cuda/stream.h"

#include <algorithm>
#include <map>
#include <vector>

namespace fake {
namespace {

struct Streams {
  std::mutex mutex;
  std::vector<std::shared_ptr<Stream>> all;
  std::map<int, Stream*> own;  // the null stream of each device
};
Streams& streams() {
  static Streams* const only = new Streams;
  return *only;
}

void serve(const std::shared_ptr<Stream>& stream) {
  std::unique_lock lock(stream->mutex);
  for (;;) {
    stream->changed.wait(lock, [&] { return !stream->queue.empty() || stream->ending; });
    if (stream->queue.empty()) return;
    const Work work = std::move(stream->queue.front());
    stream->queue.pop_front();
    stream->working = true;
    const bool runs = stream->error == ok;
    lock.unlock();
    const int status = runs ? work() : int{ok};
    lock.lock();
    if (status != ok) stream->error = status;
    stream->working = false;
    stream->changed.notify_all();
  }
}

std::shared_ptr<Stream> find(Stream* stream) {
  const std::lock_guard lock(streams().mutex);
  for (const auto& one : streams().all) {
    if (one.get() == stream) return one;
  }
  return nullptr;
}

std::shared_ptr<Stream> find_or_own(Stream* stream) {
  if (stream != nullptr) return find(stream);
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  Stream*& own = streams().own[current_device()];
  if (own == nullptr) own = make_stream();
  return find(own);
}

}  // namespace

Stream* make_stream() {
  auto stream = std::make_shared<Stream>();
  {
    const std::lock_guard lock(streams().mutex);
    streams().all.push_back(stream);
  }
  std::thread([stream] { serve(stream); }).detach();
  return stream.get();
}

// As the real one, it does not wait for the work.
int destroy_stream(Stream* stream) {
  const auto found = find(stream);
  if (!found) return invalid_handle;
  {
    const std::lock_guard lock(found->mutex);
    found->ending = true;
    found->changed.notify_all();
  }
  const std::lock_guard lock(streams().mutex);
  std::erase(streams().all, found);
  return ok;
}

int enqueue(Stream* stream, Work work) {
  const auto found = find_or_own(stream);
  if (!found) return invalid_handle;
  const std::lock_guard lock(found->mutex);
  if (found->capture) {
    found->capture->push_back(std::move(work));
    return ok;
  }
  found->queue.push_back(std::move(work));
  found->changed.notify_all();
  return ok;
}

int query(Stream* stream) {
  const auto found = find_or_own(stream);
  if (!found) return invalid_handle;
  const std::lock_guard lock(found->mutex);
  if (found->capture) return capture_unsupported;
  if (found->error != ok) return found->error;
  return found->queue.empty() && !found->working ? ok : not_ready;
}

int synchronize(Stream* stream) {
  const auto found = find_or_own(stream);
  if (!found) return invalid_handle;
  std::unique_lock lock(found->mutex);
  if (found->capture) return capture_unsupported;
  found->changed.wait(
      lock, [&] { return found->error != ok || (found->queue.empty() && !found->working); });
  return found->error;
}

int begin_capture(Stream* stream) {
  const auto found = stream == nullptr ? nullptr : find(stream);
  if (!found) return capture_unsupported;  // the null stream cannot be captured
  const std::lock_guard lock(found->mutex);
  if (found->capture) return invalid_value;
  found->capture = std::make_shared<Graph>();
  return ok;
}

int end_capture(Stream* stream, std::shared_ptr<Graph>& graph) {
  const auto found = stream == nullptr ? nullptr : find(stream);
  if (!found) return invalid_handle;
  const std::lock_guard lock(found->mutex);
  if (!found->capture) return invalid_value;
  graph = std::move(found->capture);
  found->capture = nullptr;
  return ok;
}

}  // namespace fake
