// Tests of when a job grows again.
#include "launcher/job/growth.h"

#include "tests/unit/catch.h"

using namespace slipway::job;
using namespace std::chrono_literals;

namespace {

constexpr Growth::Limits growth_limits = {600s, 20s, 3600s};
const Growth::Clock::time_point first_moment = Growth::Clock::time_point(100h);

}  // namespace

TEST_CASE("growth: a job grows at the first checkpoint after the wish, not before") {
  Growth growth(growth_limits);
  CHECK_FALSE(growth.is_due(2, 40, first_moment));
  growth.joined("a", first_moment);
  growth.joined("b", first_moment);
  CHECK_FALSE(growth.awaits_checkpoint());
  CHECK_FALSE(growth.is_due(2, 40, first_moment));
  CHECK(growth.awaits_checkpoint());
  CHECK_FALSE(growth.is_due(2, 40, first_moment + 50s));
  CHECK(growth.is_due(2, 50, first_moment + 51s));
  CHECK(growth.take(2) == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(growth.is_due(2, 60, first_moment + 60s));
}

TEST_CASE("growth: without any checkpoint, the first one counts, and nothing before it") {
  Growth growth(growth_limits);
  growth.joined("a", first_moment);
  CHECK_FALSE(growth.is_due(1, std::nullopt, first_moment));
  CHECK_FALSE(growth.is_due(1, std::nullopt, first_moment + 10h));
  CHECK(growth.is_due(1, 10, first_moment + 10h));
}

TEST_CASE("growth: a node waits for others, but not forever") {
  Growth growth(growth_limits);
  growth.joined("a", first_moment);
  CHECK_FALSE(growth.is_due(2, 40, first_moment + 19s));
  CHECK_FALSE(growth.awaits_checkpoint());
  CHECK_FALSE(growth.is_due(2, 40, first_moment + 20s));
  CHECK(growth.awaits_checkpoint());
  // Another one that joins starts the time again.
  growth.joined("b", first_moment + 21s);
  CHECK_FALSE(growth.is_due(3, 50, first_moment + 22s));
  CHECK_FALSE(growth.awaits_checkpoint());
}

TEST_CASE("growth: restarts are apart") {
  Growth growth(growth_limits);
  growth.grew(first_moment);
  growth.joined("a", first_moment + 1s);
  CHECK_FALSE(growth.is_due(1, 40, first_moment + 599s));
  CHECK_FALSE(growth.is_due(1, 50, first_moment + 599s));
  CHECK_FALSE(growth.is_due(1, 60, first_moment + 600s));
  CHECK(growth.is_due(1, 70, first_moment + 601s));
}

TEST_CASE("growth: a node that fails again soon does not join again") {
  Growth growth(growth_limits);
  growth.lost("a", first_moment);
  CHECK(growth.may_join("a"));
  growth.joined("a", first_moment + 60s);
  growth.lost("a", first_moment + 3600s);
  CHECK_FALSE(growth.may_join("a"));
  CHECK(growth.refused() == std::set<std::string>{"a"});
  growth.joined("b", first_moment);
  growth.lost("b", first_moment + 3600s);
  CHECK(growth.may_join("b"));
}

TEST_CASE("growth: a node with another version may not join") {
  Growth growth(growth_limits);
  growth.lost("a", first_moment);
  growth.refuse("a");
  CHECK_FALSE(growth.may_join("a"));
  CHECK(growth.refused() == std::set<std::string>{"a"});
}

TEST_CASE("growth: a node that is lost while it waits gets no place") {
  Growth growth(growth_limits);
  growth.joined("a", first_moment);
  growth.joined("b", first_moment);
  CHECK_FALSE(growth.is_due(2, 40, first_moment));
  growth.lost("a", first_moment + 1s);
  CHECK_FALSE(growth.is_due(2, 50, first_moment + 2s));
  CHECK(growth.waiting() == std::vector<std::string>{"b"});
}
