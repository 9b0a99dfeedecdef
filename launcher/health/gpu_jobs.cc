// Writes and removes the files that tell dcgm-exporter which job uses which GPU.
#include "launcher/health/gpu_jobs.h"

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::health {
namespace {

constexpr size_t largest_mapping = 4096;

}  // namespace

void map_gpus(const std::filesystem::path& folder, const std::string& job,
              const std::set<unsigned>& gpus) {
  make_directories(folder);
  for (const unsigned gpu : gpus) write_file(folder / std::to_string(gpu), job + "\n");
}

void unmap_gpus(const std::filesystem::path& folder, const std::string& job) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (trim(read_regular_file(entry.path(), largest_mapping)) == job) {
      std::filesystem::remove(entry.path(), error);
    }
  }
}

}  // namespace slipway::health
