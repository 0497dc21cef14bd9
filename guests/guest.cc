#include "guests/guest.h"

#include "guests/supervisor.h"

namespace picklock::guests {

Guest::Guest(Surroundings& surroundings, Nursery* nursery)
    : supervisor_(std::make_unique<Supervisor>(surroundings, nursery)) {}
Guest::~Guest() = default;

void Guest::start(const Start& start) { supervisor_->start(start); }
void Guest::kill() { supervisor_->kill(); }
bool Guest::alive() const { return supervisor_->alive(); }
std::optional<int> Guest::exit_status() const { return supervisor_->exit_status(); }
void Guest::time_came() { supervisor_->time_came(); }

void Guest::opened(SocketId socket) {
  supervisor_->arrive(socket, [](Socket& one) { one.open(); });
}

void Guest::refused(SocketId socket, int error) {
  supervisor_->arrive(socket, [error](Socket& one) { one.refuse(error); });
}

void Guest::received(SocketId socket, std::string_view bytes) {
  supervisor_->arrive(socket, [bytes](Socket& one) { one.receive(bytes); });
}

void Guest::hung_up(SocketId socket, bool reset) {
  supervisor_->arrive(socket, [reset](Socket& one) { one.hang_up(reset); });
}

void Guest::freeze() { supervisor_->freeze(); }
void Guest::thaw() { supervisor_->thaw(); }
const std::string& Guest::not_reproducible() const { return supervisor_->not_reproducible(); }

}  // namespace picklock::guests
