// A Kubernetes object as a manifest describes it.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::kubernetes {

struct Object {
  std::string api;    // "kueue.x-k8s.io/v1beta2"
  std::string kind;   // "ClusterQueue"
  std::string name;   // may be unknown: is_unknown(name)
  std::string space;  // its namespace: "default" unless set; may be unknown
  source::Node root;
  bool open = false;  // some of its fields are unknown

  // The node at the keys, or nullptr.
  const source::Node* at(std::initializer_list<std::string_view> keys) const;
};

// The text of the scalar at `key` of a mapping; "" without one.
std::string text_at(const source::Node& node, std::string_view key);

}  // namespace slipway::kubernetes
