// Taking down what a deployment folder has made.
#pragma once

#include "launcher/apply/deploy.h"

namespace slipway::apply {

struct DestroyOptions {
  Selection selection;
  bool auto_approve = false;
  bool images = false;  // those that Packer has made, too
};

// In the reverse order. The caller holds the folder's lock. Throws Error; the next call goes on
// from there.
void destroy(Session& session, const DestroyOptions& options);

}  // namespace slipway::apply
