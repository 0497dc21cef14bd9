#include "models/zookeeper/peer_wire.h"

#include <array>
#include <string>

#include "models/zookeeper/jute.h"
#include "models/zookeeper/wire.h"

namespace picklock::zookeeper {
namespace {

using jute::put;
using jute::Reader;

template <typename SomeWrite, typename Direction>
void each_of_write(SomeWrite& write, Direction&& direct) {
  direct(write.op);
  direct(write.session);
  direct(write.path);
  direct(write.data);
  direct(write.version);
  direct(write.flags);
  direct(write.has_acl);
  direct(write.timeout);
}

template <typename SomeMessage, typename Direction>
void each_field(SomeMessage& message, Direction&& direct) {
  switch (message.packet) {
    case Packet::notification:
      direct(message.state);
      direct(message.round);
      direct(message.vote.leader);
      direct(message.vote.zxid);
      direct(message.vote.epoch);
      break;
    case Packet::follower_info:
    case Packet::leader_info:
      direct(message.epoch);
      break;
    case Packet::ack_epoch:
      direct(message.epoch);
      direct(message.zxid);
      break;
    case Packet::truncate:
    case Packet::commit:
    case Packet::new_leader:
    case Packet::up_to_date:
    case Packet::ack:
      direct(message.zxid);
      break;
    case Packet::proposal:
      direct(message.proposal.zxid);
      direct(message.proposal.ms);
      direct(message.proposal.server);
      direct(message.proposal.request);
      break;
    case Packet::request:
    case Packet::sync:
      direct(message.request);
      break;
    case Packet::revalidate:
      direct(message.request);
      direct(message.session);
      direct(message.timeout);
      direct(message.valid);
      break;
    case Packet::ping:
      break;
  }
}

bool has_write(Packet packet) { return packet == Packet::proposal || packet == Packet::request; }

void put_write(const Write& write, sim::Payload& out) {
  each_of_write(write, [&out](const auto& field) { put(out, field); });
  put(out, static_cast<std::int32_t>(write.parts.size()));
  for (const Write& part : write.parts) put_write(part, out);
}

void take_write(Reader& in, Write& write) {
  each_of_write(write, [&in](auto& field) { in.take(field); });
  write.parts.clear();
  for (std::int32_t left = in.number(); left > 0 && in.good(); --left)
    take_write(in, write.parts.emplace_back());
}

// ---------------------------------------------------------------- for readers

constexpr std::array<std::string_view, 14> kNames = {
    "NOTIFICATION", "FOLLOWERINFO", "LEADERINFO", "ACKEPOCH", "TRUNC",   "PROPOSAL", "COMMIT",
    "NEWLEADER",    "UPTODATE",     "ACK",        "PING",     "REQUEST", "SYNC",     "REVALIDATE"};
static_assert(kNames.size() == static_cast<std::size_t>(Packet::revalidate) + 1 &&
              !kNames.back().empty());

std::string hex(std::int64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (auto rest = static_cast<std::uint64_t>(number); rest != 0 || digits.empty(); rest >>= 4)
    digits.insert(digits.begin(), kDigits[rest & 15]);
  return "0x" + digits;
}

std::string said(const Write& write) {
  std::string text(name(write.op));
  if (!write.path.empty()) text.append(" ").append(write.path);
  return text;
}

std::string describe_packet(std::string_view bytes, bool) {
  PeerMessage message;
  if (!read(bytes, message)) return "what is no packet";
  std::string text(kNames[static_cast<std::size_t>(message.packet)]);
  switch (message.packet) {
    case Packet::notification:
      return text + " for zookeeper-" + std::to_string(message.vote.leader);
    case Packet::proposal:
      return text + " " + hex(message.proposal.zxid) + " " + said(message.proposal.write);
    case Packet::request:
      return text + " " + said(message.proposal.write);
    case Packet::follower_info:
    case Packet::leader_info:
    case Packet::ack_epoch:
      return text + " " + std::to_string(message.epoch);
    case Packet::revalidate:
      return text + " " + hex(message.session);
    case Packet::ping:
    case Packet::sync:
      return text;
    default:
      return text + " " + hex(message.zxid);
  }
}

constexpr sim::Protocol kPeerProtocol{
    .name = "zookeeper-peers", .describe = describe_packet, .background = true};

}  // namespace

void write(const PeerMessage& message, sim::Payload& out) {
  put(out, message.packet);
  put(out, message.server);
  each_field(message, [&out](const auto& field) { put(out, field); });
  if (has_write(message.packet)) put_write(message.proposal.write, out);
  if (message.packet != Packet::ping) return;
  put(out, static_cast<std::int32_t>(message.sessions.size()));
  for (const SessionId session : message.sessions) put(out, session);
}

bool read(std::string_view bytes, PeerMessage& message) {
  Reader in(bytes);
  in.take(message.packet);
  if (message.packet < Packet::notification || message.packet > Packet::revalidate) return false;
  in.take(message.server);
  each_field(message, [&in](auto& field) { in.take(field); });
  if (has_write(message.packet)) take_write(in, message.proposal.write);
  if (message.packet == Packet::ping) {
    message.sessions.clear();
    for (std::int32_t left = in.number(); left > 0 && in.good(); --left)
      in.take(message.sessions.emplace_back());
  }
  return in.all();
}

const sim::Protocol& peer_protocol() { return kPeerProtocol; }

}  // namespace picklock::zookeeper
