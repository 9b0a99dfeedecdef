// Reads what a blueprint says about Terraform and about checks: backends, providers, validators.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "launcher/blueprint/shape_reader.h"

namespace slipway::blueprint {

// `key` is what the node stands under: terraform_backend or terraform_backend_defaults. Nothing
// when there is no such key, or when it says nothing that can be used.
std::optional<Backend> read_backend(const source::Node& parent, std::string_view key,
                                    ShapeReader& reader);

// The backends that Terraform has.
const std::vector<std::string>& backend_types();

std::vector<Provider> read_providers(const source::Node& parent, ShapeReader& reader);

std::vector<Validator> read_validators(const source::Node& node, ShapeReader& reader);

// A check of the language by name, and what it is given.
struct ValidatorInfo {
  std::string_view name;
  std::vector<std::string> inputs;    // that it must have
  std::vector<std::string> optional;  // that it may have besides
};

// Every validator that a blueprint may name, in the order of the language's description.
std::span<const ValidatorInfo> validators();
std::vector<std::string> validator_names();

}  // namespace slipway::blueprint
