// What is measured against: a plain loop over MPI_Allgather, as anybody would write it.
//
//   plain_all_gather BYTES ITERATIONS    prints the microseconds of one, over the mean of the ranks
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

using Buffer = std::unique_ptr<char, decltype(&std::free)>;

// At the beginning of a page, as all_gather_perf's: of others, the kernel copies at a third of the
// speed between processes.
static Buffer page_aligned(size_t bytes, int value) {
  constexpr size_t page = 4096;
  const size_t room = (bytes + page - 1) / page * page;
  Buffer buffer(static_cast<char*>(std::aligned_alloc(page, room)), &std::free);
  if (buffer) std::memset(buffer.get(), value, room);
  return buffer;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long bytes = argc > 2 ? std::atol(argv[1]) : 0,
             iterations = argc > 2 ? std::atol(argv[2]) : 0;
  if (bytes < ranks || iterations < 1) return 2;
  const int block = static_cast<int>(bytes / ranks);
  const Buffer send = page_aligned(static_cast<size_t>(block), 1);
  const Buffer receive = page_aligned(static_cast<size_t>(bytes), 2);
  if (!send || !receive) return 3;
  const auto once = [&] {
    MPI_Allgather(send.get(), block, MPI_BYTE, receive.get(), block, MPI_BYTE, MPI_COMM_WORLD);
  };
  once();
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (long i = 0; i < iterations; ++i) once();
  double us = (MPI_Wtime() - begin) / static_cast<double>(iterations) * 1e6;
  MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.3f\n", us / ranks);
  MPI_Finalize();
  return 0;
}
