#include "models/redis/taken_keys.h"

#include <algorithm>
#include <array>

#include "models/redis/commands.h"
#include "models/redis/slots.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

constexpr std::array<std::string_view, 4> kOnlyIfFree = {"setnx", "hsetnx", "msetnx", "renamenx"};

bool takes_if_free(const Command& command, Argv argv) {
  if (command.is(kRunsScript)) return !command.is(kRead);
  if (command.name == "set") {
    return std::any_of(argv.begin() + std::min<std::ptrdiff_t>(3, std::ssize(argv)), argv.end(),
                       [](std::string_view word) { return same_word(word, "nx"); });
  }
  return std::find(kOnlyIfFree.begin(), kOnlyIfFree.end(), command.name) != kOnlyIfFree.end();
}

}  // namespace

std::vector<std::string_view> taken_keys(std::string_view request) {
  std::vector<std::string_view> argv;
  if (!read_request(request, argv)) return {};
  const Command* const command = command_called(argv);
  if (command == nullptr || !takes_if_free(*command, argv)) return {};
  std::vector<std::string_view> taken;
  const KeyWords keys = key_words(*command, argv);
  for (std::size_t i = keys.first; i <= keys.last && i < argv.size(); i += keys.step)
    taken.push_back(argv[i]);
  return taken;
}

}  // namespace picklock::redis
