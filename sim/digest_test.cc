#include "sim/digest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "sim/scheduler.h"

namespace picklock::sim {
namespace {

using namespace std::chrono_literals;

// Computed by another program from the definition: a machine or compiler that differs is found
// here.
TEST(Digest, HasKnownValues) {
  Digest digest;
  digest.reset(1);
  digest.add(0);
  EXPECT_EQ(digest.value(), 0x7e3f02f07d439179ull);
  digest.add(1);
  EXPECT_EQ(digest.value(), 0x8d24b9660c9e454bull);
  digest.add(~0ull);
  EXPECT_EQ(digest.value(), 0xe5419e296bae3976ull);
}

TEST(Fingerprint, HasKnownValues) {
  EXPECT_EQ(fingerprint("a"), 0x523bdd199a25a376ull);
  EXPECT_EQ(fingerprint("ab"), 0xfb2821719c1cda22ull);
  EXPECT_EQ(fingerprint("abc"), 0x5bc3e7b33a3df0ccull);
  EXPECT_EQ(fingerprint("abcd"), 0xda588719934cc795ull);
  EXPECT_EQ(fingerprint("abcdefg"), 0x95d35d2beaa6ab0bull);
  EXPECT_EQ(fingerprint("abcdefgh"), 0x9a39aef741961ceeull);
  EXPECT_EQ(fingerprint("0123456789abcdef"), 0x738dba7d7911ee71ull);
  EXPECT_EQ(fingerprint("0123456789abcdefg"), 0x305fd1ac18e9505aull);
  std::string hundred;
  for (char c = 0; c < 100; ++c) hundred += c;
  EXPECT_EQ(fingerprint(hundred), 0x46395fd0b2eaadadull);
  EXPECT_EQ(hash_of("abc"), 0x7b10273ff7341382ull);
}

TEST(Digest, DependsOnTheOrderOfWhatIsAdded) {
  Digest one;
  Digest other;
  one.add(1);
  one.add(2);
  other.add(2);
  other.add(1);
  EXPECT_NE(one.value(), other.value());
}

TEST(Digest, BeginsFromItsSeed) {
  Digest one;
  Digest other;
  one.add(9);
  one.reset(7);
  other.reset(7);
  EXPECT_EQ(one.value(), other.value());
  other.reset(8);
  EXPECT_NE(one.value(), other.value());
}

RC_GTEST_PROP(Digest, ChangesWithEveryBitAdded, (std::uint64_t word)) {
  const auto bit = *rc::gen::inRange(0, 64);
  Digest one;
  Digest other;
  one.add(word);
  other.add(word ^ (1ull << bit));
  RC_ASSERT(one.value() != other.value());
}

RC_GTEST_PROP(Fingerprint, ChangesWithEveryBitOfTheBytes, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 70);
  auto bytes = *rc::gen::container<std::string>(size, rc::gen::arbitrary<char>());
  const auto at = *rc::gen::inRange<std::size_t>(0, size);
  const auto bit = *rc::gen::inRange(0, 8);
  const std::uint64_t before = fingerprint(bytes);
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
  RC_ASSERT(fingerprint(bytes) != before);
}

TEST(Fingerprint, TellsTheShortestTextsApart) {
  std::set<std::uint64_t> seen = {fingerprint("")};
  for (int c = 0; c < 256; ++c) seen.insert(fingerprint(std::string(1, static_cast<char>(c))));
  for (std::size_t zeros = 2; zeros < 40; ++zeros) seen.insert(fingerprint(std::string(zeros, 0)));
  EXPECT_EQ(seen.size(), 1u + 256u + 38u);
}

std::uint64_t digest_of(const Occurrence& occurrence) {
  Scheduler scheduler;
  scheduler.reset(1, false);
  scheduler.record().report(occurrence);
  return scheduler.record().digest().value();
}

TEST(Digest, ChangesWithEveryFieldOfAnOccurrence) {
  const Occurrence occurrence{.at = kStart + 1s,
                              .what = Occurred::link_cut,
                              .process = 1,
                              .peer = 1,
                              .thread = 1,
                              .tag = 1,
                              .fault = 1};
  const auto differs = [&occurrence](auto change) {
    Occurrence other = occurrence;
    change(other);
    return digest_of(other) != digest_of(occurrence);
  };
  EXPECT_TRUE(differs([](Occurrence& o) { o.at += 1ns; }));
  EXPECT_TRUE(differs([](Occurrence& o) { o.what = Occurred::link_healed; }));
  EXPECT_TRUE(differs([](Occurrence& o) { o.process = 2; }));
  EXPECT_TRUE(differs([](Occurrence& o) { o.peer = 2; }));
  EXPECT_TRUE(differs([](Occurrence& o) { o.thread = 2; }));
  EXPECT_TRUE(differs([](Occurrence& o) { o.tag = 2; }));
  EXPECT_TRUE(differs([](Occurrence& o) { o.fault = 2; }));
}

}  // namespace
}  // namespace picklock::sim
