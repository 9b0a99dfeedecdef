// The container of one step on this node: making it, or joining another step's.
#include "spank-plugins/container/step.h"

#include <unistd.h>

#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/pidfd.h"
#include "common/process_stat.h"
#include "common/text.h"
#include "spank-plugins/container/notation.h"
#include "spank-plugins/container/plan_text.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;

constexpr size_t longest_log = 64 << 10;
constexpr auto time_to_finish = std::chrono::seconds(2);
constexpr auto time_to_end = std::chrono::seconds(10);    // for a container that is ending
constexpr auto time_to_check = std::chrono::seconds(60);  // on a busy file system

}  // namespace

StepContainer::StepContainer(StepFacts facts) : facts_(std::move(facts)) {
  choose_folder();
  make_directories(place_, 0700);
  lock_ = lock_file(place_ / "lock");
  try {
    check_save();
    begin();
  } catch (...) {
    std::error_code ignored;
    if (temporary_) fs::remove_all(place_, ignored);
    if (imported_) release_image(facts_.user, importing_of(facts_, place_));
    throw;
  }
  unlock(lock_);
}

void StepContainer::choose_folder() {
  const fs::path own = user_folder(facts_.settings.runtime_path, facts_.user.uid);
  temporary_ = !facts_.request.name;
  if (temporary_) {
    place_ = own / unnamed_folder(facts_.id);
    return;
  }
  // The name of an unnamed container is JOB.STEP: another step can be in it, too.
  const fs::path unnamed = own / ("step." + *facts_.request.name);
  const fs::path named =
      own / named_folder(*facts_.request.name, facts_.settings.job_scope, facts_.id.job);
  place_ = fs::exists(unnamed / "running.json") ? unnamed : named;
}

void StepContainer::check_save() {
  if (!facts_.request.save) return;
  const fs::path file = place_to_save(facts_);
  const Fd answer = memory_file("place to save", "");
  const auto check = [&] {
    const std::string missing = check_place_to_save(file);
    if (::pwrite(answer.get(), missing.data(), missing.size(), 0) < 0) throw_errno("cannot answer");
  };
  run_as(facts_.user, check, {facts_.id.job, time_to_check});
  const std::string missing = read_whole(answer.get());
  if (missing.empty()) return;
  notes_.push_back(fmt::format(
      "the folder `{}` does not exist: unless a task makes it, the container cannot be saved",
      missing));
}

// A container that another step runs; it stays up as long as this step.
std::optional<Running> StepContainer::join_running() {
  joined_ = JoinedLock(place_ / "joined");
  const std::optional<Running> running = read_running(place_);
  if (!running) return running;
  if (joined_.join()) {
    // It cannot end from here on, but it can have ended since it was found.
    if (is_up(running->keeper)) return running;
    joined_ = JoinedLock(place_ / "joined");
  }
  ends_within(open_pidfd(running->keeper), time_to_end);
  return std::nullopt;
}

void StepContainer::begin() {
  const std::optional<Running> running = join_running();
  const std::optional<Made> made = temporary_ ? std::nullopt : read_made(place_);
  const Way way = choose_way(facts_.request, {made.has_value() || running, running.has_value()});
  for (std::string& note : notes_on(facts_.request, way, made ? made->asked : "")) {
    notes_.push_back(std::move(note));
  }
  if (way == Way::attach) {
    attach_to(*running);
  } else {
    start_anew(way);
  }
}

fs::path StepContainer::image_file(Way way) {
  if (way == Way::reuse) return read_made(place_)->image;
  const std::string& asked = *facts_.request.image;
  fs::remove(place_ / "image.sqsh");  // of an import that failed
  fs::path image = (facts_.folder / asked).lexically_normal();
  if (!is_file(asked)) {
    image = import_image(facts_.user, importing_of(facts_, place_), asked);
    imported_ = true;
  }
  if (!temporary_) write_made(place_, made_of(image, asked));
  return image;
}

void StepContainer::start_anew(Way way) {
  ContainerPlan plan = plan_of(facts_.request, facts_.settings, facts_.folder);
  plan.image = image_file(way);
  if (!temporary_) plan.changes = place_ / "changes";
  plan.job = facts_.job;
  plan.job_id = facts_.id.job;
  plan.node_folders = node_folders();
  plan.batch_script = facts_.batch_script;
  plan.life = facts_.life;
  plan.joined = place_ / "joined";
  plan.keeper = own_installation().internal_programs() / "container-keeper";
  const bool logs = facts_.request.entrypoint_log.value_or(false) && plan.entrypoint;
  if (logs) plan.entrypoint_log = place_ / "entrypoint.log";
  try {
    container_ = start(plan);
  } catch (const Error&) {
    if (logs) read_entrypoint_log(plan.entrypoint_log);
    if (way == Way::make) fs::remove(place_ / "made.json");
    throw;
  }
  own_ = true;
  notes_.insert(notes_.end(), container_.notes.begin(), container_.notes.end());
  changes_ = changes_of(facts_.job, container_.environment);
  if (logs) read_entrypoint_log(plan.entrypoint_log);
  const auto state = process_stat(container_.keeper);
  const std::string workdir = facts_.request.workdir ? "/" : container_.workdir;
  write_running(place_, {container_.keeper, state ? state->start : "", workdir, changes_});
}

void StepContainer::attach_to(const Running& running) {
  container_ = attach(running.keeper);
  check_joined(facts_.request, container_.namespaces);
  container_.workdir = facts_.request.workdir.value_or(running.workdir);
  changes_ = running.changes;
  for (const std::string& name : facts_.request.environment) changes_.erase(name);
}

void StepContainer::read_entrypoint_log(const fs::path& log) {
  try {
    for (const std::string& line : split(read_regular_file(log, longest_log), '\n')) {
      if (!line.empty()) notes_.push_back(line);
    }
  } catch (const Error& error) {
    notes_.push_back(fmt::format("cannot show the entrypoint's output: {}", error.what()));
  }
}

Outcome StepContainer::outcome() const {
  Outcome outcome;
  outcome.notes = notes_;
  outcome.keeper = container_.keeper;
  outcome.namespaces = container_.namespaces;
  outcome.pretends_ids = container_.pretends_ids;
  outcome.workdir = container_.workdir;
  outcome.library_folder = container_.library_folder;
  outcome.folder = place_;
  outcome.own = own_;
  outcome.releases = imported_;
  outcome.changes = changes_;
  return outcome;
}

void StepContainer::end() {
  if (!own_) {
    if (joined_.leave()) ends_within(container_.process, time_to_end);
    return;
  }
  try_lock(lock_, time_to_finish);  // another step may be joining
  if (joined_.has_steps()) {
    container_.control.reset();
  } else {
    stop(container_);
  }
}

fs::path place_to_save(const StepFacts& facts) {
  return (facts.folder / *facts.request.save).lexically_normal();
}

Importing importing_of(const StepFacts& facts, const fs::path& place) {
  Importing importing{facts.settings.importer, facts.settings.runtime_path, place / "image.sqsh",
                      facts.job};
  importing.life = facts.life;
  return importing;
}

}  // namespace slipway::container
