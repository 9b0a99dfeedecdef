// A session of the language server: what an editor asks about the blueprints that it has open.
//
// Requests are answered in their order. While messages arrive faster than they are answered, later
// ones are read first, so a request that the editor has cancelled costs nothing, and a text is
// checked only when no further change of it is waiting.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "launcher/editor/message_stream.h"
#include "launcher/editor/protocol.h"
#include "launcher/editor/reading.h"
#include "launcher/editor/services.h"

namespace slipway::editor {

class Session {
 public:
  Session(MessageStream& stream, Services services)
      : stream_(stream), services_(std::move(services)) {}

  // Answers until the editor says `exit` or is gone. Returns the exit status: 0 after `shutdown`.
  // Throws Error when the stream breaks.
  int run();

 private:
  enum class State { new_, ready, shut_down, exited };
  struct OpenFile {
    Document document;
    Json version;
    bool too_large = false;
    Json diagnostics = Json::array();  // of the latest check
  };

  // session.cc: messages
  void read_waiting();
  void take(const std::string& text);
  void answer(const Json& message);
  Json respond(const std::string& method, const Json& params);
  void fail(const Json& id, ErrorCode code, const std::string& message);
  void notify(const char* method, Json params);
  void cancel(const Json& params);

  // session_documents.cc: texts and their diagnostics
  Json initialize(const Json& params);
  void take_notification(const std::string& method, const Json& params);
  void open(const Json& params);
  void change(const Json& params);
  void close(const Json& params);
  void keep(const std::string& uri, std::string text, Json version);
  void check(const std::string& uri);
  Json diagnostics_of(const std::string& uri, const OpenFile& file);
  Json diagnostic_of(const source::Diagnostic& diagnostic, const source::Sources& sources,
                     const std::string& path, const Document& document) const;

  // session_requests.cc: questions about a place
  static std::string uri_in(const Json& params);
  const OpenFile* file_of(const Json& params) const;
  Json completion(const Json& params);
  Json hover(const Json& params);
  std::string pages_at(const std::string& uri, Position position);
  Json formatting(const Json& params);

  // session_names.cc: names, in all files of a blueprint
  using Readings = std::map<std::string, std::unique_ptr<const Reading>>;  // by URI
  std::unique_ptr<Reading> read(const std::string& uri) const;
  std::string open_uri(const std::string& uri) const;
  Readings with_includes(const std::string& uri) const;
  Readings related(const std::string& uri) const;
  void check_rename(const Readings& readings, const Occurrence& name, const std::string& to) const;
  Json definition(const Json& params);
  Json prepare_rename(const Json& params);
  Json rename(const Json& params);

  MessageStream& stream_;
  Services services_;
  State state_ = State::new_;
  int exit_status_ = 1;  // without `shutdown`
  Encoding encoding_ = Encoding::utf16;
  std::deque<Json> waiting_;
  bool at_end_ = false;
  std::map<std::string, OpenFile> files_;  // by URI
  std::set<std::string> unchecked_;        // changed since the last check
};

}  // namespace slipway::editor
