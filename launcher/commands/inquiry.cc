// Questions to Google Cloud.
#include "launcher/commands/inquiry.h"

#include "common/text.h"

namespace slipway::commands {

Reply Inquiry::get(const std::string& url) {
  return ask("GET", url, nullptr);
}

Reply Inquiry::post(const std::string& url, const nlohmann::json& body) {
  return ask("POST", url, body);
}

Reply Inquiry::ask(const std::string& method, const std::string& url, const nlohmann::json& body) {
  Reply reply;
  if (cut_off_) return {nullptr, 0, "not asked, as there was no answer to an earlier question"};
  try {
    const node::Patience patience{std::chrono::steady_clock::now() + patience_, {}};
    reply.body =
        node::persist(patience, "an answer", [&] { return cloud_.call(method, url, body); });
  } catch (const node::Refused& refused) {
    reply.status = refused.status;
    reply.problem = refused.what();
    // https://docs.cloud.google.com/service-usage/docs/enabled-service, "SERVICE_DISABLED"
    reply.is_disabled = refused.reason == "accessNotConfigured" ||
                        refused.reason == "SERVICE_DISABLED" ||
                        reply.problem.find("has not been used in project") != std::string::npos;
  } catch (const Error& error) {
    reply.status = 0;
    reply.problem = error.what();
    cut_off_ = true;
  }
  return reply;
}

std::string text_at(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? std::to_string(found->get<int64_t>()) : std::string();
}

double number_at(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return 0;
  const auto found = object.find(key);
  if (found == object.end()) return 0;
  if (found->is_number()) return found->get<double>();
  return found->is_string() ? to_number<double>(found->get<std::string>()).value_or(0) : 0;
}

std::vector<nlohmann::json> list_at(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return {};
  return {found->begin(), found->end()};
}

}  // namespace slipway::commands
