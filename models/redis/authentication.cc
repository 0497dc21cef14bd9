#include "models/redis/authentication.h"

#include <string>

#include "models/redis/commands.h"

namespace picklock::redis {
namespace {

bool authenticate(std::string_view user, std::string_view password, std::string_view wanted,
                  bool& authenticated, Reply& reply) {
  if (user != "default" || (!wanted.empty() && password != wanted)) {
    reply.set_error("WRONGPASS invalid username-password pair or user is disabled.");
    return false;
  }
  authenticated = true;
  return true;
}

}  // namespace

void auth(Argv argv, std::string_view wanted, bool& authenticated, Reply& reply) {
  if (argv.size() > 3) {
    syntax_error(reply);
    return;
  }
  if (argv.size() == 2 && wanted.empty()) {
    reply.set_error(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
    return;
  }
  const std::string_view user = argv.size() == 3 ? argv[1] : "default";
  if (authenticate(user, argv.back(), wanted, authenticated, reply)) reply.set_status("OK");
}

bool set_name(Session& session, std::string_view name, Reply& reply) {
  for (char letter : name) {
    if (letter < '!' || letter > '~') {
      reply.set_error("ERR Client names cannot contain spaces, newlines or special characters.");
      return false;
    }
  }
  session.name.assign(name);
  return true;
}

bool hello(Argv argv, std::string_view wanted, Session& session, Reply& reply) {
  std::int64_t protocol = 0;
  if (argv.size() > 1) {
    if (!strict_integer(argv[1], protocol)) {
      reply.set_error("ERR Protocol version is not an integer or out of range");
      return false;
    }
    if (protocol < 2 || protocol > 3) {
      reply.set_error("NOPROTO unsupported protocol version");
      return false;
    }
  }
  for (std::size_t i = 2; i < argv.size(); ++i) {
    const std::size_t more = argv.size() - i - 1;
    if (same_word(argv[i], "auth") && more >= 2) {
      if (!authenticate(argv[i + 1], argv[i + 2], wanted, session.authenticated, reply))
        return false;
      i += 2;
    } else if (same_word(argv[i], "setname") && more >= 1) {
      if (!set_name(session, argv[i + 1], reply)) return false;
      ++i;
    } else {
      std::string text = "ERR Syntax error in HELLO option '";
      reply.set_error(text.append(until_zero(argv[i])).append("'"));
      return false;
    }
  }
  if (!session.authenticated) {
    reply.set_error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
        "AUTH <user> <pass> option can be used to authenticate the client and select the RESP "
        "protocol version at the same time");
    return false;
  }
  if (protocol != 0) session.protocol = static_cast<std::uint8_t>(protocol);
  return true;
}

}  // namespace picklock::redis
