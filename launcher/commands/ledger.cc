// `slipway ledger`: prints where the time of a training job went.
#include <fmt/core.h>

#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/ledger_energy.h"
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

EnergyQuestions questions_of(const std::string& region, bool compare, const std::string& price) {
  EnergyQuestions questions{region, compare, {}};
  if (price.empty()) return questions;
  questions.price_per_kwh = to_number<double>(price);
  if (!questions.price_per_kwh || !(*questions.price_per_kwh >= 0) ||
      *questions.price_per_kwh > 1e6) {
    throw UsageError(fmt::format("`{}` is not a price", price));
  }
  return questions;
}

void print_goodput(const job::Goodput& goodput, const EnergyQuestions& questions, bool json) {
  observe::CarbonTable table;
  if (questions.any()) {
    table = observe::load_carbon_table(find_installation().blueprints() / "catalogue/carbon.yaml");
  }
  if (json) {
    nlohmann::ordered_json body = goodput_json(goodput);
    add_energy(body, goodput, questions, table);
    const auto replace = nlohmann::ordered_json::error_handler_t::replace;
    fmt::print("{}\n", body.dump(2, ' ', false, replace));
    return;
  }
  std::string text = goodput_text(goodput, stdout_paint());
  if (questions.any()) text += energy_report(goodput, questions, table);
  std::fputs(for_locale(text).c_str(), stdout);
}

}  // namespace

int ledger(Args args) {
  std::string name, page;
  std::string region, price;
  bool json = false, compare_regions = false;
  CommandLine line("slipway ledger", "Print where the time of a training job went.");
  line.about(
      "Over all attempts and requeues: productive steps, time lost to each kind of failure, and "
      "the nodes that were blamed. A job's ledger is slipway-ledger-JOB.jsonl in the current "
      "folder.");
  line.positional("JOB|FILE", &name);
  line.json("schema slipway/account/1", &json);
  line.option("html", "FILE", "write a page with a timeline instead; - is stdout", &page);
  line.option("region", "NAME",
              "also print the CO2 of the GPUs' energy, by the yearly mean of this Google Cloud "
              "region's grid",
              &region);
  line.flag("compare-regions", "also print the CO2 for every known region", &compare_regions);
  line.option("price-per-kwh", "N", "also print the cost of the GPUs' energy at this price",
              &price);
  line.example("slipway ledger 123", "job 123, which was submitted from this folder");
  line.example("slipway ledger 123_4", "task 4 of the job array 123");
  line.example("slipway ledger /home/me/slipway-ledger-123.jsonl --html 123.html",
               "draw its timeline for a browser");
  line.example("slipway ledger 123 --region us-central1 --price-per-kwh 0.12",
               "with the CO2 and the cost of its GPUs' energy");
  line.see_also("slipway-launch(1)");
  if (!line.parse(args)) return 0;
  if (json && !page.empty()) throw UsageError("--json and --html exclude each other");
  const EnergyQuestions questions = questions_of(region, compare_regions, price);
  if (questions.any() && !page.empty()) {
    throw UsageError("--html does not show CO2 and cost: print them as text or JSON");
  }
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
    print_goodput(goodput, questions, json);
  }
  return 0;
}

}  // namespace slipway::commands
