// Tests of copying a step between two nodes, with peers that do everything wrong.
#include "launcher/checkpoint/transfer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <thread>

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::checkpoint;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

bool not_cancelled() {
  return false;
}

struct Sockets {
  Fd one, other;
};
Sockets make_sockets() {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> pair = {};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()) == 0);
  return {Fd(pair[0]), Fd(pair[1])};
}

// A folder with a step of two files, and what it takes to get it.
struct Place {
  TemporaryDirectory folder;
  std::shared_ptr<const Manifest> manifest;
  Want want;

  Place() {
    fs::create_directory(folder / "from");
    write_file(folder / "from/a", std::string(3 * piece_bytes / 2, 'a'));
    write_file(folder / "from/b", "b");
    manifest = std::make_shared<const Manifest>(read_step(folder / "from", not_cancelled));
    want = {3, 20, digest_of(*manifest)};
  }

  // What fetching reports when the peer does this; "" if it works.
  std::string fetch(
      const std::function<void(PeerChannel&)>& peer,
      const Admit& admit = [](const Manifest&) { return WrittenOver(); },
      std::chrono::milliseconds patience = 5s) {
    Sockets sockets = make_sockets();
    std::thread thread([&] {
      PeerChannel channel(std::move(sockets.other), 5s);
      try {
        peer(channel);
      } catch (const Error&) {
        // The other side gave up.
      }
    });
    std::string error;
    try {
      PeerChannel channel(std::move(sockets.one), patience);
      fetch_step(channel, want, folder / "to", admit, not_cancelled);
    } catch (const Error& caught) {
      error = caught.what();
    }
    thread.join();
    return error;
  }

  void serve(PeerChannel& peer) {
    serve_step(peer, [&](const Want& asked) {
      return asked.digest == want.digest ? ServedStep{folder / "from", manifest} : ServedStep{};
    });
  }
};

const std::string piece(piece_bytes, 'a');

}  // namespace

TEST_CASE("transfer: a step is copied") {
  Place place;
  CHECK(place.fetch([&](PeerChannel& peer) { place.serve(peer); }) == "");
  CHECK(digest_of(read_step(place.folder / "to", not_cancelled)) == place.want.digest);
}

TEST_CASE("transfer: a peer without the step says so") {
  Place place;
  place.want.digest[0] ^= 1;
  CHECK(place.fetch([&](PeerChannel& peer) {
    serve_step(peer, [](const Want&) { return ServedStep{}; });
  }) == "it does not have the step");
}

TEST_CASE("transfer: a step that is removed while it is sent is refused") {
  Place place;
  CHECK(place.fetch([&](PeerChannel& peer) {
    fs::remove(place.folder / "from/b");
    place.serve(peer);
  }) == "cannot read `b`: No such file or directory");
}

TEST_CASE("transfer: another step than the wanted one is not taken") {
  Place place;
  CHECK(place.fetch([&](PeerChannel& peer) {
    peer.receive();
    peer.send(Manifest{});
  }) == "its step has another digest");
  CHECK(!fs::exists(place.folder / "to"));
}

TEST_CASE("transfer: a peer that ends early, sends too little or in another order") {
  Place place;
  const auto after_manifest = [&](const std::vector<PeerMessage>& messages) {
    fs::remove_all(place.folder / "to");
    return place.fetch([&](PeerChannel& peer) {
      peer.receive();
      peer.send(*place.manifest);
      for (const PeerMessage& each : messages) peer.send(each);
    });
  };
  CHECK(after_manifest({}) == "it ended the connection, or stopped sending");
  CHECK(after_manifest({Piece{piece}}) == "it ended the connection, or stopped sending");
  CHECK(after_manifest({Piece{piece}, Piece{"x"}}) == "a piece of 1 bytes of `a`, expected 524288");
  CHECK(after_manifest({Piece{piece}, Piece{std::string(piece_bytes / 2, 'x')}}) ==
        "`a` does not have the digest that was announced");
  CHECK(after_manifest({*place.manifest}) == "it sent a message out of order");
  CHECK(after_manifest({place.want}) == "it sent a message out of order");
  CHECK(after_manifest({Piece{piece}, Refusal{"no more"}}) == "no more");
}

TEST_CASE("transfer: a peer that stops sending is given up") {
  Place place;
  CHECK(place.fetch(
            [&](PeerChannel& peer) {
              peer.receive();
              peer.send(*place.manifest);
              peer.receive();  // until the other side has given up
            },
            [](const Manifest&) { return WrittenOver(); },
            50ms) == "it ended the connection, or stopped sending");
}

TEST_CASE("transfer: a peer that stops reading is given up") {
  Sockets sockets = make_sockets();
  PeerChannel channel(std::move(sockets.one), 50ms);
  std::string error;
  try {
    for (;;) channel.send(Piece{piece});
  } catch (const Error& caught) {
    error = caught.what();
  }
  CHECK(error == "it stopped reading");
}

TEST_CASE("transfer: when there is no room, nothing is written") {
  Place place;
  int64_t asked = 0;
  CHECK(place.fetch([&](PeerChannel& peer) { place.serve(peer); },
                    [&](const Manifest& manifest) -> WrittenOver {
                      asked = size_of(manifest);
                      throw MemoryFull("no room");
                    }) == "no room");
  CHECK(asked == static_cast<int64_t>(3 * piece_bytes / 2 + 1));
  CHECK(!fs::exists(place.folder / "to"));
}

TEST_CASE("transfer: bytes that arrive a few at a time are put together") {
  Place place;
  Sockets fast = make_sockets(), slow = make_sockets();
  std::thread serving([&] {
    PeerChannel channel(std::move(fast.one), 5s);
    place.serve(channel);
  });
  std::thread passing([&] {
    const auto pass = [](int from, int to, size_t most) {
      std::array<char, 8192> bytes = {};
      for (;;) {
        const ssize_t got = ::recv(from, bytes.data(), most, 0);
        if (got == 0) return ::shutdown(to, SHUT_WR);
        if (got < 0) continue;  // nothing yet
        REQUIRE(::send(to, bytes.data(), static_cast<size_t>(got), MSG_NOSIGNAL) == got);
      }
    };
    for (const int fd : {fast.other.get(), slow.other.get()})
      REQUIRE(::fcntl(fd, F_SETFL, 0) == 0);  // waits
    std::thread asking([&] { pass(slow.other.get(), fast.other.get(), 3); });
    pass(fast.other.get(), slow.other.get(), 7919);  // ends nowhere where a message does
    asking.join();
  });
  PeerChannel channel(std::move(slow.one), 5s);
  fetch_step(
      channel, place.want, place.folder / "to", [](const Manifest&) { return WrittenOver(); },
      not_cancelled);
  channel = PeerChannel(Fd(), 5s);
  serving.join();
  passing.join();
  CHECK(digest_of(read_step(place.folder / "to", not_cancelled)) == place.want.digest);
}

TEST_CASE("transfer: what is not a message ends the connection") {
  const auto receive = [](const std::string& bytes) {
    Sockets sockets = make_sockets();
    REQUIRE(::send(sockets.other.get(), bytes.data(), bytes.size(), 0) ==
            static_cast<ssize_t>(bytes.size()));
    sockets.other.reset();
    try {
      PeerChannel(std::move(sockets.one), 1s).receive();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(receive("") == "it ended the connection, or stopped sending");
  CHECK(receive(std::string("\0\0", 2)) == "it ended the connection, or stopped sending");
  CHECK(receive("\xff\xff\xff\xff") == "it sent a message of 4294967295 bytes");
  CHECK(receive(std::string("\0\0\0\1\x20", 5)) == "unknown kind 32");
  CHECK(receive(std::string("\0\0\0\0", 4)) == "it ends too early");
}
