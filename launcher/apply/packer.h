// One group and Packer.
#pragma once

#include "launcher/apply/session.h"

namespace slipway::apply {

class Packer {
 public:
  Packer(Session& session, const google::GroupSteps& group) : session_(session), group_(group) {}

  // Checks the template, and fetches its plugins where Packer does that. Shows what is wrong and
  // throws Error.
  void prepare();

  // Builds, and says what was made. The same of mistakes.
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
