// File descriptors that close themselves, and pairs of them.
#pragma once

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

namespace slipway {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

// Pairs of descriptors, closed on exec. The constructors throw Error if none are left.
struct Pipe {
  Fd read, write;
};
Pipe make_pipe();

// SOCK_SEQPACKET: each write is one message, and an empty read means that the other side ended.
struct SocketPair {
  Fd ours, theirs;
};
SocketPair make_socket_pair();

// Reads once and appends to `into`; closes `fd` at the end of the stream.
void read_some(Fd& fd, std::string& into);

// Closes every descriptor from 3 on, except those in `keep`, where negative ones are ignored.
void close_all_but(std::vector<int> keep);

}  // namespace slipway
