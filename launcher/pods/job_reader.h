// Reads a replicated job of a JobSet: its Job, and the pods of that.
#pragma once

#include "launcher/pods/fields.h"
#include "launcher/pods/job_set.h"

namespace slipway::pods {

// `notes` gets what has no effect here. Reports what this interpreter does not know (E0602).
ReplicatedJob read_job(Fields& fields, std::vector<std::string>& notes,
                       source::Diagnostics& diagnostics);

// The entries of a mapping of texts; `mapping` may be nullptr.
std::map<std::string, std::string> texts_of(const source::Node* mapping);

}  // namespace slipway::pods
