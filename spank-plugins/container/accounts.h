// The job's user in a container: /etc/passwd, /etc/group, the home folder.
#pragma once

#include <sys/types.h>

#include <string>

namespace slipway::container {

struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name, group, comment, home, shell;
};

// The user who calls, from the node's accounts; a number for a name that is missing.
Account account_of_caller();

// The text of /etc/passwd or /etc/group with our lines first and without the image's lines of the
// same names and ids. In an image of Debian `_apt` is left out: apt would try to become it.
std::string passwd_with(const Account& account, const std::string& image_text, bool remap_root);
std::string group_with(const Account& account, const std::string& image_text, bool remap_root);

// The account with a shell that the image in the open root has.
Account account_in(int root, Account account);

// Makes the home folder in the open root, unless the image has it. Throws Error.
void make_home(int root, const std::string& home);

}  // namespace slipway::container
