// Builds the root of a container out of its image, as enroot's default mounts and hooks have it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/fd.h"
#include "spank-plugins/container/accounts.h"
#include "spank-plugins/container/image.h"
#include "spank-plugins/container/loader_cache.h"
#include "spank-plugins/container/mounts.h"
#include "spank-plugins/container/runtime.h"

namespace slipway::container {

// In a new user namespace and a new mount namespace of the caller. The constructor puts the node's
// root aside; enter() makes the container's root the only one.
// The container's /etc/ld.so.cache, found before anything of the node is mounted.
struct LoaderCacheFile {
  Fd folder;
  Fd file;
  std::string text;   // empty: missing, or no file
  std::string error;  // why it cannot be read; or empty
};

class RootBuilder {
 public:
  // Opens what is named by paths of the node: later they mean something else. Throws Error.
  explicit RootBuilder(const ContainerPlan& plan);
  RootBuilder(const RootBuilder&) = delete;
  RootBuilder& operator=(const RootBuilder&) = delete;

  void put_node_aside();
  void mount_image(StepdLine& line);
  // The image's own variables, with the node's in them.
  Environment image_environment() const;
  void add_files();
  void add_mounts();
  void enter();
  // After enter(), in the namespaces of the tasks.
  void set_propagation() const;

  Fd take_lock() { return std::move(lock_); }
  // Whether /etc/rc runs as the plan asks; an image that the user cannot write has no place for
  // the file that makes it leave out its entrypoint.
  bool runs_rc() const { return runs_rc_; }
  // What the job did not get, to print.
  const std::vector<std::string>& notes() const { return notes_; }
  // For LD_LIBRARY_PATH; or empty.
  const std::string& library_folder() const { return library_folder_; }
  // The user's home folder inside; or empty.
  std::string home() const { return plan_.remap_root ? "/root" : account_.home; }

 private:
  void add_accounts();
  void cover_file(int target, const std::string& name, const std::string& text);
  void cover_account_file(const std::string& path, const std::string& text);
  void find_loader_cache();
  void list_for_loader(const std::vector<CachedLibrary>& libraries, bool makes_cache);
  void mount_overlay(const std::string& lower);
  void mount_system();
  void mount_configuration();
  void mount_home();
  void mount_node_folder(const NodeFolder& node);
  void mount_driver();
  std::string place_of_changes();
  Roots roots() const { return {node_.get(), container_.get()}; }

  const ContainerPlan& plan_;
  const Account account_;
  Image image_;
  Fd lock_;  // of the changes, while the container is up
  Fd changes_, node_, container_;
  LoaderCacheFile loader_cache_;
  bool runs_rc_ = true;
  std::vector<std::string> notes_;
  std::string library_folder_;
};

}  // namespace slipway::container
