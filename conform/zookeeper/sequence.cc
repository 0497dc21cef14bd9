#include "conform/zookeeper/sequence.h"

#include <fmt/format.h>

#include "models/zookeeper/wire.h"

namespace picklock::conform::zookeeper {
namespace {

std::string in_quotes(std::string_view text) {
  std::string all = "\"";
  for (const char one : text) {
    const auto byte = static_cast<unsigned char>(one);
    if (byte < 0x20 || byte > 0x7e || one == '"' || one == '\\') {
      all += fmt::format("\\x{:02x}", byte);
    } else {
      all += one;
    }
  }
  return all + '"';
}

std::string listed(const std::vector<std::string>& paths) {
  std::string all;
  for (const std::string& path : paths) all.append(all.empty() ? "" : ", ").append(in_quotes(path));
  return "[" + all + "]";
}

std::string shown(const Ask& ask) {
  std::string text(name(ask.op));
  if (text == "?") text = fmt::format("operation {}", static_cast<std::int32_t>(ask.op));
  switch (ask.op) {
    case OpCode::create:
    case OpCode::create2:
    case OpCode::create_container:
      text += fmt::format(" {} {} flags {}{}", in_quotes(ask.path),
                          ask.data ? in_quotes(*ask.data) : "null", ask.flags,
                          ask.has_acl ? "" : " without rights");
      break;
    case OpCode::remove:
    case OpCode::check:
      text += fmt::format(" {} version {}", in_quotes(ask.path), ask.version);
      break;
    case OpCode::set_data:
      text += fmt::format(" {} {} version {}", in_quotes(ask.path),
                          ask.data ? in_quotes(*ask.data) : "null", ask.version);
      break;
    case OpCode::remove_watches:
      text += fmt::format(" {} of type {}", in_quotes(ask.path), ask.flags);
      break;
    case OpCode::set_watches:
      text += fmt::format(" as of {} writes ago: data {}, exists {}, children {}", ask.seen,
                          listed(ask.data_watches), listed(ask.exists_watches),
                          listed(ask.child_watches));
      break;
    case OpCode::multi:
      for (const Ask& part : ask.parts) text += "; " + shown(part);
      break;
    case OpCode::ping:
    case OpCode::close_session:
      break;
    default:
      text += " " + in_quotes(ask.path);
      if (ask.watch) text += " watched";
      break;
  }
  return text;
}

}  // namespace

std::string shown(const Step& step) {
  switch (step.kind) {
    case Step::Kind::ask:
      break;
    case Step::Kind::connect:
      return fmt::format("{}> connects for a session of {} ms", step.connection + 1, step.timeout);
    case Step::Kind::resume:
      return fmt::format("{}> connects again to its session", step.connection + 1);
    case Step::Kind::intrude:
      return fmt::format("{}> connects to its session with a wrong password", step.connection + 1);
    case Step::Kind::usurp:
      return fmt::format("{}> connects to the session of {}", step.connection + 1, step.from + 1);
    case Step::Kind::drop:
      return fmt::format("{}> hangs up", step.connection + 1);
    case Step::Kind::pass:
      return fmt::format("   ({} ms pass)", step.timeout);
  }
  return fmt::format("{}> {}", step.connection + 1, shown(step.ask));
}

}  // namespace picklock::conform::zookeeper
