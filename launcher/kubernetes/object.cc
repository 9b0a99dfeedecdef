// Finds parts of a Kubernetes object.
#include "launcher/kubernetes/object.h"

namespace slipway::kubernetes {

const source::Node* Object::at(std::initializer_list<std::string_view> keys) const {
  const source::Node* node = &root;
  for (const std::string_view key : keys) {
    node = node->find(key);
    if (node == nullptr) return nullptr;
  }
  return node;
}

std::string text_at(const source::Node& node, std::string_view key) {
  const source::Node* value = node.find(key);
  return value != nullptr && value->is_scalar() && !value->is_null() ? value->text : "";
}

}  // namespace slipway::kubernetes
