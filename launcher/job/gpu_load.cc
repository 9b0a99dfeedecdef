// Reads how busy the GPUs of a node's ranks are.
#include "launcher/job/gpu_load.h"

#include <numeric>

#include "common/text.h"
#include "launcher/health/gpus.h"
#include "launcher/job/own_gpus.h"

namespace slipway::job {
namespace {

constexpr auto load_limit = std::chrono::seconds(3);

}  // namespace

GpuLoad::GpuLoad() : GpuLoad(health::read_gpu_utilization, load_limit) {}

GpuLoad::GpuLoad(Read read, std::chrono::milliseconds limit)
    : read_([read = std::move(read)](const health::Doing& doing) -> std::optional<std::string> {
        const auto percents = read(doing);
        if (!percents) return std::nullopt;
        std::vector<std::string> words;
        for (const unsigned percent : *percents) words.push_back(std::to_string(percent));
        return join(words, ",");
      }),
      limit_(limit) {}

void GpuLoad::begin() {
  if (!reading_ && !has_none_) reading_.emplace(read_, limit_);
}

std::vector<int64_t> GpuLoad::take() {
  std::vector<int64_t> percents;
  if (!reading_ || !reading_->over()) return percents;
  has_none_ = !reading_->taken();
  if (reading_->taken()) {
    for (const std::string& word : split(*reading_->taken(), ','))
      percents.push_back(to_number<int64_t>(word).value_or(0));
  }
  reading_.reset();
  return percents;
}

std::vector<pollfd> GpuLoad::descriptors() const {
  if (!reading_ || reading_->process() == nullptr) return {};
  return {{reading_->process()->fd(), POLLIN, 0}};
}

std::vector<pid_t> GpuLoad::processes() const {
  if (!reading_ || reading_->process() == nullptr) return {};
  return {reading_->process()->pid()};
}

std::vector<int64_t> load_of_tasks(const std::vector<int64_t>& gpus, std::string_view list,
                                   size_t tasks) {
  std::vector<int64_t> own;
  for (const size_t index : own_gpus(gpus.size(), list)) own.push_back(gpus[index]);
  if (tasks == 0 || own.empty() || own.size() % tasks != 0) return {};
  const size_t share = own.size() / tasks;
  std::vector<int64_t> loads;
  for (auto at = own.begin(); at != own.end(); at += static_cast<ptrdiff_t>(share)) {
    loads.push_back(std::accumulate(at, at + static_cast<ptrdiff_t>(share), int64_t{0}) /
                    static_cast<int64_t>(share));
  }
  return loads;
}

}  // namespace slipway::job
