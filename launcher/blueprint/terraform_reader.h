// Reads the backends, providers and validators of a blueprint.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "launcher/blueprint/shape_reader.h"

namespace slipway::blueprint {

// `key` is terraform_backend or terraform_backend_defaults. Nothing if the key is missing or its
// value is unusable.
std::optional<Backend> read_backend(const source::Node& parent, std::string_view key,
                                    ShapeReader& reader);

// The types of Terraform's backends.
const std::vector<std::string>& backend_types();

std::vector<Provider> read_providers(const source::Node& parent, ShapeReader& reader);

std::vector<Validator> read_validators(const source::Node& node, ShapeReader& reader);

// A validator and the names of its inputs.
struct ValidatorInfo {
  std::string_view name;
  std::vector<std::string> inputs;  // required
  std::vector<std::string> optional;
};

// Every validator, in the order of Cluster Toolkit's documentation.
std::span<const ValidatorInfo> validators();
std::vector<std::string> validator_names();

}  // namespace slipway::blueprint
