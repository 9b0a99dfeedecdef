// Tests which versions of providers definitions need.
#include "launcher/google/providers.h"

#include <nlohmann/json.hpp>

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::google;

namespace {

constexpr const char* table_of_providers = R"(
sources: {here: a test}
providers:
  google: {source: hashicorp/google, least: 6.9.0, below: 8.0.0, source_of: here}
since:
- {version: 6.19.0, of: [google_a.nic.kind=RDMA, google_b], source: here}
- {version: 6.10.0, of: [google_a.protocol], source: here}
- {version: 6.23.0, of: [google_a.secret_wo], terraform: 1.11.0, source: here}
)";

void write_providers(const TemporaryDirectory& folder, const char* text) {
  slipway::make_directories(folder / "catalogue");
  slipway::write_file(folder / "catalogue/providers.yaml", text);
}

}  // namespace

TEST_CASE("providers: a definition needs the version that knows what it uses") {
  const TemporaryDirectory folder;
  write_providers(folder, table_of_providers);
  const Providers table = load_providers(folder.path());
  const auto needed = [&](const char* type, const char* body) {
    return table.needed_by(type, Json::parse(body));
  };
  CHECK(needed("google_a", R"({"name": "x"})") == ProviderVersion{});
  CHECK(needed("google_a", R"({"protocol": "NFS"})") == ProviderVersion{6, 10, 0});
  CHECK(needed("google_a", R"({"nic": [{"kind": "A"}], "protocol": 1})") ==
        ProviderVersion{6, 10, 0});
  CHECK(needed("google_a", R"({"nic": [{"kind": "A"}, {"kind": "RDMA"}]})") ==
        ProviderVersion{6, 19, 0});
  CHECK(needed("google_b", "{}") == ProviderVersion{6, 19, 0});
  CHECK(table.required("google", {})["version"] == ">= 6.9.0, < 8.0.0");
  CHECK(table.required("google", {6, 19, 0})["version"] == ">= 6.19.0, < 8.0.0");
  CHECK(table.required("terraform", {}).is_null());
}

TEST_CASE("providers: what only a newer Terraform knows needs that") {
  const TemporaryDirectory folder;
  write_providers(folder, table_of_providers);
  const Providers table = load_providers(folder.path());
  CHECK(table.terraform_needed_by("google_a", {{"secret_wo", "x"}}) == ProviderVersion{1, 11, 0});
  CHECK(table.terraform_needed_by("google_a", {{"protocol", "NFS"}}) == ProviderVersion{});
}

TEST_CASE("providers: a version with letters is an error") {
  const TemporaryDirectory folder;
  write_providers(folder,
                  "sources: {}\nproviders: {}\nsince:\n- {version: 6.x.0, of: [t], source: s}\n");
  CHECK_THROWS(load_providers(folder.path()));
}
