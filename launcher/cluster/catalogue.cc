// Looks up rows of the catalogue. catalogue_reader.cc reads it.
#include "launcher/cluster/catalogue.h"

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::cluster {
namespace {

template <class Row>
std::vector<std::string> names_of(const std::map<std::string, Row>& rows) {
  std::vector<std::string> names;
  for (const auto& [name, row] : rows) names.push_back(name);
  return names;
}

template <class Row>
const Row* find(const std::map<std::string, Row>& rows, std::string_view name) {
  const auto found = rows.find(std::string(name));
  return found == rows.end() ? nullptr : &found->second;
}

template <class Row>
const Row& require(const std::map<std::string, Row>& rows, std::string_view name,
                   std::string_view what) {
  if (const Row* row = find(rows, name)) return *row;
  std::string message = fmt::format("the catalogue has no {} `{}`", what, name);
  const std::string guess = nearest(name, names_of(rows));
  if (!guess.empty()) message += fmt::format("; did you mean `{}`?", guess);
  throw Error(message);
}

}  // namespace

size_t MachineType::most_networks() const {
  // https://cloud.google.com/vpc/docs/create-use-multiple-interfaces#max-interfaces
  constexpr size_t most = 8;
  return nics.size() == 1 ? most : nics.size();
}

MachineType::Nic MachineType::nic(size_t n) const {
  if (n >= most_networks()) {
    throw Error(fmt::format("a `{}` has {} network interfaces", name, most_networks()));
  }
  if (n < nics.size()) return nics[n];
  Nic further = nics.back();
  const size_t digits = further.name.find_last_not_of("0123456789") + 1;
  const size_t number = std::stoul(further.name.substr(digits)) + n + 1 - nics.size();
  further.name = further.name.substr(0, digits) + std::to_string(number);
  return further;
}

Catalogue::Catalogue(MachineTable machines, std::map<std::string, TransportType> transports)
    : machines_(std::move(machines)), transports_(std::move(transports)) {}

const MachineType* Catalogue::find_machine(std::string_view name) const {
  if (const MachineType* row = find(machines_.rows, name)) return row;
  const auto known = worked_out_.find(name);
  if (known != worked_out_.end()) return &known->second;
  std::string why;
  std::optional<MachineType> type = custom_machine(machines_, name, why);
  if (!type && why.empty()) type = unlisted_machine(machines_, name);
  if (!type) return nullptr;
  return &worked_out_.emplace(name, std::move(*type)).first->second;
}

std::string Catalogue::why_no_machine(std::string_view name) const {
  std::string why;
  custom_machine(machines_, name, why);
  return why;
}

const TransportType* Catalogue::find_transport(std::string_view name) const {
  return find(transports_, name);
}

const MachineType& Catalogue::machine(std::string_view name) const {
  if (const MachineType* type = find_machine(name)) return *type;
  return require(machines_.rows, name, "machine type");
}

const TransportType& Catalogue::transport(std::string_view name) const {
  return require(transports_, name, "transport");
}

std::vector<std::string> Catalogue::machine_types() const {
  return names_of(machines_.rows);
}

}  // namespace slipway::cluster
