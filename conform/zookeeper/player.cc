#include "conform/zookeeper/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "models/zookeeper/names.h"
#include "models/zookeeper/wire.h"

namespace picklock::conform::zookeeper {
namespace {

constexpr std::int32_t kFence = -77;  // xid of the request that shows that nothing more has come
constexpr std::string_view kEnded = "EOF";

template <typename Record>
std::string bytes_of(const Record& record) {
  sim::Payload payload;
  write(record, payload);
  return std::string(payload.view());
}

template <typename Record>
void must_be_the_same(const Record& record, std::string_view bytes) {
  if (bytes_of(record) != bytes)
    throw std::runtime_error("what came does not come out again as the same bytes");
}

Request request_of(const Ask& ask, std::int32_t xid, Zxid now) {
  const auto views = [](const std::vector<std::string>& texts) {
    return std::vector<std::string_view>(texts.begin(), texts.end());
  };
  Request request{.xid = xid,
                  .op = ask.op,
                  .path = ask.path,
                  .version = ask.version,
                  .flags = ask.flags,
                  .has_acl = ask.has_acl,
                  .watch = ask.watch,
                  .seen = now - ask.seen,
                  .data_watches = views(ask.data_watches),
                  .exists_watches = views(ask.exists_watches),
                  .child_watches = views(ask.child_watches)};
  if (ask.data) request.data = *ask.data;
  for (const Ask& part : ask.parts) request.parts.push_back(request_of(part, 0, now));
  return request;
}

class Player {
 public:
  Player(Line& line, const Sequence& sequence) : line_(line), sequence_(sequence) {
    links_.resize(sequence.connections + 1);
  }

  std::vector<Outcome> run() {
    prepare();
    std::vector<Outcome> outcomes;
    for (const Step& step : sequence_.steps) {
      outcome_ = {};
      outcome_.came.resize(sequence_.connections);
      take(step);
      fence();
      stay();
      outcomes.push_back(std::move(outcome_));
    }
    clean_up();
    return outcomes;
  }

 private:
  struct Link {
    bool open = false;
    SessionId session = 0;
    std::string password;
    std::int32_t timeout = 0;
  };

  // ------------------------------------------------------------ steps

  void take(const Step& step) {
    const std::uint32_t i = step.connection;
    switch (step.kind) {
      case Step::Kind::pass:
        line_.sleep(step.timeout);
        return;
      case Step::Kind::connect:
        hang_up(i);
        links_[i].session = 0;
        links_[i].timeout = step.timeout;
        connect(i, links_[i].password);
        return;
      case Step::Kind::resume:
        hang_up(i);
        connect(i, links_[i].password);
        return;
      case Step::Kind::intrude:
        hang_up(i);
        connect(i, std::string(kPasswordSize, 'x'));
        return;
      case Step::Kind::usurp:
        hang_up(i);
        links_[i].session = links_[step.from].session;
        connect(i, links_[step.from].password);
        return;
      case Step::Kind::drop:
        hang_up(i);
        return;
      case Step::Kind::ask:
        break;
    }
    if (!links_[i].open) connect(i, links_[i].password);
    if (!links_[i].open) return;
    ask(i, step.ask);
  }

  void hang_up(std::uint32_t i) {
    if (links_[i].open) line_.hang_up(i);
    links_[i].open = false;
  }

  void connect(std::uint32_t i, std::string password) {
    Link& link = links_[i];
    if (link.session == 0) password.assign(kPasswordSize, '\0');
    if (link.timeout == 0) link.timeout = 4000;
    line_.dial(i);
    link.open = true;
    line_.send(i, bytes_of(ConnectRequest{.last_zxid = last_,
                                          .timeout = link.timeout,
                                          .session = link.session,
                                          .password = password}));
    const std::optional<std::string> bytes = line_.receive(i);
    if (!bytes) {
      ended(i);
      return;
    }
    ConnectResponse response;
    if (!read(*bytes, response)) throw std::runtime_error("this is no answer to a connect");
    must_be_the_same(response, *bytes);
    if (response.session != 0) {
      // A new session is a write of its own.
      if (link.session == 0) ++last_;
      link.session = response.session;
      link.password = response.password;
      opened_[link.session] = link.password;
      number_of(link.session);
    }
    const std::string zeros(kPasswordSize, '\0');
    came(i,
         bytes_of(ConnectResponse{.timeout = response.timeout,
                                  .session = number_of(response.session),
                                  .password = response.session == 0 ? response.password : zeros}));
    if (response.session != 0) return;
    link.session = 0;
    if (line_.receive(i)) throw std::runtime_error("a session that is none was served");
    ended(i);
  }

  void ask(std::uint32_t i, const Ask& ask) {
    const std::int32_t xid = ask.op == OpCode::ping          ? kPing
                             : ask.op == OpCode::set_watches ? kSetWatches
                                                             : ++xids_;
    if (!ask.path.empty()) outcome_.znode = line_.look(ask.path, links_[i].session);
    line_.send(i, bytes_of(request_of(ask, xid, last_)));
    if (!receive_until(i, xid, ask.op)) return;
    outcome_.answered = true;
    if (ask.op == OpCode::close_session || !is_known(ask.op)) {
      if (ask.op == OpCode::close_session) links_[i].session = 0;
      if (line_.receive(i)) throw std::runtime_error("there is something behind the last answer");
      ended(i);
    }
  }

  // ------------------------------------------------------------ messages

  // Messages that came before the answer are taken first. False: no answer came.
  bool receive_until(std::uint32_t i, std::int32_t xid, OpCode op) {
    for (;;) {
      const std::optional<std::string> bytes = line_.receive(i);
      if (!bytes) {
        // Before a server ends a session by itself, it does not always send all its events.
        if (i < outcome_.came.size()) std::erase_if(outcome_.came[i], is_event);
        ended(i);
        return false;
      }
      const std::int32_t mine = xid_of(*bytes);
      if (mine == kNotification) {
        Event event;
        if (!read(*bytes, event)) throw std::runtime_error("this is no event");
        must_be_the_same(event, *bytes);
        came(i, *bytes);
        continue;
      }
      if (mine != xid) throw std::runtime_error(fmt::format("an answer to {} came", mine));
      Reply reply;
      reply.op = op;
      if (!read(*bytes, reply)) throw std::runtime_error("this is no answer");
      // On the wire, a container made in a multi is a create2 (Z52).
      for (Reply& part : reply.parts) {
        if (part.op == OpCode::create2) part.op = OpCode::create_container;
      }
      must_be_the_same(reply, *bytes);
      last_ = std::max(last_, reply.zxid);
      if (xid == kFence) return true;
      outcome_.code = reply.code;
      for (const Reply& part : reply.parts) {
        if (part.code != Code::ok && outcome_.code == Code::ok) outcome_.code = part.code;
      }
      normalise(reply);
      came(i, bytes_of(reply));
      return true;
    }
  }

  static bool is_event(const std::string& message) {
    return message.size() > kEnded.size() && xid_of(message) == kNotification;
  }
  void came(std::uint32_t i, std::string message) {
    if (i < outcome_.came.size()) outcome_.came[i].push_back(std::move(message));
  }
  void ended(std::uint32_t i) {
    line_.hang_up(i);
    links_[i].open = false;
    came(i, std::string(kEnded));
  }

  // Once the other connections have been answered, all their messages have come.
  void fence() {
    for (std::uint32_t i = 0; i < sequence_.connections; ++i) {
      if (!links_[i].open) continue;
      line_.send(i, bytes_of(Request{.xid = kFence, .op = OpCode::exists, .path = kRoot}));
      receive_until(i, kFence, OpCode::exists);
    }
  }

  // Without pings, the session of the one who cleans up would end during a long sequence. If a slow
  // server ends it all the same, the zxids differ, and the sequence is compared again
  // (Pair::attempts).
  void stay() {
    line_.send(control_, bytes_of(Request{.xid = kPing, .op = OpCode::ping}));
    if (line_.receive(control_)) return;
    ended(control_);
    links_[control_].session = 0;
    connect(control_, "");
  }

  // ------------------------------------------------------------ the form to be compared

  SessionId number_of(SessionId session) {
    if (session == 0) return 0;
    return sessions_.emplace(session, static_cast<SessionId>(sessions_.size() + 1)).first->second;
  }

  void normalise(Stat& stat) {
    for (Zxid* zxid : {&stat.czxid, &stat.mzxid, &stat.pzxid}) {
      if (*zxid != 0) *zxid -= base_;
    }
    stat.ctime = stat.mtime = 0;
    stat.ephemeral_owner = number_of(stat.ephemeral_owner);
  }

  void normalise(Reply& reply) {
    if (reply.zxid > 0) reply.zxid -= base_;
    normalise(reply.stat);
    std::sort(reply.children.begin(), reply.children.end());
    for (Reply& part : reply.parts) normalise(part);
  }

  // ------------------------------------------------------------ before and after

  // One more connection creates the root anew and reads the server's last zxid.
  void prepare() {
    control_ = sequence_.connections;
    links_[control_].timeout = 4000;
    connect(control_, "");
    remove_tree(std::string(kRoot));
    ask(control_, {.op = OpCode::create, .path = std::string(kRoot), .data = ""});
    base_ = last_;
    sessions_.clear();
  }

  void remove_tree(const std::string& path) {
    line_.send(control_,
               bytes_of(Request{.xid = ++xids_, .op = OpCode::get_children, .path = path}));
    std::vector<std::string> children;
    for (;;) {
      const std::optional<std::string> bytes = line_.receive(control_);
      if (!bytes) throw std::runtime_error("the server hung up on who cleans up");
      Reply reply;
      reply.op = OpCode::get_children;
      if (xid_of(*bytes) != xids_ || !read(*bytes, reply)) continue;
      last_ = std::max(last_, reply.zxid);
      if (reply.code == Code::no_node) return;
      children.assign(reply.children.begin(), reply.children.end());
      break;
    }
    for (const std::string& child : children) remove_tree(child_of(path, child));
    ask(control_, {.op = OpCode::remove, .path = path});
  }

  void clean_up() {
    // A session that stayed open would end in the middle of another sequence.
    outcome_ = {};
    for (const auto& [session, password] : std::map(opened_)) {
      if (session == links_[control_].session) continue;
      hang_up(0);
      links_[0].session = session;
      connect(0, password);
      if (links_[0].open) ask(0, {.op = OpCode::close_session});
    }
    remove_tree(std::string(kRoot));
    ask(control_, {.op = OpCode::close_session});
  }

  Line& line_;
  const Sequence& sequence_;
  std::vector<Link> links_;
  std::uint32_t control_ = 0;
  Outcome outcome_;
  std::int32_t xids_ = 0;
  Zxid last_ = 0;  // the last that an answer has shown
  Zxid base_ = 0;
  std::map<SessionId, SessionId> sessions_;  // numbers of sessions
  std::map<SessionId, std::string> opened_;  // passwords of sessions
};

}  // namespace

std::vector<Outcome> play(Line& line, const Sequence& sequence) {
  return Player(line, sequence).run();
}

std::string shown(std::string_view message) {
  if (message == kEnded) return "ends the connection";
  std::string text = protocol().describe(message, true);
  std::string hex;
  for (const char byte : message) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text + "  " + hex;
}

}  // namespace picklock::conform::zookeeper
