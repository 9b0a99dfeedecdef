// How this process was started: its rank, the number of ranks, and the address of rank 0.
#include "nccl-tests/launch.h"

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <optional>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/slurm_hosts.h"

namespace slipway::bandwidth {
namespace {

// Below the kernel's ephemeral ports (32768 and up), above those of common services.
constexpr int first_port = 20000, port_range = 12000, ports_to_try = 16;

std::string text_of(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::optional<int> number_in(const char* name) {
  const std::string text = text_of(name);
  if (text.empty()) return std::nullopt;
  const auto number = to_number<int>(text);
  if (!number || *number < 0) {
    throw Error(fmt::format("{} is `{}`, expected a number", name, text));
  }
  return number;
}

uint64_t token_from(const std::string& text) {
  uint64_t hash = 14695981039346656037U;  // FNV-1a, the same on every node
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

Launch from_own_variables() {
  const std::string place = text_of("SLIPWAY_RENDEZVOUS");
  const size_t colon = place.rfind(':');
  int port = 0;
  if (colon != std::string::npos) {
    port = to_number<int>(place.substr(colon + 1)).value_or(0);
  }
  if (port <= 0 || port > 65535) {
    throw Error(fmt::format("SLIPWAY_RENDEZVOUS is `{}`, expected HOST:PORT of rank 0", place));
  }
  return {.rank = number_in("SLIPWAY_RANK").value_or(0),
          .size = number_in("SLIPWAY_SIZE").value_or(1),
          .host = place.substr(0, colon),
          .ports = {port},
          .token = token_from(place)};
}

// The ports that Slurm reserved for the step (MpiParams=ports=…): "12000-12003".
std::vector<int> reserved_ports() {
  const std::string text = text_of("SLURM_STEP_RESV_PORTS");
  const int port = std::atoi(text.c_str());
  return port > 0 ? std::vector<int>{port} : std::vector<int>{};
}

Launch from_slurm() {
  Launch launch{.rank = number_in("SLURM_PROCID").value_or(0),
                .size = number_in("SLURM_STEP_NUM_TASKS").value_or(1),
                .host = first_host(text_of("SLURM_STEP_NODELIST")),
                .ports = {},
                .token = 0};
  // Two clusters on one network may have the same job and step ids.
  launch.token =
      token_from(fmt::format("{} {} {} {}", text_of("SLURM_CLUSTER_NAME"), text_of("SLURM_JOB_ID"),
                             text_of("SLURM_STEP_ID"), text_of("SLURM_STEP_NODELIST")));
  launch.ports = reserved_ports();
  if (launch.ports.empty()) launch.ports = ports_from(launch.token);
  if (launch.rank == 0) launch.hosts = hosts_of_step(launch.size);
  return launch;
}

Launch on_this_host(int rank, int size, uint64_t token) {
  return {
      .rank = rank, .size = size, .host = "127.0.0.1", .ports = ports_from(token), .token = token};
}

Launch from_mpirun() {
  if (mpirun_spans_hosts()) {
    throw Error(
        "mpirun does not say where rank 0 is; set SLIPWAY_RENDEZVOUS=HOST:PORT together with "
        "SLIPWAY_RANK and SLIPWAY_SIZE, or use srun");
  }
  return on_this_host(number_in("OMPI_COMM_WORLD_RANK").value_or(0),
                      number_in("OMPI_COMM_WORLD_SIZE").value_or(1),
                      token_from(text_of("PMIX_NAMESPACE")));
}

// MPICH's mpirun: all ranks of a host have the same parent.
Launch from_hydra() {
  const int size = number_in("PMI_SIZE").value_or(1);
  if (number_in("MPI_LOCALNRANKS").value_or(size) != size) {
    throw Error(
        "MPICH's mpirun does not say where rank 0 is; use srun, Open MPI's mpirun, or set "
        "SLIPWAY_RENDEZVOUS=HOST:PORT together with SLIPWAY_RANK and SLIPWAY_SIZE");
  }
  return on_this_host(number_in("PMI_RANK").value_or(0), size,
                      token_from(fmt::format("hydra {}", ::getppid())));
}

double read_start_seconds() {
  const std::string text = text_of(start_variable);
  if (text.empty()) return Launch().start_seconds;
  const auto seconds = to_number<double>(text);
  if (!seconds || !(*seconds >= 1 && *seconds <= 86400))
    throw Error(fmt::format("{} is `{}`, expected seconds, 1 to 86400", start_variable, text));
  return *seconds;
}

Launch as_started() {
  if (!text_of("SLIPWAY_RANK").empty()) return from_own_variables();
  // mpirun in a job starts its daemons with srun: Slurm's variables are theirs.
  if (!text_of("OMPI_COMM_WORLD_SIZE").empty()) return from_mpirun();
  if (!text_of("SLURM_STEP_NUM_TASKS").empty()) return from_slurm();
  if (const int tasks = number_in("SLURM_NTASKS").value_or(1); tasks > 1) {
    throw Error(
        fmt::format("Slurm started {} tasks, but this one cannot find the others, because it was "
                    "started without srun; use `srun`",
                    tasks));
  }
  if (number_in("PMI_SIZE").value_or(1) > 1) return from_hydra();
  return {};
}

}  // namespace

std::vector<int> ports_from(uint64_t token) {
  std::vector<int> ports;
  for (int i = 0; i < ports_to_try; ++i) {
    const uint64_t step =
        token + static_cast<uint64_t>(i) *
                    769;  // a prime, so that two runs do not try the same ports in step
    ports.push_back(first_port + static_cast<int>(step % port_range));
  }
  return ports;
}

std::string first_host(std::string_view host_list) {
  std::string host;
  bool inside = false, taken = false;  // inside a bracket; its first number is complete
  for (const char c : host_list) {
    if (c == '[') {
      inside = true;
      taken = false;
    } else if (c == ']') {
      inside = false;
    } else if (inside) {
      taken = taken || c == ',' || c == '-';
      if (!taken) host += c;
    } else if (c == ',') {
      break;
    } else {
      host += c;
    }
  }
  return host;
}

bool mpirun_spans_hosts() {
  const int size = number_in("OMPI_COMM_WORLD_SIZE").value_or(1);
  return number_in("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(size) != size;
}

Share read_share() {
  const std::string text = text_of(share_variable);
  if (text.empty()) return {};
  const std::vector<std::string> parts = split(text, '/');
  const int number = to_number<int>(parts.front()).value_or(-1);
  const int of = parts.size() == 2 ? to_number<int>(parts.back()).value_or(0) : 0;
  if (number < 0 || number >= of)
    throw Error(fmt::format("{} is `{}`, expected NUMBER/OF", share_variable, text));
  return {number, of};
}

Launch read_launch() {
  Launch launch = as_started();
  launch.start_seconds = read_start_seconds();
  launch.share = read_share();
  if (launch.share.of > 1) {
    if (launch.host.empty()) {  // one process was started, and its shares have it as their parent
      launch = on_this_host(0, 1, token_from(fmt::format("shares {}", ::getppid())));
      launch.start_seconds = read_start_seconds();
      launch.share = read_share();
    }
    launch.rank = launch.rank * launch.share.of + launch.share.number;
    launch.size *= launch.share.of;
    std::vector<std::string> hosts;
    for (const std::string& host : launch.hosts)
      hosts.insert(hosts.end(), static_cast<size_t>(launch.share.of), host);
    launch.hosts = std::move(hosts);
  }
  if (launch.rank >= launch.size) {
    throw WrongRank(fmt::format("this is rank {}, of {} ranks", launch.rank, launch.size));
  }
  return launch;
}

}  // namespace slipway::bandwidth
