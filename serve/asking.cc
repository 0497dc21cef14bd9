#include "serve/asking.h"

#include <fmt/format.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <cstdint>

#include "keys/bad_input.h"

namespace picklock::serve {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

Answer ask(const Question& question) {
  std::uint16_t port = 0;
  const char* const last = question.port.data() + question.port.size();
  const auto [end, wrong] = std::from_chars(question.port.data(), last, port);
  if (wrong != std::errc() || end != last || port == 0)
    throw keys::BadInput("--port: must be a port, 1 to 65535");
  asio::io_context io;
  tcp::socket socket(io);
  boost::system::error_code error;
  tcp::resolver resolver(io);
  const tcp::resolver::results_type found = resolver.resolve(question.host, question.port, error);
  if (!error) asio::connect(socket, found, error);
  if (error) {
    throw keys::BadInput(
        fmt::format("{} port {}: {}", keys::printable(question.host), port, error.message()));
  }
  http::request<http::string_body> request(
      question.method == "GET" ? http::verb::get : http::verb::post, question.target, 11);
  request.set(http::field::host, question.host);
  if (!question.token.empty()) request.set(http::field::authorization, "Bearer " + question.token);
  request.body() = question.body;
  request.prepare_payload();
  request.keep_alive(false);
  http::write(socket, request, error);
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> response;
  response.body_limit(boost::none);
  if (!error) http::read(socket, buffer, response, error);
  if (error) {
    throw keys::BadInput(fmt::format("port {}: it does not answer as a control port does: {}", port,
                                     error.message()));
  }
  return {.good = response.get().result() == http::status::ok, .body = response.get().body()};
}

}  // namespace picklock::serve
