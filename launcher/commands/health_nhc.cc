// `slipway health nhc`: what the checks of an nhc.conf become.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "common/command_line.h"
#include "common/count.h"
#include "common/error.h"
#include "common/file.h"
#include "common/host_name.h"
#include "common/locale_text.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/health_parts.h"
#include "launcher/commands/page.h"
#include "launcher/hosts/nhc.h"

namespace slipway::commands {
namespace {

using hosts::NhcFate;

constexpr const char* usual_nhc_conf = "/etc/nhc/nhc.conf";
constexpr size_t largest_nhc_conf = 1 << 20;

std::string_view fate_text(NhcFate fate) {
  switch (fate) {
    case NhcFate::checked:
      return "checked: ";
    case NhcFate::in_part:
      return "in part: ";
    case NhcFate::setting:
      return "a setting: ";
    case NhcFate::other_node:
      return "left out: ";
    default:
      return "not covered: ";
  }
}

void report_nhc(const hosts::NhcTranslation& translation, const std::string& file) {
  constexpr size_t width = terminal_width;
  for (const hosts::NhcAnswer& answer : translation.answers) {
    const std::string place = fmt::format("{}:{}: ", file, answer.line);
    fmt::print(stderr, "{}{}\n", place,
               for_locale(cut(answer.check, width - std::min(place.size(), width / 2))));
    fmt::print(
        stderr, "{}",
        for_locale(wrapped(fmt::format("{}{}", fate_text(answer.fate), answer.text), 2, width)));
  }
  fmt::print(stderr, "{} checked, {} in part, {} not covered, {} for other nodes\n",
             translation.count(NhcFate::checked), translation.count(NhcFate::in_part),
             translation.count(NhcFate::uncovered), translation.count(NhcFate::other_node));
}

}  // namespace

int health_nhc(Args args) {
  std::string file, node;
  CommandLine line("slipway health nhc",
                   "Translate the nhc.conf of LBNL's Node Health Check into a health policy.");
  line.about(
      "Prints the policy that has the same mounts, disks, daemons and RDMA ports, and on stderr, "
      "for each line, which findings report the same fault, what of it is lost, or why nothing "
      "checks it. Checks that you wrote yourself are named, and not run.");
  line.positional("FILE", &file, Arity::optional);
  line.option("node", "HOST", "as on the node with this host name", &node, "this machine's");
  line.example("slipway health nhc /etc/nhc/nhc.conf > health.yaml",
               "make the policy, and read what is lost");
  line.example("slipway health policy --policy health.yaml", "check the result");
  line.exit_status("0", "every line is checked, at least in part");
  line.exit_status("1", "some lines are not covered");
  line.see_also("slipway-health-policy(1)");
  line.see_also("slipway-cluster-describe(1)");
  if (!line.parse(args)) return 0;
  if (file.empty()) file = usual_nhc_conf;
  if (node.empty()) node = own_host_name();
  const hosts::NhcTranslation translation = hosts::translate_nhc(
      read_regular_file(file, largest_nhc_conf), hosts::load_nhc_table(catalogue_folder()), node);
  if (translation.answers.empty()) throw Error(fmt::format("{} has no checks", file));
  report_nhc(translation, file);
  std::fflush(stderr);
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const health::Policy ours =
      health::load_policy(catalogue_folder(), source::Span(), sources, diagnostics);
  fmt::print("# What {} checks on {}, for `slipway health --policy`.\n{}", file, node,
             hosts::policy_of_nhc(translation, ours));
  return translation.count(NhcFate::uncovered) == 0 ? 0 : 1;
}

}  // namespace slipway::commands
