// The job's user in a container.
#include "spank-plugins/container/accounts.h"

#include <fmt/core.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "common/error.h"
#include "common/fd.h"
#include "common/text.h"
#include "spank-plugins/container/path_in_root.h"

namespace slipway::container {
namespace {

// The lines of `text` whose name and id (the third field) are not among ours.
std::string others_in(const std::string& text, const std::vector<std::string>& ours) {
  std::string others;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> field = split(line, ':');
    if (field.size() < 3 || field[0] == "_apt") continue;
    bool taken = false;
    for (const std::string& own : ours) {
      const std::vector<std::string> mine = split(own, ':');
      taken = taken || mine[0] == field[0] || mine[2] == field[2];
    }
    if (!taken) others += line + '\n';
  }
  return others;
}

std::string with_first(const std::vector<std::string>& ours, const std::string& text) {
  std::string all;
  for (const std::string& line : ours) all += line + '\n';
  return all + others_in(text, ours);
}

std::string shell_in(int root, const std::string& shell) {
  return !shell.empty() && find_in_root(root, shell) ? shell : "/bin/sh";
}

}  // namespace

Account account_of_caller() {
  Account account;
  account.uid = ::geteuid();
  account.gid = ::getegid();
  account.name = std::to_string(account.uid);
  account.group = std::to_string(account.gid);
  if (const passwd* const entry = ::getpwuid(account.uid); entry != nullptr) {
    account.name = entry->pw_name;
    account.comment = entry->pw_gecos == nullptr ? "" : entry->pw_gecos;
    account.home = entry->pw_dir;
    account.shell = entry->pw_shell;
  }
  if (const group* const entry = ::getgrgid(account.gid); entry != nullptr) {
    account.group = entry->gr_name;
  }
  return account;
}

std::string passwd_with(const Account& account, const std::string& image_text, bool remap_root) {
  std::vector<std::string> ours = {fmt::format(
      "root:x:0:0:root:/root:{}", account.uid == 0 || remap_root ? account.shell : "/bin/sh")};
  if (account.uid != 0 && !remap_root) {
    ours.push_back(fmt::format("{}:x:{}:{}:{}:{}:{}", account.name, account.uid, account.gid,
                               account.comment, account.home, account.shell));
  }
  return with_first(ours, image_text);
}

std::string group_with(const Account& account, const std::string& image_text, bool remap_root) {
  std::vector<std::string> ours = {"root:x:0:"};
  if (account.gid != 0 && !remap_root) {
    ours.push_back(fmt::format("{}:x:{}:", account.group, account.gid));
  }
  return with_first(ours, image_text);
}

Account account_in(int root, Account account) {
  account.shell = shell_in(root, account.shell);
  return account;
}

void make_home(int root, const std::string& home) {
  if (home.empty() || home == "/" || find_in_root(root, home)) return;
  const Fd made = open_in_root(root, home, Missing::becomes_folder);
  ::chmod(name_of(made.get()).c_str(), 0700);
}

}  // namespace slipway::container
