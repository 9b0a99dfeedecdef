// Runs Packer for a group.
#pragma once

#include "launcher/apply/session.h"

namespace slipway::apply {

class Packer {
 public:
  Packer(Session& session, const google::GroupSteps& group) : session_(session), group_(group) {}

  // Validates the template, and downloads its plugins. Reports errors and throws Error.
  void prepare();

  // Builds, and returns the images. Reports errors and throws Error.
  std::vector<Image> build();

 private:
  std::vector<std::string> command(const std::string& verb) const;
  void run(const std::string& doing, const std::vector<std::string>& words,
           std::vector<Image>* images);
  void fetch_plugins();

  Session& session_;
  const google::GroupSteps& group_;
};

}  // namespace slipway::apply
