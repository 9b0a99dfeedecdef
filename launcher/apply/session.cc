// Runs programs in a deployment folder, and reports their errors.
#include "launcher/apply/session.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "common/error.h"
#include "common/fd.h"
#include "common/text.h"
#include "launcher/source/json.h"

namespace slipway::apply {

ChildResult Session::run(const std::string& group, const std::vector<std::string>& argv,
                         const std::function<void(const std::string&)>& on_line) {
  std::vector<std::string> quoted;
  for (const std::string& word : argv) quoted.push_back(shell_quote(word));
  log(group, fmt::format("== {} {}", now_utc(), join(quoted, " ")));
  ChildOptions options;
  options.folder = folder.group(group);
  options.log = folder.log(group);
  // Keeps Terraform from suggesting the next command, and both from checking for new versions.
  options.environment = {
      {"TF_IN_AUTOMATION", "1"}, {"TF_INPUT", "0"}, {"CHECKPOINT_DISABLE", "1"}, {"NO_COLOR", "1"}};
  options.on_line = on_line;
  options.before_start = [&](pid_t process) {
    journal.child = process;
    journal.child_start_time = start_time_of(process);
    journal.save();
  };
  const std::string program = std::filesystem::path(argv[0]).filename().string();
  options.on_interrupt = [&] {
    console.print(fmt::format("interrupted: waiting for `{}` to stop and save its state", program));
  };
  ChildResult result = run_child(argv, options, interrupts);
  journal.child = 0;
  if (result.interrupted) {
    throw Error(
        fmt::format("interrupted in group `{}`; to resume, run `slipway deploy` or `destroy` "
                    "again",
                    group));
  }
  return result;
}

void Session::log(const std::string& group, const std::string& text) const {
  const auto path = folder.log(group);
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file) throw_errno(fmt::format("cannot write {}", path.string()));
  const std::string line = text + "\n";
  if (::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw_errno(fmt::format("cannot write {}", path.string()));
  }
}

void wait_for_earlier_run(Journal& journal, Console& console, const Interrupts& interrupts) {
  bool announced = false;
  while (journal.child != 0 && !journal.child_start_time.empty() &&
         start_time_of(journal.child) == journal.child_start_time) {
    if (!announced) console.print("waiting for a program of an interrupted run to end");
    announced = true;
    interrupts.wait(-1, std::chrono::milliseconds(50));
  }
  journal.child = 0;
}

void Session::report(source::Span place, const std::string& message,
                     const std::string& words) const {
  source::Diagnostics diagnostics(places.sources());
  source::Diagnostic& diagnostic = diagnostics.error(source::Code::not_applied, place, message);
  if (json_diagnostics) {
    diagnostic.help(words);
    console.print(to_json_line(diagnostics));
    return;
  }
  std::string text = render(diagnostics, source::color_for(STDERR_FILENO));
  for (const std::string& line : split(trim(words), '\n')) text += "   | " + line + "\n";
  console.print(std::string(trim(text)));
}

void fail_group(const Session& session, const std::string& group) {
  throw Error(fmt::format(
      "group `{}` failed; the full output is in {}; to resume, run `slipway "
      "deploy` or `destroy` again",
      group,
      session.folder.log(group).lexically_relative(std::filesystem::current_path()).string()));
}

}  // namespace slipway::apply
