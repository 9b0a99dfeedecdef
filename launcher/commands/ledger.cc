// `slipway ledger`: prints where the time of a training job went.
#include <fmt/core.h>

#include <cctype>
#include <cstdio>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/locale_text.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/ledger_report.h"
#include "launcher/job/goodput.h"
#include "launcher/job/ledger.h"

namespace slipway::commands {
namespace {

constexpr size_t largest_ledger = size_t{1} << 30;

// The file for JOB|FILE: 123 is a job, and so is 123_4, a task of an array.
std::filesystem::path ledger_file(const std::string& name) {
  const bool job = std::isdigit(static_cast<unsigned char>(name.front())) != 0 &&
                   name.find_first_not_of("0123456789_") == name.npos;
  return job ? job::ledger_name(name) : name;
}

}  // namespace

int ledger(Args args) {
  std::string name, page;
  bool json = false;
  CommandLine line("slipway ledger", "Print where the time of a training job went.");
  line.about(
      "Over all attempts and requeues: productive steps, time lost to each kind of failure, and "
      "the nodes that were blamed. A job's ledger is slipway-ledger-JOB.jsonl in the current "
      "folder.");
  line.positional("JOB|FILE", &name);
  line.json("schema slipway/account/1", &json);
  line.option("html", "FILE", "write a page with a timeline instead; - is stdout", &page);
  line.example("slipway ledger 123", "job 123, which was submitted from this folder");
  line.example("slipway ledger 123_4", "task 4 of the job array 123");
  line.example("slipway ledger /home/me/slipway-ledger-123.jsonl --html 123.html",
               "draw its timeline for a browser");
  line.see_also("slipway-launch(1)");
  if (!line.parse(args)) return 0;
  if (json && !page.empty()) throw UsageError("--json and --html exclude each other");
  const std::filesystem::path file = ledger_file(name);
  const job::Ledger entries = job::parse_ledger(read_regular_file(file, largest_ledger), file);
  if (entries.torn) {
    fmt::print(stderr, "slipway ledger: the last line of {} is incomplete and was ignored\n",
               file.native());
  }
  const job::Goodput goodput = job::goodput_of(entries);
  if (!page.empty()) {
    write_result(page, goodput_page(goodput));
  } else {
    std::fputs(
        (json ? goodput_json(goodput) : for_locale(goodput_text(goodput, stdout_paint()))).c_str(),
        stdout);
  }
  return 0;
}

}  // namespace slipway::commands
