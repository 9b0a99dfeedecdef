// Tests the library's own rules about what Terraform replaces, against what the provider's source
// says.
#include "launcher/apply/replacement_rules.h"

#include <nlohmann/json.hpp>

#include "tests/unit/catch.h"

using namespace slipway::apply;
using Json = nlohmann::ordered_json;

namespace {

// Whether the library says that Terraform replaces a resource whose definition changes so.
bool replaces(const char* type, const char* before, const char* after) {
  static const ReplacementRules rules = load_replacement_rules(TEST_SOURCE_ROOT "/blueprints");
  return !rules.at(type).because_of(Json::parse(before), Json::parse(after), {}).empty();
}

}  // namespace

TEST_CASE("replacement rules: messages and their schema") {
  CHECK(!replaces("google_pubsub_schema", R"({"type": "AVRO"})",
                  R"({"type": "PROTOCOL_BUFFER", "definition": "x"})"));
  CHECK(replaces("google_pubsub_schema", R"({"name": "a"})", R"({"name": "b"})"));
  CHECK(!replaces("google_pubsub_topic", R"({"kms_key_name": "a"})", "{}"));
  CHECK(replaces("google_pubsub_subscription", R"({"filter": "a"})", R"({"filter": "b"})"));
  CHECK(!replaces("google_pubsub_subscription", R"({"ack_deadline_seconds": 10})", "{}"));
}

TEST_CASE("replacement rules: a table's partitions are by the same column") {
  const char* by_start = R"({"time_partitioning": {"type": "DAY", "field": "start"}})";
  CHECK(!replaces("google_bigquery_table", by_start,
                  R"({"time_partitioning": {"type": "HOUR", "field": "start"}})"));
  CHECK(replaces("google_bigquery_table", by_start,
                 R"({"time_partitioning": {"type": "DAY", "field": "end"}})"));
  CHECK(!replaces("google_bigquery_table",
                  R"({"range_partitioning": {"field": "n", "range": {"end": 10}}})",
                  R"({"range_partitioning": {"field": "n", "range": {"end": 20}}})"));
  CHECK(replaces("google_bigquery_table", "{}",
                 R"({"encryption_configuration": {"kms_key_name": "k"}})"));
  CHECK(replaces("google_bigquery_dataset", R"({"location": "US"})", R"({"location": "EU"})"));
}

TEST_CASE("replacement rules: a record keeps its zone and its name, not its type") {
  CHECK(!replaces("google_dns_record_set", R"({"type": "A", "ttl": 5})", R"({"type": "CNAME"})"));
  CHECK(replaces("google_dns_record_set", R"({"routing_policy": {"health_check": "a"}})",
                 R"({"routing_policy": {"health_check": "b"}})"));
  CHECK(replaces("google_dns_managed_zone", R"({"visibility": "public"})",
                 R"({"visibility": "private"})"));
}
