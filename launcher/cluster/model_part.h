// Reads one module's `model` with the types of the cluster model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/blueprint/deployment.h"
#include "launcher/cluster/model.h"
#include "launcher/expression/value.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

// Where the blueprint sets an input of a module; the module's id if it does not. With a key: where
// that key's value is in the input's mapping, if it is written there.
source::Span place_of(const blueprint::Module& module, std::string_view input,
                      std::string_view key = {});

// The network of a machine's interface.
struct NetworkLink {
  std::string module;   // the module that makes it; empty if none of the blueprint does
  std::string outside;  // then its subnetwork, as the blueprint writes it
};

class ModelPart {
 public:
  ModelPart(const blueprint::Module& module, std::string kind, expression::Value::Object fields,
            source::Diagnostics& diagnostics);

  const blueprint::Module& module() const { return *module_; }
  const std::string& kind() const { return kind_; }  // "network", "nodeset", …

  // A field's value. If it is missing, has the wrong type, or is not known before deployment,
  // reports a diagnostic and returns an empty value.
  std::string text(std::string_view field) const;

  // Like text(), but another text if the value is not known before deployment.
  std::string text_or(std::string_view field, const std::string& unknown) const;

  // Whether a field's value is known, and an empty text.
  bool is_empty_text(std::string_view field) const;

  // A whole number from `least` to `most`. `input` is the field's name in the blueprint.
  int64_t integer(std::string_view field, int64_t least, int64_t most,
                  std::string_view input) const;
  bool boolean(std::string_view field) const;
  std::vector<std::string> texts(std::string_view field) const;
  std::map<std::string, std::string> text_map(std::string_view field) const;

  // The id of a module in this deployment; empty for null, which stands for none of them.
  std::string module_id(std::string_view field) const;

  // Networks, one for each interface: a list of {id, link}, with a subnetwork's name or self link
  // if no module has it.
  std::vector<NetworkLink> networks(std::string_view field) const;

  // File systems of this deployment and where they are mounted: a list of {id, mount}, in which
  // `mount` may be unknown or null, and is then empty.
  std::vector<MountedFileSystem> mounts(std::string_view field) const;

  // A field's list, of which values may be unknown; null if it is missing, or unknown as a whole.
  const expression::Value::List* list(std::string_view field) const;

  bool has(std::string_view field) const { return fields_.contains(field); }

  // Where the blueprint sets an input; the module's id if it does not.
  source::Span place(std::string_view input) const;

 private:
  const expression::Value* find(std::string_view field) const;
  void wrong(std::string_view field, const expression::Value& value) const;
  void no_such(std::string_view what) const;

  const blueprint::Module* module_;
  std::string kind_;
  expression::Value::Object fields_;
  source::Diagnostics* diagnostics_;
};

}  // namespace slipway::cluster
