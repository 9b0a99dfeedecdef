// Small files on a node that users may fill for root: each belongs to one user and is one page
// long.
//
// The folder is a separate file system that belongs to root: nobody else can create or remove
// anything in it. Its pages are allocated when the node boots, and the file system has room for
// nothing else: whatever users do to their own file, others lose nothing.
// docs/decisions/0032-reports-of-blamed-nodes.md.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/fd.h"

namespace slipway::health {

// Where the launchers of jobs leave numbers for the node's metrics (launcher/job/job_state.h): a
// job's slot has its number as name, and everyone can read it. Made when the node boots.
inline constexpr const char* job_states_folder = "/run/slipway/jobs";

inline constexpr int most_slots = 64;
// The most that a reader reads, and a writer writes.
inline constexpr size_t largest_slot_text = 512;

// The file system's options for mount(2). `mode` of the folder: 0711, or 0755 if all may list it.
std::string slots_mount_options(mode_t mode = 0711);

// Fills an empty folder with free slots. Throws Error.
void prepare_slots(const std::filesystem::path& folder);

// For root: gives `user` the slot `name`, readable for everyone if `readable`. If none is free,
// takes over the slot that was assigned or written the longest ago. True if the user has it; false
// if the folder is missing or has no room.
bool assign_slot(const std::filesystem::path& folder, const std::string& name, uid_t user,
                 bool readable);

// For root: takes the slot `name` away from its user, if there is one.
void release_slot(const std::filesystem::path& folder, const std::string& name);

// For the user: writes a text of at most largest_slot_text bytes. False without such a slot.
bool write_slot(const std::filesystem::path& file, std::string text);

// For root's programs that read slots.
Fd open_slots(const std::filesystem::path& folder);
std::vector<std::string> slot_names(const Fd& folder);  // sorted, with free ones
bool is_free_slot(const std::string& name);
// Never waits, whatever the owner does. Empty if it is not a regular file.
Fd open_slot(const Fd& folder, const std::string& name, int flags, struct stat& info);
std::string read_slot(const Fd& slot);
// Makes the file one empty, allocated page, whatever its user did to its size.
bool reset_slot(const Fd& slot);
// Whether it is one allocated page.
bool is_whole_slot(const struct stat& info);

}  // namespace slipway::health
