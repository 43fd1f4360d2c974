#include "http_connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <fmt/format.h>
#include <poll.h>

#include "http_head.h"
#include "stream_deadline.h"

namespace benzer::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::awaitable;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using HeadParser = http::request_parser<http::empty_body>;

constexpr std::size_t kReadBuffer = std::size_t{64} << 10;
constexpr std::size_t kPiece = std::size_t{256} << 10;  // bytes that a sink takes at a time
constexpr double kBytesASecond = 65'536;
// Parsing a larger body takes so long that a worker does it, so that other connections do not wait.
// Larger ones count in the budget of memory.
constexpr std::size_t kSlowBody = std::size_t{64} << 10;
// Steps in which a body whose length is not known counts.
constexpr std::size_t kStep = std::size_t{1} << 20;
// How long, and how many bytes, a client that was refused may go on sending.
constexpr auto kLinger = std::chrono::seconds(2);
constexpr std::size_t kLingerBytes = std::size_t{16} << 20;
// How long a request goes on for a client that has closed its side, in seconds.
constexpr double kHalfClosed = 2;
constexpr auto kLookAgain = std::chrono::milliseconds(500);
constexpr auto kPoll = std::chrono::milliseconds(100);
// The status in the log of a request whose connection broke before there was an answer.
constexpr int kClientGone = 499;

// "Thu, 26 Nov 2026 01:50:56 GMT", as RFC 9110 has it (5.6.7).
std::string http_date(std::time_t time) {
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 40> text{};
  // Names in English whatever the locale is: the program never sets one.
  return {text.data(),
          std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

std::uint64_t head_size(const http::response_header<>& head) {
  std::ostringstream text;
  text << head;
  return text.str().size();
}

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

// Runs `work` on a thread of the queue, and resumes on the executor of the caller.
template <class Result, class Work>
awaitable<Result> elsewhere(WorkQueue& queue, const WorkQueue::Owner& owner, Work work) {
  return asio::async_initiate<const asio::use_awaitable_t<>&, void(Result)>(
      [&queue, &owner](auto handler, Work job) {
        queue.add(
            owner, WorkQueue::Job([handler = std::move(handler), job = std::move(job)]() mutable {
              Result result = job();
              const auto executor = asio::get_associated_executor(handler);
              asio::post(executor,
                         [handler = std::move(handler), result = std::move(result)]() mutable {
                           handler(std::move(result));
                         });
            }));
      },
      asio::use_awaitable, std::move(work));
}

// Keeps a request in the list of those that are being answered.
class Answering {
 public:
  Answering(HttpShared& shared, LoopState& loop, const Request& request)
      : loop_(loop), place_(loop.answering.insert(loop.answering.end(), request.stop)) {
    if (shared.ending) request.stop->set(RequestStop::Reason::kServerStops);
  }
  ~Answering() { loop_.answering.erase(place_); }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

 private:
  LoopState& loop_;
  std::list<std::shared_ptr<RequestStop>>::iterator place_;
};

// GCC 12 destroys some temporaries of an expression with co_await twice, and miscompiles a loop
// whose condition has one. So awaited calls take named variables only.
template <class Stream>
class Connection {
 public:
  Connection(HttpShared& shared, LoopState& loop, Stream& stream)
      : shared_(shared),
        loop_(loop),
        stream_(stream),
        socket_(beast::get_lowest_layer(stream)),
        deadline_(socket_),
        buffer_(kReadBuffer),
        client_(address_of(socket_)),
        share_(shared.budget, client_),
        is_one_too_many_(shared.open > shared.options.connections ||
                         share_.connections() > (shared.options.connections + 1) / 2) {
    buffer_.reserve(kReadBuffer);
  }

  awaitable<void> run() {
    if (is_one_too_many_) {
      co_await refuse_connection();
      co_return;
    }
    bool goes_on = true;
    while (goes_on) {
      goes_on = co_await serve_one();
      share_.release();
    }
  }

 private:
  static std::string address_of(beast::tcp_stream& stream) {
    error_code ignored;
    return stream.socket().remote_endpoint(ignored).address().to_string();
  }

  static Refusal too_busy() { return {503, "too_busy", "too many requests wait already"}; }
  static Refusal no_room() {
    return {503, "no_room", "the server holds as many bytes of requests and answers as it may"};
  }

  // Refuses the connection without waiting for a request: otherwise silent clients could take any
  // number of sockets.
  awaitable<void> refuse_connection() {
    Request request;
    request.client = client_;
    request.id = fmt::format("{}-{}", shared_.id_prefix, ++shared_.requests);
    request.start = Clock::now();
    const Refusal refusal{503, "too_many_connections", "there are too many connections"};
    co_await refuse(request, refusal);
  }

  // Returns whether the connection goes on.
  awaitable<bool> serve_one() {
    HeadParser parser;
    parser.header_limit(shared_.options.head_bytes);
    // The route, and so the limit, is not known yet. (With boost::none, Beast 1.74 allows no body
    // at all.)
    parser.body_limit(~std::uint64_t{0});
    Request request;
    request.client = client_;
    error_code error;
    if (shared_.draining) co_return false;
    deadline_.set(Clock::now() + seconds(shared_.options.head_seconds));
    const auto place = loop_.idle.insert(loop_.idle.end(), &socket_);
    co_await http::async_read_header(stream_, buffer_, parser, into(error));
    loop_.idle.erase(place);
    deadline_.clear();
    if (deadline_.is_over() && buffer_.size() == 0) co_return false;  // the client sent nothing
    if (shared_.draining && !parser.is_header_done()) co_return false;
    std::optional<Refusal> refusal;
    if (error) refusal = refusal_of(error);
    if (refusal && refusal->status == 0) co_return false;
    request.id = fmt::format("{}-{}", shared_.id_prefix, ++shared_.requests);
    request.start = Clock::now();
    if (!refusal) refusal = read_head(parser.get(), shared_.options, request);
    if (refusal) {
      const bool goes_on = co_await refuse(request, *refusal);
      co_return goes_on;
    }

    Admission admission = shared_.handlers.admit(request);
    const bool has_body = parser.chunked() || parser.content_length().value_or(0) > 0;
    if (admission.refused && has_body)
      co_return co_await answer_and_linger(request, std::move(*admission.refused));
    if (parser.content_length() && *parser.content_length() > admission.largest_body) {
      refusal = Refusal{413, "body_too_large",
                        fmt::format("the body has {} bytes, and {} are allowed here",
                                    *parser.content_length(), admission.largest_body)};
      co_return co_await refuse(request, *refusal);
    }
    owner_ = {admission.client, admission.index};
    if (admission.sink && !shared_.work.has_room(owner_.client)) {
      refusal = too_busy();
      co_return co_await refuse(request, *refusal);
    }
    const std::uint64_t size =
        admission.sink ? admission.sink_bytes : parser.content_length().value_or(0);
    if (size > kSlowBody && has_body && !share_.hold(size)) {
      refusal = no_room();
      co_return co_await refuse(request, *refusal);
    }
    if (has_body && parser.get().version() == 11 && expects_to_go_on(parser.get())) {
      http::response<http::empty_body> go_on(http::status::continue_, parser.get().version());
      co_await http::async_write(stream_, go_on, into(error));
      if (error) co_return false;
    }
    is_http_10_ = parser.get().version() == 10;
    const bool keep_alive = parser.get().keep_alive() && !shared_.draining;
    if (admission.sink) {
      const bool goes_on = co_await feed(parser, request, admission, keep_alive);
      // The sink's destructor may wait for a batch that is being stored.
      const auto destroy = [&] {
        admission.sink.reset();
        return true;
      };
      co_await elsewhere<bool>(shared_.work, owner_, destroy);
      co_return goes_on;
    }

    http::request_parser<http::string_body> body(std::move(parser));
    body.body_limit(admission.largest_body);
    error = co_await read_body(body);
    if (error) {
      refusal = error == asio::error::no_buffer_space ? no_room() : refusal_of(error);
      co_return co_await refuse(request, *refusal);
    }
    request.body = std::move(body.get().body());
    if (admission.refused)
      co_return co_await answer(request, std::move(*admission.refused), keep_alive);
    if (admission.is_at_once && request.body.size() <= kSlowBody) {
      Response response = shared_.handlers.handle(request);
      release_body(request, response);
      co_return co_await answer(request, std::move(response), keep_alive);
    }
    if (!shared_.work.has_room(owner_.client)) {
      refusal = too_busy();
      co_return co_await refuse(request, *refusal);
    }
    Response response = co_await work(request);
    release_body(request, response);
    co_return co_await answer(request, std::move(response), keep_alive);
  }

  // Lets a worker answer. Its time counts from here, so also while it waits for a worker.
  awaitable<Response> work(Request& request) {
    const Answering answering(shared_, loop_, request);
    const auto timer = std::make_shared<asio::steady_timer>(stream_.get_executor());
    stop_after(timer, shared_.options.request_seconds, RequestStop::Reason::kOutOfTime,
               request.stop);
    const auto asked = std::make_shared<int>();
    watch(timer, request.stop, asked);
    const auto handle = [&] { return shared_.handlers.handle(request); };
    Response response = co_await elsewhere<Response>(shared_.work, owner_, handle);
    timer->cancel();
    error_code ignored;
    socket_.socket().cancel(ignored);  // ends watch()
    co_return response;
  }

  static void stop_after(const std::shared_ptr<asio::steady_timer>& timer, double time,
                         RequestStop::Reason reason, const std::shared_ptr<RequestStop>& stop) {
    timer->expires_after(seconds(time));
    timer->async_wait([reason, stop](const error_code& error) {
      if (!error) stop->set(reason);
    });
  }

  // Tells the request to end when the connection breaks, and a little after the client closes its
  // side, as long as `asked` lives. A client that closes its side may still read the answer, but of
  // those whose answer takes long, most have gone.
  void watch(const std::shared_ptr<asio::steady_timer>& timer,
             const std::shared_ptr<RequestStop>& stop, const std::weak_ptr<void>& asked) {
    auto& socket = socket_.socket();
    socket.async_wait(asio::ip::tcp::socket::wait_read,
                      [timer, stop, asked, file = socket.native_handle()](const error_code& error) {
                        if (!error && !asked.expired()) look(timer, stop, asked, file);
                      });
  }

  // Bytes that wait to be read (the next request, or the end of TLS) hide that the client has
  // closed its side, so it is looked at again and again.
  static void look(const std::shared_ptr<asio::steady_timer>& timer,
                   const std::shared_ptr<RequestStop>& stop, const std::weak_ptr<void>& asked,
                   int file) {
    pollfd state{file, POLLRDHUP, 0};
    ::poll(&state, 1, 0);
    if ((state.revents & (POLLERR | POLLHUP)) != 0)
      return stop->set(RequestStop::Reason::kClientGone);
    if ((state.revents & POLLRDHUP) != 0)
      return stop_after(timer, kHalfClosed, RequestStop::Reason::kClientGone, stop);
    const auto again = std::make_shared<asio::steady_timer>(timer->get_executor(), kLookAgain);
    again->async_wait([again, timer, stop, asked, file](const error_code&) {
      if (!asked.expired()) look(timer, stop, asked, file);
    });
  }

  // Reads the next piece. It may come at any speed, as long as the time for all that was received
  // does not exceed what its size allows.
  template <class Parser>
  awaitable<error_code> read_some(Parser& parser, Clock::time_point start, std::size_t& received) {
    deadline_.set(start + seconds(shared_.options.body_seconds +
                                  static_cast<double>(received) / kBytesASecond));
    error_code error;
    received += co_await http::async_read_some(stream_, buffer_, parser, into(error));
    deadline_.clear();
    co_return error;
  }

  // Returns no_buffer_space if the budget has no room for the body.
  template <class Parser>
  awaitable<error_code> read_body(Parser& parser) {
    const Clock::time_point start = Clock::now();
    std::size_t received = 0;
    error_code error;
    while (!parser.is_done() && !error) {
      error = co_await read_some(parser, start, received);
      const bool is_large = parser.chunked() && received > kSlowBody;
      if (is_large && received > share_.held() && !share_.hold(kStep))
        co_return asio::error::no_buffer_space;
    }
    co_return error;
  }

  static std::uint64_t counted(const Response& response) {
    return response.body.size() > kSlowBody ? response.body.size() : 0;
  }

  // The answer has been made, so nothing reads the body any more. Its room goes to the answer: that
  // to a large write, which repeats what was sent, is not refused after the write.
  void release_body(Request& request, const Response& response) {
    request.body = std::string();
    share_.shrink(counted(response));
  }

  // Whether the answer may be in memory, beside what is held for the request.
  bool has_room(const Response& response) {
    const std::uint64_t bytes = counted(response);
    return bytes <= share_.held() + kSlowBody || share_.hold(bytes - share_.held());
  }

  // Passes the body to a sink, piece by piece. The next piece is read when the sink has taken the
  // last.
  awaitable<bool> feed(HeadParser& head, Request& request, Admission& admission, bool keep_alive) {
    const Answering answering(shared_, loop_, request);
    http::request_parser<http::buffer_body> parser(std::move(head));
    parser.body_limit(admission.largest_body);
    // Not set to zero, and not taken for a request without a body.
    const auto piece = parser.is_done() ? nullptr : std::make_unique_for_overwrite<char[]>(kPiece);
    Clock::time_point start = Clock::now();
    std::size_t received = 0;
    while (!parser.is_done()) {
      auto& body = parser.get().body();
      body.data = piece.get();
      body.size = kPiece;
      error_code error;
      while (!parser.is_done() && body.size > 0 && !error)
        error = co_await read_some(parser, start, received);
      if (error && error != http::error::need_buffer) {
        const Refusal refusal = refusal_of(error);
        if (refusal.status == 0) co_return co_await refuse(request, refusal);
        const auto cut_off = [&] {
          return admission.sink->refuse(refusal.status, refusal.code, refusal.sentence);
        };
        Response refused = co_await elsewhere<Response>(shared_.work, owner_, cut_off);
        co_return co_await answer_and_linger(request, std::move(refused));
      }
      const Clock::time_point before = Clock::now();
      const std::string_view taken(piece.get(), kPiece - body.size);
      const auto take = [&] { return admission.sink->take(taken); };
      const bool goes_on = co_await elsewhere<bool>(shared_.work, owner_, take);
      start += Clock::now() - before;  // the sink's time does not count against the client
      if (!goes_on) break;
    }
    const auto finish = [&] { return admission.sink->finish(); };
    Response response = co_await elsewhere<Response>(shared_.work, owner_, finish);
    share_.shrink(counted(response));
    if (!parser.is_done()) co_return co_await answer_and_linger(request, std::move(response));
    co_return co_await answer(request, std::move(response), keep_alive);
  }

  // Why reading a request failed. Status 0: the client has gone, so there is nothing to answer.
  Refusal refusal_of(const error_code& error) const {
    if (error == http::error::header_limit) return head_too_long(shared_.options);
    if (error == http::error::body_limit)
      return {413, "body_too_large", "the body of the request is longer than is allowed here"};
    if (error == http::error::bad_version)
      return {505, "bad_version", "only HTTP/1.1 and 1.0 are supported"};
    if (deadline_.is_over()) return {408, "too_slow", "the request did not come in time"};
    if (error == http::error::end_of_stream || error == http::error::partial_message ||
        error.category() != make_error_code(http::error::bad_method).category())
      return {0, {}, {}};
    return {400, "bad_request",
            fmt::format("the request is not valid HTTP/1.1: {}", error.message())};
  }

  awaitable<bool> refuse(Request& request, const Refusal& refusal) {
    if (refusal.status == 0) {
      // A sink may have stored what came before.
      shared_.handlers.answered(request, kClientGone, 0);
      co_return false;
    }
    Response response =
        shared_.handlers.refuse(request, refusal.status, refusal.code, refusal.sentence);
    co_return co_await answer_and_linger(request, std::move(response));
  }

  awaitable<bool> answer(Request& request, Response response, bool keep_alive) {
    if (!has_room(response)) {
      const Refusal refusal = no_room();
      if (response.short_body) {
        response.body = *std::exchange(response.short_body, {});
      } else {
        response = shared_.handlers.refuse(request, refusal.status, refusal.code, refusal.sentence);
      }
    }
    response.short_body.reset();
    const unsigned version = is_http_10_ ? 10 : 11;
    const bool is_stream = static_cast<bool>(response.more);
    if (is_stream && is_http_10_) keep_alive = false;  // the end of the connection ends the answer
    http::response<http::string_body> out(static_cast<http::status>(response.status), version);
    out.set(http::field::content_type, response.content_type);
    out.set(http::field::date, http_date(std::time(nullptr)));
    out.set("X-Request-Id", request.id);
    out.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : request.answer_headers) out.set(name, value);
    for (const auto& [name, value] : response.headers) out.set(name, value);
    out.keep_alive(keep_alive);
    const std::uint64_t size = response.body.size();
    const bool has_body = request.method != "HEAD" && response.status != 204;
    if (is_stream) {
      if (!is_http_10_) out.chunked(true);
    } else if (has_body) {
      out.body() = std::move(response.body);
      out.prepare_payload();
    } else if (response.status != 204) {
      out.content_length(size);
    }
    deadline_.set(Clock::now() + seconds(shared_.options.body_seconds +
                                         static_cast<double>(size) / kBytesASecond));
    error_code error;
    http::response_serializer<http::string_body> serializer(out);
    std::uint64_t sent = 0;  // of the body
    if (is_stream || !has_body) {
      co_await http::async_write_header(stream_, serializer, into(error));
      if (!error && has_body) error = co_await write_stream(response, sent);
    } else {
      sent = co_await http::async_write(stream_, serializer, into(error));
      sent = error ? sent - std::min(sent, head_size(out)) : size;
    }
    deadline_.clear();
    shared_.handlers.answered(request, response.status, sent);
    co_return !error && keep_alive;
  }

  // Closing a connection while bytes arrive resets it, and the answer may be lost (RFC 9112, 9.6).
  // So bytes that still arrive are read for a while, and discarded.
  awaitable<bool> answer_and_linger(Request& request, Response response) {
    co_await answer(request, std::move(response), false);
    error_code error;
    if constexpr (std::is_same_v<Stream, beast::tcp_stream>)
      socket_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
    deadline_.set(Clock::now() + kLinger);
    std::vector<char> unwanted(kReadBuffer);
    std::size_t received = 0;
    while (!error && received < kLingerBytes && !shared_.draining)
      received += co_await socket_.async_read_some(asio::buffer(unwanted), into(error));
    deadline_.clear();
    co_return false;
  }

  // Sets the error if the piece cannot be made.
  awaitable<std::optional<std::string>> next_piece(Response& response, error_code& error) {
    try {
      if (!response.more_takes_long) co_return response.more();
      const auto next = [&] { return response.more(); };
      co_return co_await elsewhere<std::optional<std::string>>(shared_.work, owner_, next);
    } catch (const std::exception&) {
      error = asio::error::operation_aborted;
    }
    co_return std::nullopt;
  }

  awaitable<error_code> write_stream(Response& response, std::uint64_t& size) {
    error_code error;
    size = 0;
    std::optional<std::string> piece = std::move(response.body);
    if (piece->empty()) {
      std::optional<std::string> first = co_await next_piece(response, error);
      piece = std::move(first);
    }
    while (piece) {
      if (piece->empty()) {
        // An answer without its last chunk is not mistaken for a complete one.
        if (shared_.draining) co_return asio::error::operation_aborted;
        asio::steady_timer timer(stream_.get_executor(), kPoll);
        co_await timer.async_wait(into(error));
      } else {
        size += piece->size();
        deadline_.set(Clock::now() + seconds(shared_.options.body_seconds +
                                             static_cast<double>(piece->size()) / kBytesASecond));
        const asio::const_buffer bytes(piece->data(), piece->size());
        if (is_http_10_) {
          co_await asio::async_write(stream_, bytes, into(error));
        } else {
          co_await asio::async_write(stream_, http::make_chunk(bytes), into(error));
        }
        deadline_.clear();
      }
      if (error) co_return error;
      std::optional<std::string> next = co_await next_piece(response, error);
      piece = std::move(next);
    }
    if (error) co_return error;  // an answer without its last chunk was cut off
    if (!is_http_10_) co_await asio::async_write(stream_, http::make_chunk_last(), into(error));
    co_return error;
  }

  HttpShared& shared_;
  LoopState& loop_;
  Stream& stream_;
  beast::tcp_stream& socket_;
  StreamDeadline deadline_;
  beast::flat_buffer buffer_;
  std::string client_;
  MemoryBudget::Share share_;
  WorkQueue::Owner owner_;  // of the request
  const bool is_one_too_many_;
  bool is_http_10_ = false;
};

}  // namespace

awaitable<void> serve_connection(HttpShared& shared, LoopState& loop, beast::tcp_stream& stream) {
  Connection connection(shared, loop, stream);
  co_await connection.run();
}

awaitable<void> serve_connection(HttpShared& shared, LoopState& loop,
                                 beast::ssl_stream<beast::tcp_stream>& stream) {
  Connection connection(shared, loop, stream);
  co_await connection.run();
}

}  // namespace benzer::server
