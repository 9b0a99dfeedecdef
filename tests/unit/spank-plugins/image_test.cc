#include "spank-plugins/nccl_env/image.h"

#include "tests/unit/catch.h"

using namespace slipway::nccl_env;

namespace {

const std::vector<Advice> advice = {
    {"NCCL_NET", "FasTrak", "transport", "the machine's network"},
    {"NCCL_BUFFSIZE", "8388608", "vendor", "in profile.sh"},
    {"LD_LIBRARY_PATH", "/usr/local/gib/lib64", "transport", "come first", /*prepend=*/true}};

Resolution decided(const Environment& job) {
  return resolve(advice, "gib", job);
}

Decision find_decision(const Resolution& resolution, const std::string& name) {
  for (const Decision& each : resolution.decisions)
    if (each.name == name) return each;
  return {};
}

}  // namespace

TEST_CASE("image: what we set holds, and the table says what the image has") {
  const Environment job = {{"HOME", "/home/ada"}};
  const Environment now = {{"HOME", "/root"}, {"NCCL_NET", "FromImage"}};
  const Decision net = find_decision(under_image(decided(job), job, now), "NCCL_NET");
  CHECK(net.action == Action::set);
  CHECK(net.value == "FasTrak");
  CHECK(net.why == "the machine's network; the image has `FromImage`");
}

TEST_CASE("image: our folder comes before the image's own folders, once") {
  const auto list = [](const std::string& images, const Environment& job = {}) {
    Environment now = job;
    now["LD_LIBRARY_PATH"] = images;
    return *find_decision(under_image(decided(job), job, now), "LD_LIBRARY_PATH").value;
  };
  CHECK(list("/usr/local/cuda/compat:/opt/lib") ==
        "/usr/local/gib/lib64:/usr/local/cuda/compat:/opt/lib");
  CHECK(list("/usr/local/gib/lib64:/opt/lib") == "/usr/local/gib/lib64:/opt/lib");
  CHECK(list("/opt/lib:/usr/local/gib/lib64") ==
        "/usr/local/gib/lib64:/opt/lib:/usr/local/gib/lib64");
  CHECK(list("") == "/usr/local/gib/lib64");
  CHECK(list("/of/image", {{"LD_LIBRARY_PATH", "/of/user"}}) == "/usr/local/gib/lib64:/of/image");
}

TEST_CASE("image: what the user set or removed holds") {
  const Environment job = {{"NCCL_BUFFSIZE", "1"},
                           {"NCCL_DEBUG", "WARN"},
                           {"LD_PRELOAD", "/u.so"},
                           {"SLIPWAY_NCCL_ENV", R"({"NCCL_NET":"FasTrak"})"}};
  Environment now = job;
  now["NCCL_BUFFSIZE"] = "2";
  now["NCCL_DEBUG"] = "TRACE";
  now["NCCL_NET"] = "FromImage";
  now["LD_PRELOAD"] = "/i.so";
  const Resolution seen = under_image(decided(job), job, now);
  CHECK(find_decision(seen, "NCCL_BUFFSIZE").action == Action::set);
  CHECK(find_decision(seen, "NCCL_BUFFSIZE").value == "1");
  CHECK(find_decision(seen, "NCCL_DEBUG").value == "WARN");
  CHECK(find_decision(seen, "NCCL_NET").action == Action::unset);
  CHECK(find_decision(seen, "LD_PRELOAD").value == "/u.so");
  CHECK(image_findings(seen).empty());
}

TEST_CASE("image: what the image alone sets stays, and the job learns of it") {
  const Environment now = {{"NCCL_ALGO", "Ring"},
                           {"LD_PRELOAD", "/i.so"},
                           {"NCCL_VERSION", "2.21"},
                           {"PATH", "/usr/bin"}};
  const Resolution seen = under_image(decided({}), {}, now);
  CHECK(find_decision(seen, "NCCL_ALGO").origin == "image");
  CHECK(find_decision(seen, "NCCL_ALGO").action == Action::keep);
  CHECK(find_decision(seen, "NCCL_VERSION").name.empty());
  const std::vector<Finding> findings = image_findings(seen);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].text ==
        "the container image decides about LD_PRELOAD=/i.so, NCCL_ALGO=Ring: to choose yourself, "
        "export it in the job");
  CHECK_FALSE(findings[0].fatal);
}

TEST_CASE("image: without one, nothing changes") {
  const Environment job = {{"NCCL_DEBUG", "WARN"}, {"LD_PRELOAD", "/u.so"}};
  const Resolution before = decided(job), after = under_image(before, job, job);
  REQUIRE(after.decisions.size() == before.decisions.size());
  for (size_t i = 0; i < after.decisions.size(); ++i) {
    CHECK(after.decisions[i].value == before.decisions[i].value);
    CHECK(after.decisions[i].why == before.decisions[i].why);
  }
}

TEST_CASE("image: every variable of the image that won is named") {
  const Resolution ours = decided({});
  const Environment users = {{"NCCL_DEBUG", "WARN"}};
  const Environment held = {{"NCCL_NET", "FasTrak"},
                            {"NCCL_BUFFSIZE", "8388608"},
                            {"NCCL_DEBUG", "WARN"},
                            {"LD_LIBRARY_PATH", "/of/image:/usr/local/gib/lib64"}};
  CHECK(lost_to_image(ours, users, held).empty());
  Environment seen = held;
  seen["NCCL_NET"] = "FromImage";
  seen["NCCL_DEBUG"] = "TRACE";
  seen["LD_LIBRARY_PATH"] = "/of/image";
  CHECK(lost_to_image(ours, users, seen) ==
        std::vector<std::string>{"NCCL_NET is `FromImage`, not `FasTrak`",
                                 "LD_LIBRARY_PATH is `/of/image`, not `/usr/local/gib/lib64`",
                                 "NCCL_DEBUG is `TRACE`, not `WARN`"});
}
