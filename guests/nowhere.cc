// Where programs cannot run in virtual time.
#include <stdexcept>

#include "guests/guest.h"
#include "guests/nursery.h"
#include "guests/support.h"

namespace picklock::guests {

const std::string& unsupported() {
  static const std::string kWhy = "programs run in virtual time on Linux for x86-64 only";
  return kWhy;
}

class Supervisor {};

Guest::Guest(Surroundings&, Nursery*) {}
Guest::~Guest() = default;
void Guest::start(const Start&) { throw std::runtime_error(unsupported()); }
void Guest::kill() {}
bool Guest::alive() const { return false; }
std::optional<int> Guest::exit_status() const { return std::nullopt; }
void Guest::time_came() {}
void Guest::opened(SocketId) {}
void Guest::refused(SocketId, int) {}
void Guest::received(SocketId, std::string_view) {}
void Guest::hung_up(SocketId, bool) {}
void Guest::freeze() {}
void Guest::thaw() {}
const std::string& Guest::not_reproducible() const { return unsupported(); }

class Cradles {};

Nursery::Nursery() = default;
Nursery::~Nursery() = default;
std::size_t Nursery::size() const { return 0; }
std::size_t Nursery::forks() const { return 0; }

}  // namespace picklock::guests
