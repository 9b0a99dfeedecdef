// Where a setting says that a manifest is.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "launcher/blueprint/deployment.h"
#include "launcher/kubernetes/manifest_text.h"

namespace slipway::kubernetes {

// The part of a setting's value that is written in the blueprint: the expression of `member` of the
// entry `index` of a list (absent: of the value itself), or nullptr.
blueprint::ExpressionPtr written_member(const blueprint::ExpressionPtr& value,
                                        std::optional<size_t> index, const std::string& member);

// A file or folder on this machine, from its path in a deployment's folder; empty if only the
// deployment has it.
std::filesystem::path place_on_this_machine(const std::string& path,
                                            const blueprint::Deployment& deployment);

// The text of a scalar of a YAML file at `span`, with the place of each byte; nothing if it is not
// there, such as for a value from the command line.
// Each file is parsed once, into `roots`.
using Roots = std::map<uint32_t, std::optional<source::Node>>;  // by where files begin
std::optional<ManifestText> text_in_blueprint(source::Span span, const source::Sources& sources,
                                              Roots& roots);

}  // namespace slipway::kubernetes
