#include "models/resource/replicated_log.h"

#include <charconv>

namespace picklock::models::replicated {
namespace {

constexpr std::string_view kAfter = " AFTER ";
constexpr std::string_view kHigh = " HIGH ";
constexpr std::string_view kLogOf = " LOG";
constexpr std::string_view kReads = "read";

template <typename Number>
Number number_at_start(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::uint32_t count_behind(std::string_view message, std::string_view word) {
  const std::size_t at = message.find(word);
  return at == std::string_view::npos
             ? 0
             : number_at_start<std::uint32_t>(message.substr(at + word.size()));
}

void append_log(std::string& text, const Log& log, std::size_t from) {
  text += kLogOf;
  for (std::size_t i = from; i < log.size(); ++i) {
    text += ' ';
    text += std::to_string(log[i].operation);
    text += '=';
    text += log[i].reads ? std::string(kReads) : std::to_string(log[i].value);
  }
}

Log read_log(std::string_view message) {
  Log log;
  std::string_view rest = message.substr(message.find(kLogOf) + kLogOf.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view entry = rest.substr(0, rest.find(' '));
    rest.remove_prefix(entry.size());
    const std::string_view value = entry.substr(entry.find('=') + 1);
    log.push_back({.operation = number_at_start<std::uint32_t>(entry),
                   .reads = value == kReads,
                   .value = number_at_start<std::int64_t>(value)});
  }
  return log;
}

}  // namespace

std::string promise(std::int64_t epoch) { return std::string(kPromise) + std::to_string(epoch); }

std::string promised(const Promised& state) {
  std::string text(kPromised);
  text += std::to_string(state.log_epoch);
  text.append(kHigh).append(std::to_string(state.high));
  append_log(text, state.log, 0);
  return text;
}

std::string store(std::int64_t epoch, std::uint32_t after, std::uint32_t high, const Log& log) {
  std::string text(kStore);
  text += std::to_string(epoch);
  text.append(kAfter).append(std::to_string(after));
  text.append(kHigh).append(std::to_string(high));
  append_log(text, log, after);
  return text;
}

std::string refused(std::int64_t promised) {
  return std::string(kRefused) + std::to_string(promised);
}

std::int64_t epoch_in(std::string_view message) {
  return number_at_start<std::int64_t>(message.substr(message.find(' ') + 1));
}

Promised read_promised(std::string_view message) {
  return {.log_epoch = epoch_in(message),
          .high = count_behind(message, kHigh),
          .log = read_log(message)};
}

Stored read_store(std::string_view message) {
  return {.epoch = epoch_in(message),
          .after = count_behind(message, kAfter),
          .high = count_behind(message, kHigh),
          .log = read_log(message)};
}

}  // namespace picklock::models::replicated
