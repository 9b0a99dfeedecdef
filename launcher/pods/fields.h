// Reads one mapping of a manifest, and reports the fields that nobody read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/source/diagnostics.h"
#include "launcher/source/yaml.h"

namespace slipway::pods {

class Fields {
 public:
  // `node` may be nullptr: then nothing is there.
  Fields(const source::Node* node, source::Diagnostics& diagnostics)
      : node_(node), diagnostics_(diagnostics) {}

  const source::Node* find(std::string_view key);
  std::string text(std::string_view key);
  int64_t number(std::string_view key, int64_t otherwise);
  bool truth(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  void each(std::string_view key, const std::function<void(Fields&)>& read);  // of a list
  Fields at(std::string_view key);

  // Fields that have no effect here.
  void ignore(std::initializer_list<std::string_view> keys);

  // Reports fields that were never read (E0602).
  void finish();

  bool is_there() const { return node_ != nullptr; }
  const source::Node* node() const { return node_; }

 private:
  const source::Node* node_;
  source::Diagnostics& diagnostics_;
  std::vector<std::string> read_;
};

}  // namespace slipway::pods
