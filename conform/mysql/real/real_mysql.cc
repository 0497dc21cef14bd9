#include "conform/mysql/real/real_mysql.h"

#include <fmt/format.h>
#include <mysql.h>
#include <sys/socket.h>

#include <deque>

#include "conform/mysql/real_side.h"
#include "models/mysql/sql.h"
#include "models/mysql/tables.h"
#include "models/mysql/wire.h"

namespace picklock::conform::mysql::real {
namespace {

using conform::real::RealLink;

// One session: connecting, idle, or with a statement under way.
class MySqlLink final : public RealLink {
 public:
  MySqlLink(sim::Simulation& simulation, sim::Connection& connection, const Address& address,
            const std::string& database)
      : RealLink(simulation, connection), handle_(mysql_init(nullptr)) {
    const unsigned protocol = MYSQL_PROTOCOL_TCP;
    mysql_options(handle_, MYSQL_OPT_PROTOCOL, &protocol);
    mysql_options(handle_, MYSQL_OPT_NONBLOCK, nullptr);
    MYSQL* connected = nullptr;
    went(Doing::connecting,
         mysql_real_connect_start(&connected, handle_, address.host.c_str(), "root", nullptr,
                                  database.c_str(), address.port, nullptr, 0));
  }
  // Closes without a farewell, like a client that is killed: nothing may wait for a server.
  ~MySqlLink() override {
    const int socket = mysql_get_socket(handle_);
    if (socket >= 0) shutdown(socket, SHUT_RDWR);
    mysql_close(handle_);
  }

  bool forward(const sim::Message& request) override {
    const std::optional<Statement> statement = read_statement(request.payload.view());
    if (!statement) return false;
    asked_.push_back({Asked(request), sql(*statement)});
    return next();
  }

  pollfd watched() const override {
    const bool idle = doing_ == Doing::nothing;
    const int wanted = (idle || (waits_for_ & MYSQL_WAIT_READ) != 0 ? POLLIN : 0) |
                       ((waits_for_ & MYSQL_WAIT_WRITE) != 0 ? POLLOUT : 0);
    return {.fd = mysql_get_socket(handle_), .events = static_cast<short>(wanted), .revents = 0};
  }

  bool go_on() override {
    if (doing_ == Doing::nothing) return false;  // only the end of a session comes unasked
    const int came = waits_for_;
    switch (doing_) {
      case Doing::connecting: {
        MYSQL* connected = nullptr;
        if (went(doing_, mysql_real_connect_cont(&connected, handle_, came))) return true;
        if (connected == nullptr) return false;
        break;
      }
      case Doing::querying: {
        int failed = 0;
        if (went(doing_, mysql_real_query_cont(&failed, handle_, came))) return true;
        return queried(failed != 0);
      }
      case Doing::storing: {
        MYSQL_RES* result = nullptr;
        if (went(doing_, mysql_store_result_cont(&result, handle_, came))) return true;
        return stored(result);
      }
      case Doing::nothing:
        break;
    }
    return next();
  }

 private:
  enum class Doing : std::uint8_t { nothing, connecting, querying, storing };
  struct Question {
    Asked asked;
    std::string text;
  };

  // True: it continues once the socket is ready.
  bool went(Doing doing, int waits_for) {
    waits_for_ = waits_for;
    doing_ = waits_for == 0 ? Doing::nothing : doing;
    return waits_for != 0;
  }

  bool next() {
    if (doing_ != Doing::nothing || asked_.empty()) return true;
    int failed = 0;
    const std::string& text = asked_.front().text;
    if (went(Doing::querying, mysql_real_query_start(&failed, handle_, text.data(), text.size())))
      return true;
    return queried(failed != 0);
  }

  bool queried(bool failed) {
    if (failed) return stored(nullptr);
    MYSQL_RES* result = nullptr;
    if (went(Doing::storing, mysql_store_result_start(&result, handle_))) return true;
    return stored(result);
  }

  bool stored(MYSQL_RES* result) {
    const Answer done = answer_of(handle_, result);
    if (ends_connection(done.error)) return false;
    sim::Payload bytes;
    write(done, bytes);
    const Question question = std::move(asked_.front());
    asked_.pop_front();
    answer(question.asked, bytes.view());
    return next();
  }

  static bool ends_connection(Error error) {
    return error == Error::gone_away || error == Error::lost;
  }

  MYSQL* handle_;
  Doing doing_ = Doing::nothing;
  int waits_for_ = 0;
  std::deque<Question> asked_;
};

}  // namespace

std::unique_ptr<RealLink> RealMySql::dial(sim::Simulation& simulation, sim::Connection& connection,
                                          const sockaddr_in&) const {
  return std::make_unique<MySqlLink>(simulation, connection, address_, database_);
}

void prepare(const Address& address, const std::string& database, const std::string& lock,
             std::uint32_t rows) {
  Connection control(address);
  const auto say = [&control](const std::string& text) {
    const Answer answer = control.say(text);
    if (!answer.ok())
      throw NoServer(fmt::format("`{}` fails with {}", text, static_cast<int>(answer.error)));
  };
  say("CREATE DATABASE IF NOT EXISTS " + database);
  say("USE " + database);
  for (const Schema& schema : schemas()) {
    std::string columns;
    for (const std::string& column : schema.columns)
      columns += column + (is_text(column) ? " VARCHAR(64) COLLATE utf8mb4_bin, " : " BIGINT, ");
    say(fmt::format("CREATE TABLE IF NOT EXISTS {} ({}PRIMARY KEY (name)) ENGINE = InnoDB",
                    schema.name, columns));
  }
  for (const Change& change : rows_at_first(lock, rows)) {
    Statement insert{.op = Op::insert, .table = change.table};
    insert.on_duplicate = OnDuplicate::ignores;
    for (const Value& value : *change.row) insert.values.push_back({.value = value});
    say(sql(insert));
  }
}

}  // namespace picklock::conform::mysql::real
