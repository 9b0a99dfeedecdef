// What `slipway doctor google` asks Google Cloud about a blueprint: whether its projects have what
// the deployment needs. Only reads; each finding says what to type to mend it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/requirement.h"
#include "launcher/commands/inquiry.h"
#include "launcher/google/needs.h"
#include "launcher/google/project_needs.h"

namespace slipway::commands {

// All findings. If a question has no answer, the others are asked all the same.
std::vector<Requirement> ask_google(Inquiry& inquiry, const google::CloudNeeds& needs,
                                    const google::Needs& quotas);

// The parts of it. The project: whether it can be read, its services, the caller's rights. Empty
// projects (no answer, or not ours) are added to `closed`, about which nothing else is asked.
std::vector<Requirement> ask_projects(Inquiry& inquiry, const google::CloudNeeds& needs,
                                      std::set<std::string>& closed);
std::vector<Requirement> ask_places(Inquiry& inquiry, const google::CloudNeeds& needs,
                                    const std::set<std::string>& closed);
std::vector<Requirement> ask_reservations(Inquiry& inquiry, const google::CloudNeeds& needs,
                                          const std::set<std::string>& closed);
std::vector<Requirement> ask_quotas(Inquiry& inquiry, const std::string& project,
                                    const google::Needs& quotas);

// Whether the text can be a project's id. Others are not asked about, or printed in a command.
bool is_project_id(const std::string& text);

// A finding that something could not be asked.
Requirement not_known(std::string name, std::string purpose, const Reply& reply,
                      const std::string& project, const std::string& service);

}  // namespace slipway::commands
