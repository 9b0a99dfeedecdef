// How slurmstepd tells the keeper what to do, and how the keeper answers.
#include "spank-plugins/container/plan_text.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"
#include "spank-plugins/container/fields.h"

namespace slipway::container {

std::string encode(const ContainerPlan& plan) {
  FieldWriter to;
  for (const auto& path :
       {plan.image, plan.changes, plan.entrypoint_log, plan.batch_script, plan.joined}) {
    to.put(path.string());
  }
  to.put(plan.workdir);
  for (const bool flag :
       {plan.mount_home, plan.remap_root, plan.writable, plan.entrypoint, plan.kernel_images}) {
    to.put(flag ? 1L : 0L);
  }
  to.put(static_cast<long>(plan.mounts.size()));
  for (const MountRequest& mount : plan.mounts) {
    to.put(mount.source);
    to.put(mount.target);
    to.put(mount.flags);
  }
  to.put(static_cast<long>(plan.node_folders.size()));
  for (const NodeFolder& node : plan.node_folders) {
    to.put(node.folder.string());
    to.put(node.file.string());
  }
  to.put(plan.unshared);
  to.put(plan.job_wins);
  to.put(plan.job);
  return std::move(to).text();
}

ContainerPlan decode_plan(std::string_view text) {
  FieldReader from(text);
  ContainerPlan plan;
  for (auto* path :
       {&plan.image, &plan.changes, &plan.entrypoint_log, &plan.batch_script, &plan.joined}) {
    *path = from.text();
  }
  plan.workdir = from.text();
  for (bool* flag : {&plan.mount_home, &plan.remap_root, &plan.writable, &plan.entrypoint,
                     &plan.kernel_images}) {
    *flag = from.flag();
  }
  for (long left = from.number(); left > 0; --left) {
    MountRequest mount;
    mount.source = from.text();
    mount.target = from.text();
    mount.flags = from.texts();
    plan.mounts.push_back(mount);
  }
  for (long left = from.number(); left > 0; --left) {
    NodeFolder node;
    node.folder = from.text();
    node.file = from.text();
    plan.node_folders.push_back(node);
  }
  plan.unshared = from.texts();
  plan.job_wins = from.texts();
  plan.job = from.variables();
  return plan;
}

std::string encode(const Answer& answer) {
  FieldWriter to;
  to.put(answer.error);
  to.put(static_cast<long>(answer.namespaces));
  to.put(answer.pretends_ids ? 1L : 0L);
  to.put(answer.workdir);
  to.put(answer.environment);
  to.put(answer.library_folder);
  to.put(answer.notes);
  return std::move(to).text();
}

Answer decode_answer(std::string_view text) {
  FieldReader from(text);
  Answer answer;
  answer.error = from.text();
  answer.namespaces = static_cast<int>(from.number());
  answer.pretends_ids = from.flag();
  answer.workdir = from.text();
  answer.environment = from.variables();
  answer.library_folder = from.text();
  answer.notes = from.texts();
  return answer;
}

Fd memory_file(const char* name, std::string_view text) {
  Fd file(::memfd_create(name, MFD_CLOEXEC));
  if (!file) throw_errno("cannot make a file in memory");
  for (size_t done = 0; done < text.size();) {
    const ssize_t n =
        ::pwrite(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (n < 0) throw_errno("cannot write a file in memory");
    done += static_cast<size_t>(n);
  }
  return file;
}

std::string read_whole(int fd, size_t limit) {
  std::string text;
  char buffer[1 << 14];
  for (;;) {
    const ssize_t n = ::pread(fd, buffer, sizeof buffer, static_cast<off_t>(text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_errno("cannot read");
    if (n == 0) return text;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > limit) throw Error("more than " + std::to_string(limit) + " bytes");
  }
}

}  // namespace slipway::container
