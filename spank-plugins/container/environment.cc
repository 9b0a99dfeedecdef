// The environment of a container's tasks.
#include "spank-plugins/container/environment.h"

#include <algorithm>
#include <cstdint>

#include "common/text.h"

namespace slipway::container {
namespace {

bool is_variable_name(std::string_view name) {
  const auto fits = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && std::ranges::all_of(name, fits) && !(name[0] >= '0' && name[0] <= '9');
}

std::string_view unquoted(std::string_view value) {
  const bool quoted = value.size() >= 2 && value.front() == value.back() &&
                      (value.front() == '"' || value.front() == '\'');
  return quoted ? value.substr(1, value.size() - 2) : value;
}

std::string value_of(const Environment& from, const std::string& name) {
  const auto found = from.find(name);
  return found == from.end() ? "" : found->second;
}

// The port that every node computes by itself: for a job's step 0, that of enroot's
// 50-slurm-pytorch. Steps that run at the same time must not have the same one. `stride` is about
// the golden section of the ports, so neighbors are far apart, and has no factor in common with
// their number: two steps of a job share a port only if their numbers differ by a multiple of it. A
// batch script has no number.
std::string master_port(const std::string& job_id, const std::string& step_id) {
  constexpr uint64_t first = 61000, count = 4536, stride = 2803;
  const auto job = to_number<uint32_t>(job_id);
  const uint64_t step = to_number<uint32_t>(step_id).value_or(count - 1);
  return job ? std::to_string((*job + step * stride) % count + first) : "";
}

}  // namespace

std::string substituted(std::string_view text, const Environment& from) {
  std::string result;
  for (;;) {
    const size_t begin = text.find("${"), end = text.find('}', begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    const std::string name(text.substr(begin + 2, end - begin - 2));
    result += text.substr(0, begin);
    if (is_variable_name(name)) {
      result += value_of(from, name);
    } else {
      result += text.substr(begin, end - begin + 1);
    }
    text.remove_prefix(end + 1);
  }
  return result.append(text);
}

Environment parse_environment(std::string_view text, const Environment& job) {
  Environment variables;
  for (const std::string& each : split(text, '\n')) {
    std::string_view line = each;
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("export ")) line.remove_prefix(7);
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || !is_variable_name(line.substr(0, equals))) continue;
    variables[std::string(line.substr(0, equals))] =
        substituted(unquoted(line.substr(equals + 1)), job);
  }
  return variables;
}

Environment merged(const Environment& job, const Environment& image,
                   const std::vector<std::string>& job_wins) {
  const auto wins = [&](const std::string& name) {
    return job.contains(name) && std::ranges::find(job_wins, name) != job_wins.end();
  };
  Environment task = job;
  for (const char* name : {"LANG", "LANGUAGE", "LC_ALL"}) {
    if (!wins(name)) task.erase(name);
  }
  for (const auto& [name, value] : image) {
    if (!wins(name)) task[name] = value;
  }
  return task;
}

Environment task_variables(const Environment& task) {
  Environment set;
  const auto number = [&](const char* name) {
    return to_number<unsigned>(value_of(task, name)).value_or(1);
  };
  const auto where_absent = [&](const char* name, const std::string& value) {
    if (!task.contains(name) && !value.empty()) set[name] = value;
  };
  const auto always = [&](const char* name, const char* from) {
    if (task.contains(from)) set[name] = value_of(task, from);
  };
  if (task.contains("PYTORCH_VERSION")) {
    always("RANK", "SLURM_PROCID");
    always("LOCAL_RANK", "SLURM_LOCALID");
    where_absent("MASTER_ADDR", first_host(value_of(task, "SLURM_STEP_NODELIST")));
    where_absent("MASTER_PORT",
                 master_port(value_of(task, "SLURM_JOB_ID"), value_of(task, "SLURM_STEP_ID")));
    where_absent("WORLD_SIZE", value_of(task, "SLURM_NTASKS"));
    if (number("SLURM_STEP_NUM_TASKS") > number("SLURM_STEP_NUM_NODES")) {
      where_absent("OMP_NUM_THREADS", "1");
    }
  }
  if (task.contains("PMIX_RANK")) {
    always("PMIX_MCA_psec", "PMIX_SECURITY_MODE");
    always("PMIX_MCA_gds", "PMIX_GDS_MODULE");
    always("PMIX_MCA_ptl", "PMIX_PTL_MODULE");
  }
  return set;
}

std::string with_library_folder(const std::string& value, const std::string& folder) {
  if (value.empty()) return folder;
  const std::vector<std::string> folders = split(value, ':');
  const bool named = std::ranges::find(folders, folder) != folders.end();
  return named ? value : value + ":" + folder;
}

std::string first_host(std::string_view nodes) {
  std::string host;
  while (!nodes.empty() && nodes[0] != ',') {
    if (nodes[0] != '[') {
      host += nodes[0];
      nodes.remove_prefix(1);
      continue;
    }
    const size_t close = nodes.find(']');
    host += nodes.substr(1, std::min(nodes.find_first_of("-,]"), close) - 1);
    if (close == std::string_view::npos) break;
    nodes.remove_prefix(close + 1);
  }
  return host;
}

}  // namespace slipway::container
