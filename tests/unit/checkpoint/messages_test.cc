// Tests of the messages of fast checkpoints.
#include "launcher/checkpoint/messages.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::checkpoint;

namespace {

const std::string digest(digest_bytes, 'd');

template <class Message>
void returns(const Message& message) {
  const std::string bytes = encode(message);
  const auto decoded = decode<Message>(bytes);
  CHECK(decoded.index() == message.index());
  CHECK(encode(decoded) == bytes);
  // Nothing shorter or longer is a message.
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(decode<Message>(bytes.substr(0, size)), Error);
  CHECK_THROWS_AS(decode<Message>(bytes + 'x'), Error);
}

}  // namespace

TEST_CASE("checkpoint messages: every kind reads back as written, and nothing else is read") {
  returns<ToKeeper>(Copy{7, 20, digest, {{"n1", 4000}, {"n2", 4001}}});
  returns<ToKeeper>(Restore{2, -1, {{7, digest, {}}, {8, digest, {{"n1", 4000}}}}, "/steps", 6});
  returns<ToKeeper>(Retire{20, -1, 10, 15});
  returns<ToKeeper>(Write{{"/disk", 20, "7.1"}, {{3, digest}, {4, digest}}});
  returns<ToKeeper>(Publish{{"/disk", 20, "7.1"}, {digest, digest}});
  returns<ToKeeper>(Find{2, "/disk", 20});
  returns<ToKeeper>(TurnOff{});
  returns<FromKeeper>(Open{4000, int64_t{1} << 40, "spine.leaf1"});
  returns<FromKeeper>(Kept{2, 7, 20, 1000, digest});
  returns<FromKeeper>(Missing{2, 7, 20, "why"});
  returns<FromKeeper>(Restored{2, 20, ""});
  returns<FromKeeper>(Notice{"text"});
  returns<FromKeeper>(Off{"text"});
  returns<PeerMessage>(Want{7, 20, digest});
  returns<PeerMessage>(Manifest{{"a"}, {{"a/b", 5, digest}}});
  returns<PeerMessage>(Piece{"bytes"});
  returns<PeerMessage>(Refusal{"why"});
}

TEST_CASE("checkpoint messages: what exceeds a limit is neither sent nor read") {
  CHECK_THROWS_AS(encode(PeerMessage(Piece{std::string(piece_bytes + 1, 'x')})), Error);
  CHECK_THROWS_AS(encode(PeerMessage(Want{-1, 20, digest})), Error);
  CHECK_THROWS_AS(encode(PeerMessage(Want{most_ranks, 20, digest})), Error);
  CHECK_THROWS_AS(encode(PeerMessage(Want{1, -1, digest})), Error);
  CHECK_THROWS_AS(encode(PeerMessage(Want{1, 20, "short"})), Error);
  CHECK_THROWS_AS(encode(ToKeeper(Copy{1, 2, digest, {{"n", 0}}})), Error);
  CHECK_THROWS_AS(encode(ToKeeper(Copy{1, 2, digest, {{std::string("n\0", 2), 1}}})), Error);
}

TEST_CASE("checkpoint messages: a forged length allocates nothing") {
  // A manifest with 4 billion folders.
  CHECK_THROWS_AS(decode<PeerMessage>(std::string("\1\xff\xff\xff\xff", 5)), Error);
  CHECK_THROWS_AS(decode<PeerMessage>(std::string("\x09", 1)), Error);
}
