#include "launcher/job/checkpoint_theory.h"

#include <algorithm>

#include "tests/unit/catch.h"

using namespace slipway::job;

TEST_CASE("checkpoint theory: Young's interval is the root of twice the cost times the mean time") {
  CHECK(young_interval(2, 100) == Approx(20));
}

TEST_CASE("checkpoint theory: no interval near Daly's is better than it by his own measure") {
  for (double checkpoint : {0.5, 5.0, 30.0}) {
    const double between = 100;
    const double interval = daly_interval(checkpoint, between);
    const double goodput = daly_goodput(interval, checkpoint, 3, between);
    double best = 0;
    for (double other = 1; other < 300; other += 0.1) {
      best = std::max(best, daly_goodput(other, checkpoint, 3, between));
    }
    INFO(checkpoint);
    CHECK(goodput == Approx(best).epsilon(0.002));
    CHECK(goodput >= daly_goodput(young_interval(checkpoint, between), checkpoint, 3, between));
  }
}

TEST_CASE("checkpoint theory: a checkpoint that takes two mean times is written once a mean time") {
  CHECK(daly_interval(200, 100) == 100);
}

TEST_CASE("checkpoint theory: both goodputs agree where failures are rare") {
  CHECK(daly_goodput(60, 0.5, 5, 1e5) == Approx(first_order_goodput(60, 0.5, 5, 1e5)).margin(1e-6));
}

TEST_CASE("checkpoint theory: the first order ends at nothing") {
  CHECK(first_order_goodput(60, 1, 5, 20) == 0);
}
