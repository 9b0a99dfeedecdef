// The catalogue: looking things up. catalogue_reader.cc reads it.
#include "launcher/cluster/catalogue.h"

#include <fmt/format.h>

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

Catalogue::Catalogue(std::map<std::string, MachineType> machines,
                     std::map<std::string, TransportType> transports)
    : machines_(std::move(machines)), transports_(std::move(transports)) {}

const MachineType* Catalogue::find_machine(std::string_view name) const {
  return find(machines_, name);
}

const TransportType* Catalogue::find_transport(std::string_view name) const {
  return find(transports_, name);
}

const MachineType& Catalogue::machine(std::string_view name) const {
  return require(machines_, name, "machine type");
}

const TransportType& Catalogue::transport(std::string_view name) const {
  return require(transports_, name, "transport");
}

std::vector<std::string> Catalogue::machine_types() const {
  return names_of(machines_);
}

}  // namespace slipway::cluster
