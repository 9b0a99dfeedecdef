#include "common/secret.h"

#include "common/handshake.h"
#include "tests/unit/catch.h"

using namespace slipway;

namespace {

std::string of_hex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

const Speaker one = {1, "0.1.0"}, another = {2, "0.2.0-rc1"};

}  // namespace

TEST_CASE("hmac: the test cases of RFC 4231") {
  struct Case {
    std::string key, data, digest;
  };
  const Case cases[] = {
      {std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {of_hex("0102030405060708090a0b0c0d0e0f10111213141516171819"), std::string(50, '\xcd'),
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {std::string(131, '\xaa'),
       "This is a test using a larger than block-size key and a larger than block-size data. The "
       "key needs to be hashed before being used by the HMAC algorithm.",
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
  };
  for (const Case& each : cases) CHECK(to_hex(hmac_sha256(each.key, each.data)) == each.digest);
}

TEST_CASE("secret: as hexadecimal digits and back, and nothing else") {
  const Secret secret = random_secret();
  CHECK(secret_from_hex(to_hex(secret)) == secret);
  CHECK(random_secret() != secret);
  CHECK_FALSE(secret_from_hex(""));
  CHECK_FALSE(secret_from_hex(to_hex(secret) + "0"));
  CHECK_FALSE(secret_from_hex(std::string(64, 'g')));
}

TEST_CASE("handshake: a peer with the key is accepted, and gets a confirmation") {
  const Secret key = random_secret();
  const std::string greeting = make_greeting(one);
  CHECK(greeting.size() == greeting_bytes);
  CHECK(speaker_of(greeting).value().version == "0.1.0");
  const std::string answer = make_answer(key, "test", another, greeting, "node-7");
  CHECK(answer.size() == answer_bytes);
  const auto proven = check_answer(key, "test", greeting, answer);
  REQUIRE(proven);
  CHECK(proven->claim == "node-7");
  CHECK(proven->speaker.protocol == 2);
  CHECK(proven->speaker.version == "0.2.0-rc1");
  const std::string confirmation = make_confirmation(key, "test", greeting, answer);
  CHECK(check_confirmation(key, "test", greeting, answer, confirmation));
}

TEST_CASE("handshake: an answer with a changed bit is refused") {
  const Secret key = random_secret();
  const std::string greeting = make_greeting(one);
  const std::string answer = make_answer(key, "test", one, greeting, "a");
  for (size_t at = 0; at < answer.size(); ++at) {
    std::string other = answer;
    other[at] = static_cast<char>(other[at] ^ 1);
    if (check_answer(key, "test", greeting, other)) FAIL("byte " << at);
  }
}

TEST_CASE("handshake: a proof cannot be reused") {
  const Secret key = random_secret();
  const std::string greeting = make_greeting(one);
  const std::string answer = make_answer(key, "test", one, greeting, "a");
  CHECK_FALSE(check_answer(random_secret(), "test", greeting, answer));
  CHECK_FALSE(check_answer(key, "other", greeting, answer));
  CHECK_FALSE(check_answer(key, "test", make_greeting(one), answer));  // replayed
  const std::string proof = answer.substr(answer_bytes - secret_bytes);
  CHECK_FALSE(check_confirmation(key, "test", greeting, answer, proof));
  const std::string again = make_answer(key, "test", one, greeting, "a");
  const std::string confirmation = make_confirmation(key, "test", greeting, answer);
  CHECK_FALSE(check_confirmation(key, "test", greeting, again, confirmation));
}

TEST_CASE("handshake: an invalid greeting is refused, and a version is only text") {
  CHECK_FALSE(speaker_of(std::string(greeting_bytes, 'x')));
  CHECK_FALSE(speaker_of("slipway"));
  CHECK(speaker_of(make_greeting({1, "1\n\x1b[31m"})).value().version == "1??[31m");
}
