// What everything that works on a deployment folder has in common.
#pragma once

#include "launcher/apply/child.h"
#include "launcher/apply/conversation.h"
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
  Conversation& talk;
  const Interrupts& interrupts;
  bool json_diagnostics = false;

  // Runs a program in a group's folder; its process stands in the journal while it works. What it
  // is and what it says on stderr go to the group's log. Throws Error when the user interrupts it.
  ChildResult run(const std::string& group, const std::vector<std::string>& argv,
                  const std::function<void(const std::string&)>& on_line = nullptr);

  // Appends a line to the group's log.
  void log(const std::string& group, const std::string& text) const;

  // Shows what is wrong with a group or a module of it, with its place, and what the program said.
  void report(source::Span place, const std::string& message, const std::string& words) const;
};

// Waits until what a run that was killed has started is at its end.
void wait_for_earlier(Journal& journal, Conversation& talk, const Interrupts& interrupts);

// A group could not be done, and the user was told why.
[[noreturn]] void fail_group(const Session& session, const std::string& group);

}  // namespace slipway::apply
