// The state that everything that works on a deployment folder shares.
#pragma once

#include "launcher/apply/child.h"
#include "launcher/apply/console.h"
#include "launcher/apply/folder.h"
#include "launcher/apply/journal.h"
#include "launcher/apply/places.h"
#include "launcher/apply/programs.h"

namespace slipway::apply {

struct Session {
  const Folder& folder;
  Journal& journal;
  const Programs& programs;
  const Places& places;
  Console& console;
  const Interrupts& interrupts;
  bool json_diagnostics = false;

  // Runs a program in a group's folder. Records its process in the journal, and its command line
  // and stderr in the group's log. Throws Error if the user interrupts it.
  ChildResult run(const std::string& group, const std::vector<std::string>& argv,
                  const std::function<void(const std::string&)>& on_line = nullptr);

  // Appends a line to the group's log.
  void log(const std::string& group, const std::string& text) const;

  // Reports an error in a group or module at its place, with the program's output.
  void report(source::Span place, const std::string& message, const std::string& words) const;
};

// Waits for a program that a killed run started.
void wait_for_earlier_run(Journal& journal, Console& console, const Interrupts& interrupts);

// Throws Error for a group whose errors were reported.
[[noreturn]] void fail_group(const Session& session, const std::string& group);

}  // namespace slipway::apply
