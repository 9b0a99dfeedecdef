// For ordinary users: a container has only one user, who may be root inside.
#pragma once

namespace slipway::container {

// From here on, system calls that change users, groups or owners do nothing and succeed, for this
// process and its children: package managers change them and would otherwise fail. The caller has
// CAP_SYS_ADMIN in its user namespace. Throws Error.
void pretend_to_change_ids();

}  // namespace slipway::container
