// Plans what to do about maintenance of hosts that the cloud has announced.
#include <fmt/core.h>

#include <algorithm>

#include "common/replacement.h"
#include "common/utc.h"
#include "launcher/node/reconcile.h"

namespace slipway::node {
namespace {

constexpr std::string_view drained_for_it = "slipway: host maintenance";

}  // namespace

std::string reservation_of(const std::string& node, int64_t start) {
  return fmt::format("{}_maintenance_{}", node, start);
}

void Planner::plan_maintenance_of(const Node& node, bool may_start) {
  const HostMaintenance& notice = *node.machine->maintenance;
  const Maintenance wanted = node.nodeset->maintenance.value_or(Maintenance{});
  const bool begins = notice.ongoing || (notice.start > 0 && notice.start <= situation_.now &&
                                         situation_.now < notice.end);
  if (begins) {
    if (node.is_on_duty()) {
      add(Step::Kind::drain, node,
          fmt::format("{} until {}", drained_for_it, utc_text(notice.end, ' ')));
    }
    return;
  }
  if (wanted.opportunistic && notice.can_start && may_start) {
    add(Step::Kind::drain, node, fmt::format("{}, early because it was idle", drained_for_it));
    add(Step::Kind::maintain, node, "the node is idle");
    return;
  }
  const std::string name = reservation_of(node.state.node, notice.start);
  if (!wanted.reservation || notice.end <= situation_.now || notice.start <= 0) return;
  if (!plan_.memory.reservations.insert(name).second) return;
  plan_.steps.push_back(
      {Step::Kind::reserve, name, node.state.node, false, "", "", notice.start, notice.end});
}

void Planner::plan_maintenance(const std::vector<Node>& nodes) {
  std::set<std::string> current;
  std::map<const Nodes*, int> room;
  for (const Node& node : nodes) {
    if (node.machine == nullptr || node.nodeset == nullptr || node.has("powered_down")) continue;
    const bool is_drained = node.has("drain") && node.state.reason.starts_with(drained_for_it);
    if (node.machine->maintenance) {
      current.insert(reservation_of(node.state.node, node.machine->maintenance->start));
      if (!room.contains(node.nodeset)) {
        const int count = node.nodeset->static_count + node.nodeset->dynamic_count;
        room[node.nodeset] = replaced_at_once(count) - off_duty(nodes, node.nodeset);
      }
      const bool may_start = node.is_on_duty() && node.has("idle") && room[node.nodeset] > 0;
      const size_t before = plan_.steps.size();
      plan_maintenance_of(node, may_start);
      if (plan_.steps.size() > before + 1) --room[node.nodeset];
    } else if (is_drained && node.status == Machine::running) {
      add(Step::Kind::resume, node, "the maintenance of its host is over");
    }
  }
  // A reservation whose time was changed, or whose machine is gone.
  for (auto name = plan_.memory.reservations.begin(); name != plan_.memory.reservations.end();) {
    if (current.contains(*name)) {
      ++name;
      continue;
    }
    plan_.steps.push_back({Step::Kind::release, *name, "its maintenance is over or moved"});
    name = plan_.memory.reservations.erase(name);
  }
}

}  // namespace slipway::node
