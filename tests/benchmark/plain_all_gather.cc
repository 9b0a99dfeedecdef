// What is measured against: a plain loop over MPI_Allgather, as anybody would write it.
//
//   plain_all_gather BYTES ITERATIONS    prints the microseconds of one, over the mean of the ranks
#include <cstdio>
#include <cstdlib>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long bytes = argc > 2 ? std::atol(argv[1]) : 0, iterations = argc > 2 ? std::atol(argv[2]) : 0;
  if (bytes < ranks || iterations < 1) return 2;
  const int block = static_cast<int>(bytes / ranks);
  std::vector<char> send(static_cast<size_t>(block), 1), receive(static_cast<size_t>(bytes), 2);
  const auto once = [&] {
    MPI_Allgather(send.data(), block, MPI_BYTE, receive.data(), block, MPI_BYTE, MPI_COMM_WORLD);
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
