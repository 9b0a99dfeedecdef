// Which ranks exchange data in recursive doubling, and what is known of the software below.
#include "nccl-tests/small_reduce.h"
#include "nccl-tests/small_gather.h"

#include <algorithm>
#include <bit>
#include <set>

#include "nccl-tests/software.h"
#include "nccl-tests/statistics.h"
#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

namespace {

Operation reduction_of(int64_t bytes) {
  Operation op;
  op.kind = Kind::all_reduce;
  op.type = {"float", 4, Element::float32};
  op.count = bytes / 4;
  return op;
}

}  // namespace

TEST_CASE("small reduce: small messages double, large ones go around") {
  CHECK(is_small_reduce(reduction_of(1024), 2));
  CHECK(is_small_reduce(reduction_of(1024), 100));
  CHECK_FALSE(is_small_reduce(reduction_of(1024), 1));
  CHECK_FALSE(is_small_reduce(reduction_of(1 << 20), 2));
  CHECK_FALSE(is_small_reduce(reduction_of(1 << 20), 100));
  Operation gather = reduction_of(1024);
  gather.kind = Kind::all_gather;
  CHECK_FALSE(is_small_reduce(gather, 2));
}

TEST_CASE("small reduce: every rank has a few partners, and each has it as a partner, too") {
  for (int size = 2; size <= 70; ++size) {
    for (int rank = 0; rank < size; ++rank) {
      const std::vector<int> partners = partners_of({rank, size});
      CHECK(partners.size() <= 7);
      for (const int partner : partners) {
        REQUIRE(partner >= 0);
        REQUIRE(partner < size);
        const std::vector<int> theirs = partners_of({partner, size});
        CHECK(std::ranges::find(theirs, rank) != theirs.end());
      }
    }
  }
}

TEST_CASE("small reduce: the data of every rank reaches every rank") {
  for (int size = 2; size <= 20; ++size) {
    std::vector<std::set<int>> have;
    for (int rank = 0; rank < size; ++rank) have.push_back({rank});
    // As many turns as there are ranks are enough to pass everything on.
    for (int turn = 0; turn < size; ++turn) {
      for (int rank = 0; rank < size; ++rank) {
        for (const int partner : partners_of({rank, size}))
          have[static_cast<size_t>(rank)].merge(std::set(have[static_cast<size_t>(partner)]));
      }
    }
    for (const auto& one : have) CHECK(one.size() == static_cast<size_t>(size));
  }
}

TEST_CASE("small gather: a rank exchanges data as often as the ranks double") {
  for (const int size : {2, 3, 64, 65, 512, 4096}) {
    const auto steps = static_cast<size_t>(std::bit_width(static_cast<unsigned>(size - 1)));
    for (const int rank : {0, 1, size / 2, size - 1}) {
      const std::vector<int> partners = gather_partners_of({rank, size});
      REQUIRE(partners.size() == 2 * steps);
      for (size_t i = 0; i < partners.size(); i += 2) {
        const std::vector<int> theirs = gather_partners_of({partners[i], size});
        CHECK(theirs[i + 1] == rank);  // who gets data in a step expects it in that step
      }
    }
  }
  Operation gather = reduction_of(8);
  gather.kind = Kind::all_gather;
  CHECK(is_small_gather(gather, 512));
  CHECK_FALSE(is_small_gather(gather, 1));
  CHECK_FALSE(is_small_gather(reduction_of(8), 512));
  gather.count = 1 << 20;
  CHECK_FALSE(is_small_gather(gather, 2));
}

TEST_CASE("software: the driver and the image are found in the kernel's and the system's words") {
  CHECK(driver_in("NVRM version: NVIDIA UNIX x86_64 Kernel Module  560.35.03  Fri Aug 16 21:39:15 "
                  "UTC 2024\nGCC version:  gcc version 12.2.0\n") == "560.35.03");
  CHECK(driver_in("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release "
                  "Build") == "570.86.15");
  CHECK(driver_in("").empty());
  CHECK(image_in("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n") ==
        "Debian GNU/Linux 12 (bookworm)");
  CHECK(image_in("ID=debian\nIMAGE_ID=slurm-a3\nIMAGE_VERSION=\"7\"\nPRETTY_NAME=x\n") ==
        "slurm-a3 7");
  CHECK(image_in("").empty());
}

TEST_CASE("software: nodes with different versions show") {
  const std::map<std::string, std::string> one = {{"driver", "550"}, {"kernel", "6.1"}};
  const std::map<std::string, std::string> other = {{"driver", "560"}, {"kernel", "6.1"}};
  const auto joined =
      joined_software({software_text(one), software_text(other), software_text(one), ""});
  CHECK(joined == std::map<std::string, std::string>{{"driver", "550, 560"}, {"kernel", "6.1"}});
}

TEST_CASE("statistics: the mean is beside the median") {
  const std::vector<double> values = {1, 2, 9};
  CHECK(describe(values).mean == Approx(4));
  CHECK(describe(values).median == 2);
}
