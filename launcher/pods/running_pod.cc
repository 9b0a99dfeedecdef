// A pod that runs on a node.
#include "launcher/pods/running_pod.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text.h"
#include "launcher/local/control.h"
#include "launcher/local/message.h"

namespace slipway::pods {

RunningPod::RunningPod(const JobSet& set, const ReplicatedJob& job, const Pod& pod,
                       const local::DeploymentFolder& folder)
    : name_(pod.name),
      mark_(pod.mark),
      script_(pod_script(set, job, pod)),
      connection_(local::connect_to_supervisor(folder)) {
  Pipe input = make_pipe(), output = make_pipe(), errors = make_pipe();
  local::NodeCommand command;
  command.argv = {"unshare", "--mount",      "--uts",        "--pid",
                  "--fork",  "--kill-child", "--mount-proc", "bash"};
  command.folder = "/";
  const int streams[] = {input.read.get(), output.write.get(), errors.write.get()};
  local::send_message(connection_.get(), local::exec_request(pod.node, command), streams);
  input_ = std::move(input.write);
  output_ = std::move(output.read);
  errors_ = std::move(errors.read);
  ::fcntl(input_.get(), F_SETFL, O_NONBLOCK);
}

void RunningPod::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({exit_code_ ? -1 : connection_.get(), POLLIN, 0});
  polled.push_back({output_.get(), POLLIN, 0});
  polled.push_back({errors_.get(), POLLIN, 0});
  polled.push_back({script_.empty() ? -1 : input_.get(), POLLOUT, 0});
}

void RunningPod::take(const pollfd* polled) {
  if (ended_) return;
  if (polled[1].revents != 0) copy(output_, output_line_, stdout);
  if (polled[2].revents != 0) copy(errors_, errors_line_, stderr);
  if (polled[3].revents != 0) write_script();
  if (connection_ && polled[0].revents != 0) {
    exit_code_ = local::receive_answer(connection_.get()).body.at("exit_code").get<int>();
  }
  if (!connection_ && !exit_code_) exit_code_ = 137;
  ended_ = exit_code_ && !output_ && !errors_;
  // Without a line of a container, the pod was ended from outside.
  if (ended_ && containers_.empty()) containers_.push_back({"", *exit_code_});
}

bool RunningPod::has_succeeded() const {
  return ended_ && *exit_code_ == 0 &&
         std::ranges::all_of(containers_, [](const Ended& one) { return one.code == 0; });
}

void RunningPod::write_script() {
  const ssize_t n = ::write(input_.get(), script_.data(), script_.size());
  if (n < 0 && errno != EINTR && errno != EAGAIN) script_.clear();  // it has ended already
  if (n > 0) script_.erase(0, static_cast<size_t>(n));
}

void RunningPod::copy(Fd& from, std::string& line, std::FILE* to) {
  char buffer[1 << 14];
  const ssize_t n = ::read(from.get(), buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) {
    from.reset();
    if (!line.empty()) print(line, to);
    line.clear();
    return;
  }
  line.append(buffer, static_cast<size_t>(n));
  size_t begin = 0;
  for (size_t end = line.find('\n'); end != line.npos; end = line.find('\n', begin)) {
    print(line.substr(begin, end - begin), to);
    begin = end + 1;
  }
  line.erase(0, begin);
  std::fflush(to);
}

// A container may have written a part of a line before ours.
void RunningPod::print(const std::string& line, std::FILE* to) {
  const size_t mark = line.find(mark_);
  if (mark != 0) fmt::print(to, "{}: {}\n", name_, line.substr(0, mark));
  if (mark != line.npos) note(line.substr(mark));
}

void RunningPod::note(const std::string& line) {
  const std::vector<std::string> words = split(line, ' ');
  const std::string what = words.size() > 1 ? words[1] : "";
  if (what == "ready") ready_ = true;
  if (what == "restarted") ++restarts_;
  if (what == "ended" && words.size() > 3) {
    containers_.push_back({words[2], to_number<int64_t>(words[3]).value_or(1)});
  }
}

}  // namespace slipway::pods
