// Runs Terraform or OpenTofu for a group.
#include "launcher/apply/terraform.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/apply/definition_files.h"

namespace slipway::apply {

namespace fs = std::filesystem;

namespace {

// Others may be using a state in a backend.
constexpr const char* lock_timeout = "-lock-timeout=60s";

constexpr const char* locked = "Error acquiring the state lock";

bool has_resources(const std::string& state) {
  const Json json = Json::parse(state, nullptr, false);
  return json.is_object() && !json.value("resources", Json::array()).empty();
}

std::string past(const std::string& action) {
  if (action == "create") return "created";
  if (action == "update") return "changed";
  if (action == "delete") return "destroyed";
  return action + " done";
}

std::string seconds(int count) {
  return duration_text(std::chrono::seconds(count));
}

}  // namespace

// What has been read from Terraform's output
// (https://developer.hashicorp.com/terraform/internals/machine-readable-ui).
struct Terraform::Progress {
  std::vector<Failure> errors;
  size_t all = 0, done = 0;  // resources
  Json outputs = Json::object();
};

ChildResult Terraform::run(std::vector<std::string> words, Progress* progress) {
  words.insert(words.begin(), session_.programs.terraform.path.string());
  if (progress == nullptr) return session_.run(group_.name, words);
  return session_.run(group_.name, words,
                      [this, progress](const std::string& line) { read_message(line, *progress); });
}

void Terraform::read_message(const std::string& line, Progress& progress) {
  const Json message = Json::parse(line, nullptr, false);
  if (!message.is_object()) {
    session_.log(group_.name, line);
    return;
  }
  session_.log(group_.name, message.value("@message", ""));
  const std::string type = message.value("type", "");
  if (type == "diagnostic") {
    const Json diagnostic = message.value("diagnostic", Json::object());
    const std::string detail = diagnostic.value("detail", "");
    if (!detail.empty()) session_.log(group_.name, detail);
    if (diagnostic.value("severity", "") != "error") return;
    std::string file;
    if (diagnostic.contains("range")) file = diagnostic["range"].value("filename", "");
    progress.errors.push_back({diagnostic.value("summary", ""), detail,
                               diagnostic.value("address", ""), std::move(file)});
  } else if (message.contains("hook")) {
    read_resource_message(message, progress);
  } else if (type == "outputs") {
    progress.outputs = message.value("outputs", Json::object());
  }
}

void Terraform::read_resource_message(const Json& message, Progress& progress) {
  const Json& hook = message["hook"];
  const std::string type = message.value("type", "");
  const std::string action = hook.value("action", "");
  if (!hook.contains("resource") || action == "read") return;
  const std::string address = hook["resource"].value("addr", "");
  const int elapsed = hook.value("elapsed_seconds", 0);
  if (type == "apply_complete") {
    ++progress.done;
    session_.console.print(fmt::format("  {}/{} {} {}{}", progress.done, progress.all, address,
                                       past(action),
                                       elapsed > 0 ? " after " + seconds(elapsed) : ""));
  } else if (type == "apply_start" || type == "apply_progress") {
    session_.console.status(fmt::format("  {}/{} {} ({} for {})", progress.done, progress.all,
                                        address, action, seconds(elapsed)));
  }
}

void Terraform::report(const std::string& doing, const Failure& failure) {
  std::string module;
  if (!failure.address.empty() || !failure.file.empty()) {
    try {
      const GroupDefinitions now = read_definitions(session_.folder, group_);
      module = now.module_of(failure.address);
      if (module.empty()) module = now.module_of_file(failure.file);
      const auto before = read_applied(session_.folder, group_.name);
      if (module.empty() && before) module = before->module_of(failure.address);
    } catch (const Error&) {
      // Terraform's message is more important.
    }
  }
  const source::Span place = session_.places.module(module);
  const std::string what = failure.address.empty() ? "" : fmt::format("`{}`", failure.address);
  std::string message;
  if (place) {
    message = fmt::format("{}{}module `{}` could not be {}: {}", what, what.empty() ? "" : " of ",
                          module, doing, failure.summary);
  } else {
    message = fmt::format("{}group `{}` could not be {}: {}", what.empty() ? "" : what + " of ",
                          group_.name, doing, failure.summary);
  }
  std::string words = failure.detail;
  if (failure.summary == locked) {
    words += fmt::format(
        "\nsomeone else is using this state, or was killed while using it. If you are certain that "
        "nobody is\nusing it: {} -chdir={} force-unlock LOCK_ID",
        session_.programs.terraform.name, shell_quote(session_.folder.group(group_.name).string()));
  }
  session_.report(place ? place : session_.places.group(group_.name), message, words);
}

void Terraform::fail(const std::string& doing, const Progress& progress,
                     const ChildResult& result) {
  for (const Failure& failure : progress.errors) report(doing, failure);
  if (progress.errors.empty()) {
    // Skip warnings before the first error.
    const size_t error = result.errors.find("Error: ");
    const std::string words = result.errors.empty()
                                  ? result.output
                                  : result.errors.substr(error == std::string::npos ? 0 : error);
    session_.report(
        session_.places.group(group_.name),
        fmt::format("group `{}` could not be {}: `{}` exited with status {}", group_.name, doing,
                    session_.programs.terraform.name, result.exit_code),
        words);
  }
  fail_group(session_, group_.name);
}

void Terraform::init() {
  const auto work = session_.console.during(
      fmt::format("{}: {} init", group_.name, session_.programs.terraform.name));
  const ChildResult result = run({"init", "-input=false", "-no-color"});
  session_.log(group_.name, result.output);
  if (!result.ok()) fail("prepared", {}, result);
}

std::optional<Json> Terraform::plan(Purpose purpose) {
  const auto work = session_.console.during(
      fmt::format("{}: {} plan", group_.name, session_.programs.terraform.name));
  drop_plan();
  std::vector<std::string> words{"plan",         "-json",
                                 "-input=false", "-detailed-exitcode",
                                 lock_timeout,   "-out=" + plan_file().string()};
  if (purpose == Purpose::destroy) words.emplace_back("-destroy");
  Progress progress;
  const ChildResult result = run(std::move(words), &progress);
  constexpr int nothing_to_do = 0, something_to_do = 2;
  if (result.exit_code == nothing_to_do) return std::nullopt;
  if (result.exit_code != something_to_do) fail("planned", progress, result);
  const ChildResult shown = run({"show", "-json", plan_file().string()});
  Json plan = Json::parse(shown.output, nullptr, false);
  if (!shown.ok() || !plan.is_object()) fail("planned", {}, shown);
  return plan;
}

void Terraform::apply(const GroupChanges& changes) {
  Progress progress;
  // Terraform reports a replacement twice.
  progress.all = changes.count(Action::create) + changes.count(Action::update) +
                 2 * changes.count(Action::replace) + changes.count(Action::destroy);
  const ChildResult result =
      run({"apply", "-json", "-input=false", lock_timeout, plan_file().string()}, &progress);
  drop_plan();
  if (!result.ok() || !progress.errors.empty()) fail("applied", progress, result);
  for (const auto& [name, output] : progress.outputs.items()) {
    if (!output.contains("value") || output.value("sensitive", false)) continue;
    session_.console.print(fmt::format("  {} = {}", name, output["value"].dump()));
  }
}

Json Terraform::outputs() {
  const ChildResult result = run({"output", "-json", "-no-color"});
  Json outputs = Json::parse(result.output, nullptr, false);
  if (!result.ok() || !outputs.is_object())
    fail("read", {}, {result.exit_code, false, "", result.errors});
  return outputs;
}

void Terraform::drop_plan() const {
  std::error_code ignored;
  fs::remove(plan_file(), ignored);
}

bool Terraform::uses_backend() const {
  return fs::exists(session_.folder.group(group_.name) / "backend.tf.json");
}

bool Terraform::may_have_state() const {
  if (uses_backend()) return true;
  const fs::path file = session_.folder.group(group_.name) / "terraform.tfstate";
  return fs::exists(file) && has_resources(read_file(file));
}

bool Terraform::has_state() {
  if (!uses_backend()) return may_have_state();
  init();
  const ChildResult result = run({"state", "pull"});  // nothing if there is none
  if (!result.ok()) fail("examined", {}, result);
  return has_resources(result.output);
}

}  // namespace slipway::apply
