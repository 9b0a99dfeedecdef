// What most files of the rooms include, parsed once for all of them where g++ compiles (see
// common/meson.build). Only headers of other projects: a change of ours should not compile
// everything; and not nlohmann/json.hpp, which adds half a second to each file that gets it
// precompiled. No file relies on this one: clang and -Db_pch=false compile without it.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
