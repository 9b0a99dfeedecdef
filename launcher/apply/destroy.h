// Destroys what a deployment folder deployed.
#pragma once

#include "launcher/apply/deploy.h"

namespace slipway::apply {

struct DestroyOptions {
  Selection selection;
  bool auto_approve = false;
  bool images = false;  // also remove images built by Packer
};

// Destroys the groups in reverse order. The caller must hold the folder's lock. Throws Error; the
// next call resumes.
void destroy(Session& session, const DestroyOptions& options);

}  // namespace slipway::apply
