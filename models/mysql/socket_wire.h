// The packets between a client and a MySQL server, of protocol 4.1. The server speaks first, any
// user is good, and one request is under way at a time. Any password is good too, unless one is
// required. A request without a statement
// of the model becomes a ping of it, so that a server that stands still answers nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/mysql/packets.h"
#include "models/mysql/prepared.h"
#include "models/mysql/sql_reader.h"
#include "models/servers/wire.h"

namespace picklock::mysql {

class SocketWire final : public servers::Wire {
 public:
  void require(std::string_view password, std::string_view challenge) override;
  bool open(sim::Payload& message) override;
  servers::Cut cut(std::string_view& bytes, sim::Payload& message) override;
  bool put(std::string_view message, std::string& out) override;
  // `program_name` of its attributes.
  std::optional<std::string> name_given(std::string_view message) override;

 private:
  // The request under way, and how its answer is written.
  struct Asked {
    enum class As : std::uint8_t { greeting, written, text, binary };
    As as{};
    std::uint8_t next = 0;  // the number of the answer's first packet
    Reading reading{};
    std::string written{};  // whatever the server answers
    bool ends = false;      // the connection ends with it
  };

  servers::Cut ask(sim::Payload& message, Asked asked);
  servers::Cut answer_ok(sim::Payload& message);
  servers::Cut refuse(sim::Payload& message, const SqlError& error, bool ends = false);
  servers::Cut shake_hands(std::string_view payload, sim::Payload& message);
  servers::Cut check(std::string_view proof, sim::Payload& message);
  bool proves(std::string_view proof) const;
  servers::Cut deny(std::string_view proof, sim::Payload& message);
  servers::Cut change_user(std::string_view fields, sim::Payload& message);
  servers::Cut reset(sim::Payload& message);
  servers::Cut command(std::string_view payload, sim::Payload& message);
  servers::Cut query(std::string_view text, std::span<const Value> parameters, Asked::As as,
                     sim::Payload& message);
  servers::Cut prepare(std::string_view text, sim::Payload& message);
  servers::Cut execute(std::string_view fields, sim::Payload& message);

  bool greet(const Answer& answer, std::string& out);
  void put_result(const Asked& asked, const Answer& answer, std::string& out) const;
  void note(const Statement& statement, const Answer& answer);
  std::uint16_t status() const;

  // The meaning of the next packet.
  enum class Stage : std::uint8_t { handshake, proof, command };

  std::string password_;  // empty: any
  std::string challenge_{packets::kNoChallenge};
  std::optional<Asked> asked_;
  Stage stage_ = Stage::handshake;
  std::uint8_t next_ = 0;  // the number of the packet that answers the latest one
  Asker asker_;
  std::optional<std::string> program_;
  Prepared prepared_;
  std::int64_t connection_ = 0;
  bool autocommit_ = true;
  bool in_transaction_ = false;
};

}  // namespace picklock::mysql
