// A session of the language server: messages, and which of them are allowed when.
#include "launcher/editor/session.h"

#include <fmt/core.h>

namespace slipway::editor {
namespace {

constexpr size_t waiting_limit = 1000;  // messages that are read ahead

bool is_id(const Json& id) {
  return id.is_string() || id.is_number_integer();
}

}  // namespace

int Session::run() {
  while (state_ != State::exited) {
    read_waiting();
    if (waiting_.empty() && at_end_) break;
    if (waiting_.empty()) {
      check(std::string(*unchecked_.begin()));
      continue;
    }
    const Json message = std::move(waiting_.front());
    waiting_.pop_front();
    answer(message);
  }
  return exit_status_;
}

// Reads all messages that have arrived; waits for one if no other work is left.
void Session::read_waiting() {
  while (!at_end_ && waiting_.size() < waiting_limit) {
    const bool may_wait = waiting_.empty() && unchecked_.empty();
    if (!may_wait && !stream_.is_ready()) return;
    const auto message = stream_.read();
    if (!message) {
      at_end_ = true;
    } else if (message->too_long) {
      fail(nullptr, ErrorCode::invalid_request,
           fmt::format("a message has more than {} bytes", MessageStream::limit_bytes));
    } else {
      take(message->text);
    }
  }
}

void Session::take(const std::string& text) {
  try {
    Json message = parse_message(text);
    const bool is_message = message.is_object() && message.value("jsonrpc", Json()) == "2.0";
    const bool has_method =
        is_message && message.contains("method") && message["method"].is_string();
    const bool is_response = is_message && !message.contains("method") && message.contains("id");
    const bool has_good_id = is_message && (!message.contains("id") || is_id(message["id"]));
    if (is_response) return;  // we ask the editor nothing
    if (!has_method || !has_good_id) {
      throw ProtocolError(ErrorCode::invalid_request, "the message is not a request");
    }
    if (message["method"] == "$/cancelRequest") return cancel(message.value("params", Json()));
    waiting_.push_back(std::move(message));
  } catch (const ProtocolError& error) {
    fail(nullptr, error.code, error.what());
  }
}

// A request that is still waiting gets its answer at once; any other is answered already.
void Session::cancel(const Json& params) {
  const Json id = params.is_object() ? params.value("id", Json()) : Json();
  if (!is_id(id)) return;
  for (auto message = waiting_.begin(); message != waiting_.end(); ++message) {
    if (message->value("id", Json()) != id) continue;
    waiting_.erase(message);
    return fail(id, ErrorCode::cancelled, "the request was cancelled");
  }
}

void Session::answer(const Json& message) {
  const std::string method = message["method"];
  const Json params = message.value("params", Json());
  const bool is_request = message.contains("id");
  const Json id = message.value("id", Json());
  try {
    if (!is_request) {
      if (method == "exit") {
        exit_status_ = state_ == State::shut_down ? 0 : 1;
        state_ = State::exited;
      } else if (state_ == State::ready) {
        take_notification(method, params);
      }
      return;
    }
    Json result = respond(method, params);
    stream_.write(to_text({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}));
  } catch (const ProtocolError& error) {
    if (is_request) fail(id, error.code, error.what());
  } catch (const Error& error) {  // of the operation, not of the request
    if (is_request) fail(id, ErrorCode::request_failed, error.what());
  } catch (const std::exception& error) {  // our mistake: the session goes on
    if (is_request) fail(id, ErrorCode::internal_error, error.what());
  }
}

Json Session::respond(const std::string& method, const Json& params) {
  using Handler = Json (Session::*)(const Json&);
  static const std::map<std::string, Handler> handlers{
      {"textDocument/completion", &Session::completion},
      {"textDocument/hover", &Session::hover},
      {"textDocument/definition", &Session::definition},
      {"textDocument/prepareRename", &Session::prepare_rename},
      {"textDocument/rename", &Session::rename},
      {"textDocument/formatting", &Session::formatting}};
  if (method == "initialize" && state_ == State::new_) return initialize(params);
  if (state_ == State::new_) {
    throw ProtocolError(ErrorCode::not_initialized, "the first request must be `initialize`");
  }
  if (method == "initialize" || state_ == State::shut_down) {
    throw ProtocolError(ErrorCode::invalid_request, fmt::format("`{}` is not allowed now", method));
  }
  if (method == "shutdown") {
    state_ = State::shut_down;
    unchecked_.clear();
    return nullptr;
  }
  const auto handler = handlers.find(method);
  if (handler == handlers.end()) {
    throw ProtocolError(ErrorCode::method_not_found, fmt::format("unknown method `{}`", method));
  }
  return (this->*handler->second)(params);
}

void Session::fail(const Json& id, ErrorCode code, const std::string& message) {
  const Json error{{"code", static_cast<int>(code)}, {"message", message}};
  stream_.write(to_text({{"jsonrpc", "2.0"}, {"id", id}, {"error", error}}));
}

void Session::notify(const char* method, Json params) {
  stream_.write(to_text({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}));
}

}  // namespace slipway::editor
