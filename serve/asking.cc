#include "serve/asking.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <chrono>
#include <cstdint>

#include "keys/bad_input.h"

namespace picklock::serve {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

namespace {

// In real time. A control port answers at once, unless it is busy with an advance.
constexpr std::chrono::seconds kPatience{10};

}  // namespace

Answer ask(const Question& question) {
  std::uint16_t port = 0;
  const char* const last = question.port.data() + question.port.size();
  const auto [end, wrong] = std::from_chars(question.port.data(), last, port);
  if (wrong != std::errc() || end != last || port == 0)
    throw keys::BadInput("--port: must be a port, 1 to 65535");
  asio::io_context io;
  boost::beast::tcp_stream stream(io);
  boost::system::error_code error;
  tcp::resolver resolver(io);
  const tcp::resolver::results_type found = resolver.resolve(question.host, question.port, error);
  // Without a handler the deadline of a stream does not hold.
  const auto wait = [&](auto begin) {
    if (error) return;
    begin();
    io.restart();
    io.run();
  };
  stream.expires_after(kPatience);
  wait([&] {
    stream.async_connect(found,
                         [&](boost::system::error_code ended, const auto&) { error = ended; });
  });
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
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> response;
  response.body_limit(boost::none);
  const auto done = [&](boost::system::error_code ended, std::size_t) { error = ended; };
  wait([&] { http::async_write(stream, request, done); });
  if (question.patient) stream.expires_never();
  wait([&] { http::async_read(stream, buffer, response, done); });
  if (error == boost::beast::error::timeout) {
    throw keys::BadInput(fmt::format("port {}: no answer within {} s: is it the control port?",
                                     port, kPatience.count()));
  }
  if (error) {
    throw keys::BadInput(fmt::format("port {}: it does not answer as a control port does: {}", port,
                                     error.message()));
  }
  return {.good = response.get().result() == http::status::ok, .body = response.get().body()};
}

}  // namespace picklock::serve
