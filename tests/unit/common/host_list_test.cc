#include "common/host_list.h"

#include "tests/unit/catch.h"

using slipway::expand_host_list;
using slipway::host_list;

TEST_CASE("host list: consecutive numbers are a range") {
  CHECK(host_list({"a-0", "a-2", "a-1", "b"}) == "a-[0-2],b");
  CHECK(host_list({"a-9", "a-10", "a-12"}) == "a-[9-10,12]");
  CHECK(host_list({"a-5"}) == "a-5");
  CHECK(host_list({}) == "");
}

TEST_CASE("host list: leading zeros are part of the name") {
  CHECK(host_list({"l-001", "l-002", "l-1"}) == "l-1,l-[001-002]");
}

TEST_CASE("host list: an overlong number is part of the name") {
  CHECK(host_list({"a12345678901"}) == "a12345678901");
}

TEST_CASE("host list: up to eight names are written out in a sentence") {
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) names.push_back("a-" + std::to_string(i));
  CHECK(slipway::names_of_nodes({"b", "a-3"}) == "b, a-3");
  CHECK(slipway::names_of_nodes(names) == "a-0, a-1, a-2, a-3, a-4, a-5, a-6, a-7");
  names.push_back("a-8");
  CHECK(slipway::names_of_nodes(names) == "a-[0-8]");
}

TEST_CASE("host list: one is expanded as Slurm does, and nothing else is one") {
  using Hosts = std::vector<std::string>;
  CHECK(expand_host_list("a", 9) == Hosts{"a"});
  CHECK(expand_host_list("n[098-101,7]b,c", 9) ==
        Hosts{"n098b", "n099b", "n100b", "n101b", "n7b", "c"});
  CHECK(expand_host_list("r[1-2]n[4,6]", 9) == Hosts{"r1n4", "r1n6", "r2n4", "r2n6"});
  for (const char* wrong : {"", "a[1-", "a]", "a[]", "a[2-1]", "a[[1]]", "a,,b", "a[x]", "a[1-10]",
                            "a[1-4][1-4]", "a[1-18446744073709551615]"})
    CHECK(expand_host_list(wrong, 9).empty());
}
