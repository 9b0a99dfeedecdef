#include "launcher/local/host_list.h"

#include "tests/unit/catch.h"

using slipway::local::host_list;

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
