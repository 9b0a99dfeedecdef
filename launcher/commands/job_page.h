// A job script as a page for people, and as JSON.
#pragma once

#include <string>

#include "launcher/job_script/job.h"

namespace slipway::commands {

std::string job_page(const job_script::JobScript& job, const source::Sources& sources);

// docs/schemas/job-1.schema.json.
std::string job_json(const job_script::JobScript& job, const source::Sources& sources);

}  // namespace slipway::commands
