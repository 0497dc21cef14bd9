#include "conform/zookeeper/real/real_zookeeper.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "models/zookeeper/wire.h"

namespace picklock::conform::zookeeper::real {

using namespace picklock::zookeeper;
namespace {

using conform::real::RealLink;
using conform::real::StreamLink;

constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kLongest = 0xf'ffff;  // the library accepts no longer frame (jute.maxbuffer)

void put_length(std::size_t length, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(length >> shift);
}

std::size_t length_at(std::string_view bytes) {
  std::size_t length = 0;
  for (const char byte : bytes.substr(0, kLengthSize))
    length = length << 8 | static_cast<unsigned char>(byte);
  return length;
}

// ZooKeeper answers requests in order (Z50), with the xid of each.
class ZooKeeperLink final : public StreamLink {
 public:
  using StreamLink::StreamLink;

 private:
  struct Question {
    Asked asked;
    std::int32_t xid = 0;
  };

  void ask(const sim::Message& request, std::string& out) override {
    const std::string_view bytes = request.payload.view();
    put_length(bytes.size(), out);
    out += bytes;
    questions_.push_back({.asked = Asked(request), .xid = xid_of(bytes)});
  }

  Framing hear(std::string_view& bytes) override {
    if (bytes.size() < kLengthSize) return Framing::partial;
    const std::size_t length = length_at(bytes);
    if (length > kLongest) return Framing::malformed;
    if (bytes.size() < kLengthSize + length) return Framing::partial;
    const std::string_view frame = bytes.substr(kLengthSize, length);
    bytes.remove_prefix(kLengthSize + length);
    return pass_on(frame) ? Framing::whole : Framing::malformed;
  }

  // False: it answers no request.
  bool pass_on(std::string_view frame) {
    if (greeted_ && xid_of(frame) == kNotification) {
      tell(frame);
      return true;
    }
    // The first messages of a connection have no xids.
    if (questions_.empty() || (greeted_ && xid_of(frame) != questions_.front().xid)) return false;
    greeted_ = true;
    answer(questions_.front().asked, frame);
    questions_.pop_front();
    return true;
  }

  bool greeted_ = false;
  std::deque<Question> questions_;
};

}  // namespace

std::unique_ptr<RealLink> RealZooKeeper::dial(sim::Simulation& simulation,
                                              sim::Connection& connection,
                                              const sockaddr_in& where) const {
  return std::make_unique<ZooKeeperLink>(simulation, connection, where);
}

}  // namespace picklock::conform::zookeeper::real
