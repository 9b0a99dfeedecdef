// Requests for several machines: bulkInsert, and groups of flex-start machines.
#include "launcher/node/making.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

namespace slipway::node {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

std::string random_hex(size_t digits) {
  std::random_device device;
  std::string text;
  while (text.size() < digits) text += "0123456789abcdef"[device() % 16];
  return text;
}

// With the same id, the service does not do again what it has done, though its answer was lost.
std::string request_id() {
  return fmt::format("{}-{}-4{}-a{}-{}", random_hex(8), random_hex(4), random_hex(3), random_hex(3),
                     random_hex(12));
}

bool is_done(const json& operation) {
  return text_of(operation, "status") == "DONE";
}

json bulk_body(const Batch& batch, const Names& names, const Offer& offer) {
  json each = json::object();
  for (const std::string& name : names) each[name] = json::object();
  const size_t least = batch.is_whole ? names.size() : 1;
  json body = {{"count", std::to_string(names.size())},
               {"minCount", std::to_string(least)},
               {"perInstanceProperties", std::move(each)},
               {"sourceInstanceTemplate", template_path(batch.nodeset->instance_template)}};
  const json properties = instance_properties(offer, *batch.nodeset, batch.job_seconds,
                                              offer.takes_placement ? batch.policy : std::string());
  if (!properties.empty()) body["instanceProperties"] = properties;
  if (!offer.place.starts_with("regions/")) return body;
  json& policy = body["locationPolicy"];
  policy["targetShape"] = batch.nodeset->zone_target_shape;
  for (const std::string& zone : offer.zones) {
    policy["locations"]["zones/" + zone] = {{"preference", "ALLOW"}};
  }
  return body;
}

MakingRequest ask_for_bulk(Compute& compute, const Batch& batch, const Names& names,
                           const Offer& offer) {
  const json body = bulk_body(batch, names, offer);
  const std::string path =
      fmt::format("{}/instances/bulkInsert?requestId={}", offer.place, request_id());
  // This part of `scheduling` is not in version 1.
  const bool needs_beta = body.value(json::json_pointer("/instanceProperties/scheduling"), json())
                              .contains("maintenanceInterval");
  return BulkRequest{offer.place, offer.zones, names.size(),
                     needs_beta ? compute.post_beta(path, body) : compute.post(path, body)};
}

// How many machines a bulkInsert made; empty if the operation does not say.
std::optional<long> made_by(const json& operation) {
  const json status = operation.value(
      json::json_pointer("/instancesBulkInsertOperationMetadata/perLocationStatus"), json());
  if (!status.is_object()) return std::nullopt;
  long made = 0;
  for (const json& one : status) {
    const auto count = one.is_object() ? one.find("createdVmCount") : one.end();
    if (count != one.end() && count->is_number_integer()) made += count->get<long>();
  }
  return made;
}

// Why single machines could not be made is in operations of their own.
std::vector<OperationError> errors_of_machines(Compute& compute, const BulkRequest& request) {
  std::vector<OperationError> errors;
  const std::string group = text_of(request.operation, "operationGroupId");
  if (group.empty()) return errors;
  const std::string query = "filter=" + url_encode(fmt::format("operationGroupId=\"{}\"", group));
  for (const std::string& zone : request.zones) {
    for (const json& one : compute.list(fmt::format("zones/{}/operations", zone), query)) {
      if (!one.is_object() || text_of(one, "operationType") != "insert") continue;
      const std::vector<OperationError> more = errors_of(one);
      errors.insert(errors.end(), more.begin(), more.end());
    }
  }
  return errors;
}

MakingResult look_after_bulk(Compute& compute, BulkRequest& request) {
  if (!is_done(request.operation)) {
    request.operation = compute.get(fmt::format("{}/operations/{}", request.place,
                                                url_encode(text_of(request.operation, "name"))));
  }
  if (!is_done(request.operation)) return {};
  std::vector<OperationError> errors = errors_of(request.operation);
  if (errors.empty() && made_by(request.operation) == static_cast<long>(request.count)) {
    return {true, {}};
  }
  try {
    std::vector<OperationError> single = errors_of_machines(compute, request);
    // "too few were made" counts only without a better reason
    if (!single.empty()) errors = std::move(single);
  } catch (const Refused&) {
    // There is still the operation's own reason.
  }
  return {true, std::move(errors)};
}

std::string flex_name(const Batch& batch) {
  const std::string whom = batch.job == 0 ? "none" : std::to_string(batch.job);
  const std::string tail = fmt::format("{}-{}", whom, random_hex(6));
  return flex_prefix(batch.prefix) + tail;
}

json flex_group_body(const Batch& batch, const FlexRequest& request, const Offer& offer) {
  const std::string own = template_path(batch.nodeset->instance_template);
  // The template is in the same project.
  const std::string base = own.substr(0, own.find("/global/") + 1);
  json group = {{"name", request.name},
                {"targetSize", 0},
                {"versions", {{{"instanceTemplate", base + request.instance_template()}}}},
                {"instanceLifecyclePolicy", {{"defaultActionOnFailure", "DO_NOTHING"}}}};
  if (!offer.place.starts_with("regions/")) return group;
  json& distribution = group["distributionPolicy"];
  distribution["targetShape"] = "ANY_SINGLE_ZONE";
  for (const std::string& zone : offer.zones) {
    distribution["zones"].push_back({{"zone", "zones/" + zone}});
  }
  group["updatePolicy"] = {{"instanceRedistributionType", "NONE"}};
  return group;
}

// The nodeset's template with what the offer changes.
json flex_template_body(Compute& compute, const Batch& batch, const FlexRequest& request,
                        const Offer& offer) {
  const std::string link = template_path(batch.nodeset->instance_template);
  json properties = compute.get("global/instanceTemplates/" + url_encode(name_in(link)))
                        .value("properties", json::object());
  properties.merge_patch(instance_properties(offer, *batch.nodeset, batch.job_seconds,
                                             offer.takes_placement ? batch.policy : std::string()));
  return {{"name", request.name}, {"properties", std::move(properties)}};
}

MakingRequest ask_for_flex(Compute& compute, const Batch& batch, const Names& names,
                           const Offer& offer) {
  FlexRequest request;
  request.name = flex_name(batch);
  request.place = offer.place;
  request.create = flex_group_body(batch, request, offer);
  request.resize = {{"name", "nodes"}, {"instances", json::array()}};
  for (const std::string& node : names) request.resize["instances"].push_back({{"name", node}});
  if (const long seconds = run_seconds(offer.way, batch.job_seconds); seconds > 0) {
    request.resize["requestedRunDuration"] = {{"seconds", std::to_string(seconds)}};
  }
  request.operation =
      compute.post(fmt::format("global/instanceTemplates?requestId={}", request_id()),
                   flex_template_body(compute, batch, request, offer));
  return request;
}

// The reason in a resize request's status: of its end, or of the last attempt.
std::vector<OperationError> errors_of_resize(const json& resize) {
  const json status = resize.value("status", json());
  std::vector<OperationError> errors;
  if (status.is_object()) errors = errors_of(status);
  const auto last = status.is_object() ? status.find("lastAttempt") : status.end();
  if (errors.empty() && last != status.end() && last->is_object()) errors = errors_of(*last);
  if (errors.empty()) {
    errors.push_back(
        {"", Trouble::other, fmt::format("the resize request is {}", text_of(resize, "state"))});
  }
  return errors;
}

// Sends the next of the two requests that follow the template; false if there is none.
bool send_next(Compute& compute, FlexRequest& request) {
  json* const body = !request.create.is_null()   ? &request.create
                     : !request.resize.is_null() ? &request.resize
                                                 : nullptr;
  if (body == nullptr) return false;
  const std::string path = body == &request.create ? request.place + "/instanceGroupManagers"
                                                   : request.group() + "/resizeRequests";
  request.operation = compute.post(fmt::format("{}?requestId={}", path, request_id()), *body);
  request.operation_place = request.place;
  *body = nullptr;
  return true;
}

MakingResult look_after_flex(Compute& compute, FlexRequest& request) {
  if (!request.operation.is_null()) {
    if (!is_done(request.operation)) {
      request.operation = compute.get(fmt::format("{}/operations/{}", request.operation_place,
                                                  url_encode(text_of(request.operation, "name"))));
    }
    if (!is_done(request.operation)) return {};
    if (auto errors = errors_of(request.operation); !errors.empty()) return {true, errors};
    request.operation = nullptr;
  }
  if (send_next(compute, request)) return {};
  const json resize = compute.get(request.group() + "/resizeRequests/nodes");
  const std::string state = text_of(resize, "state");
  if (state == "SUCCEEDED") return {true, {}};
  if (state != "FAILED" && state != "CANCELLED") return {};
  return {true, errors_of_resize(resize)};
}

}  // namespace

std::string flex_prefix(const std::string& prefix) {
  return prefix + "flex-";
}

MakingRequest ask_for(Compute& compute, const Batch& batch, const Names& names,
                      const Offer& offer) {
  return offer.way.model == "FLEX_START" ? ask_for_flex(compute, batch, names, offer)
                                         : ask_for_bulk(compute, batch, names, offer);
}

MakingResult look_after(Compute& compute, MakingRequest& request) {
  if (auto* bulk = std::get_if<BulkRequest>(&request)) return look_after_bulk(compute, *bulk);
  return look_after_flex(compute, std::get<FlexRequest>(request));
}

void give_up(Compute& compute, MakingRequest& request) {
  const auto* flex = std::get_if<FlexRequest>(&request);
  if (flex == nullptr) return;
  delete_flex_group(compute, flex->place, flex->name);
}

void delete_flex_group(Compute& compute, const std::string& place, const std::string& name) {
  const auto remove = [&](const std::string& path) {
    try {
      compute.remove(path);
    } catch (const Refused& error) {
      if (error.status == 404) return;
      // It can be deleted when the group is gone.
      if (error.reason == "resourceInUseByAnotherResource") throw NotYet(error.what());
      throw;
    }
  };
  try {
    remove(fmt::format("{}/instanceGroupManagers/{}", place, name));
    persist(compute.patience(), fmt::format("the deletion of the template {}", name),
            [&] { remove("global/instanceTemplates/" + name); });
  } catch (const Error& error) {
    if (compute.patience().say) {
      compute.patience().say(fmt::format(
          "left to the reconciler: the group {} of flex-start machines: {}", name, error.what()));
    }
  }
}

}  // namespace slipway::node
