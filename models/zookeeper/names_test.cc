#include "models/zookeeper/names.h"

#include <gmock/gmock.h>

#include <limits>

namespace picklock::zookeeper::names_tests {
namespace {

TEST(Names, ReadTheNumberThatAServerHasAppended) {  // Z21, Z62
  for (const std::int32_t number :
       {0, 7, 1'000'000'000, std::numeric_limits<std::int32_t>::max(), -1, -999'999'999,
        -1'000'000'000, -2'147'483'647, std::numeric_limits<std::int32_t>::min()}) {
    for (const char* prefix : {"lock-", "x-72057594037927936-", "f00d__lock__"})
      EXPECT_EQ(sequence_of(prefix + sequence_text(number)), number) << prefix << number;
  }
}

TEST(Names, PadNumbersToTenCharactersWithTheirSign) {
  EXPECT_EQ(sequence_text(5), "0000000005");
  EXPECT_EQ(sequence_text(-5), "-000000005");
  EXPECT_EQ(sequence_text(std::numeric_limits<std::int32_t>::min()), "-2147483648");
}

TEST(Names, AreNotSequentialWithoutTenDigitsOfANumberThatThereIs) {
  for (const char* name : {"", "lock", "lock123456789", "lock-12345678x0", "lock-9999999999"})
    EXPECT_FALSE(sequence_of(name).has_value()) << name;
}

}  // namespace
}  // namespace picklock::zookeeper::names_tests
