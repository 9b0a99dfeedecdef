// Lets MPI tell the ranks of mpirun where rank 0 is, and which key they share.
#include "nccl-tests/mpi_rendezvous.h"

#define OMPI_SKIP_MPICXX 1  // only the C interface is used
#include <mpi.h>
#include <stdlib.h>

#include <string>

#include <fmt/core.h>

#include "common/error.h"
#include "common/interfaces.h"
#include "common/secret.h"
#include "nccl-tests/mpi_start.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

constexpr int least_port = 20000, last_port = 31999;  // as in launch.cc: below the ephemeral ports

// Every IPv4 address of this host, those that only this host reaches last.
std::string own_addresses() {
  std::string addresses;
  for (const Ipv4Interface& one : ipv4_interfaces()) {
    if (one.up && !one.loopback) addresses += one.address + ",";
  }
  return addresses + "127.0.0.1";
}

// Free now; another program could take it before rank 0 listens, and then rank 0 says so.
int free_port() {
  const Secret random = random_secret();
  unsigned start = 0;
  for (const auto byte : random) start = start * 31 + static_cast<unsigned char>(byte);
  constexpr int range = last_port - least_port + 1, tries = 50;
  for (int i = 0; i < tries; ++i) {
    const int port = least_port + static_cast<int>((start + static_cast<unsigned>(i)) % range);
    if (listen_on({port})) return port;
  }
  throw Error(fmt::format("no port from {} to {} is free", least_port, last_port));
}

}  // namespace

void meet_by_mpi() {
  start_mpi();
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::string place, key, failure;
  try {
    if (rank == 0) {
      place = fmt::format("{}:{}", own_addresses(), free_port());
      const char* const given = ::getenv(run_key_variable);
      key = given != nullptr && *given != '\0' ? given : to_hex(random_secret());
    }
  } catch (const Error& error) {
    failure = error.what();
  }
  for (std::string* text : {&place, &key, &failure}) {
    int bytes = static_cast<int>(text->size());
    MPI_Bcast(&bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    text->resize(static_cast<size_t>(bytes));
    MPI_Bcast(text->data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  if (!failure.empty()) throw Error(failure);
  ::setenv("SLIPWAY_RANK", std::to_string(rank).c_str(), 1);
  ::setenv("SLIPWAY_SIZE", std::to_string(size).c_str(), 1);
  ::setenv("SLIPWAY_RENDEZVOUS", place.c_str(), 1);
  ::setenv(run_key_variable, key.c_str(), 1);
}

}  // namespace slipway::bandwidth
