#include "http_server.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benzer/error.h"

#include "http_connection.h"
#include "keys.h"

namespace benzer::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

// Connections beyond the limit that get an answer; further ones are closed without one.
constexpr std::size_t kMostRefused = 256;

// Throws if the file cannot be read. OpenSSL's own errors do not say that a file is missing.
void check_readable(const std::string& file) {
  if (::access(file.c_str(), R_OK) == 0) return;
  throw Error(ErrorCode::kBadInput, "the TLS files cannot be used: " + FileName{file} + ": " +
                                        std::generic_category().message(errno));
}

using TlsContext = std::shared_ptr<asio::ssl::context>;

TlsContext tls_context(const HttpOptions& options) {
  check_readable(options.tls_certificate);
  check_readable(options.tls_key);
  check_private(options.tls_key, S_IRWXO, "everybody may use this private key");
  try {
    auto out = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    out->set_options(asio::ssl::context::default_workarounds);
    SSL_CTX* const context = out->native_handle();
    SSL_CTX_set_min_proto_version(context, options.allows_tls_12 ? TLS1_2_VERSION : TLS1_3_VERSION);
    // Of TLS 1.2 what has forward secrecy and authenticates what it encrypts, as all of 1.3 does.
    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
    out->use_certificate_chain_file(options.tls_certificate);
    out->use_private_key_file(options.tls_key, asio::ssl::context::pem);
    return out;
  } catch (const boost::system::system_error& error) {
    throw Error(ErrorCode::kBadInput,
                "the TLS files " + FileName{options.tls_certificate} + " and " +
                    FileName{options.tls_key} + " cannot be used: " + error.what(),
                "give a certificate chain and its key in PEM");
  }
}

}  // namespace

struct HttpServer::Impl {
  // A thread, and the connections that belong to it.
  struct Loop {
    LoopState state;  // outlives the connections, which the context destroys
    asio::io_context context{1};
  };

  Impl(const HttpOptions& options, Handlers handlers)
      : shared{options, std::move(handlers), work, fmt::format("{:08x}", std::random_device()())},
        work(options.workers, options.waiting) {}

  HttpShared shared;
  // Before `work`, whose jobs post their results here.
  std::vector<std::unique_ptr<Loop>> loops;
  WorkQueue work;
  std::mutex tls_mutex;
  TlsContext tls;  // guarded by tls_mutex; null: no TLS
  std::optional<tcp::acceptor> acceptor;

  // Calls visit(state) on the thread of each loop.
  template <class Visit>
  void for_each_loop(Visit visit) {
    for (auto& loop : loops) asio::post(loop->context, [&loop, visit] { visit(loop->state); });
  }
  TlsContext current_tls() {
    const std::lock_guard lock(tls_mutex);
    return tls;
  }
  void listen();
  awaitable<void> accept();
  void begin(Loop& loop, tcp::socket socket);
  awaitable<void> connect(Loop& loop, tcp::socket socket);
};

void HttpServer::Impl::listen() {
  const HttpOptions& options = shared.options;
  error_code error;
  const auto address = asio::ip::make_address(options.host, error);
  if (error)
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the host '{}' is not an address: give one such as 127.0.0.1 or 0.0.0.0",
                    options.host));
  const tcp::endpoint endpoint(address, options.port);
  acceptor.emplace(loops.front()->context);
  acceptor->open(endpoint.protocol(), error);
  if (!error) acceptor->set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (error)
    throw Error(
        ErrorCode::kUnavailable,
        fmt::format("{}:{} cannot be listened on: {}", options.host, options.port, error.message()),
        "give another " + Parameter{"port"});
}

awaitable<void> HttpServer::Impl::accept() {
  std::size_t next = 0;
  while (!shared.draining) {
    bool has_failed = false;
    try {
      Loop& loop = *loops[next++ % loops.size()];
      error_code error;
      tcp::socket socket =
          co_await acceptor->async_accept(loop.context.get_executor(), into(error));
      if (error == asio::error::operation_aborted || shared.draining) co_return;
      has_failed = error.failed();  // usually out of file descriptors
      if (!has_failed) begin(loop, std::move(socket));
    } catch (const std::bad_alloc&) {
      has_failed = true;
    }
    if (!has_failed) continue;
    asio::steady_timer timer(loops.front()->context, std::chrono::milliseconds(50));
    error_code ignored;
    co_await timer.async_wait(into(ignored));
  }
}

// Serves the connection on its loop, or closes it if there are too many.
void HttpServer::Impl::begin(Loop& loop, tcp::socket socket) {
  // With TLS, a handshake only to refuse would cost more than the connection itself.
  const bool has_tls = !shared.options.tls_certificate.empty();
  if (shared.open >= shared.options.connections + (has_tls ? 0 : kMostRefused)) return;
  // Counted before the pointer is made: without memory for it, its constructor calls the deleter.
  ++shared.open;
  std::shared_ptr<void> counted(nullptr, [this](void*) { --shared.open; });
  asio::co_spawn(
      loop.context,
      [this, &loop, socket = std::move(socket), counted = std::move(counted)]() mutable
          -> awaitable<void> { co_await connect(loop, std::move(socket)); },
      asio::detached);
}

awaitable<void> HttpServer::Impl::connect(Loop& loop, tcp::socket socket) {
  error_code error;
  socket.set_option(tcp::no_delay(true), error);
  if (const TlsContext context = current_tls()) {
    beast::ssl_stream<beast::tcp_stream> stream(beast::tcp_stream(std::move(socket)), *context);
    beast::get_lowest_layer(stream).expires_after(std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(shared.options.head_seconds)));
    auto& idle = loop.state.idle;
    const auto place = idle.insert(idle.end(), &beast::get_lowest_layer(stream));
    co_await stream.async_handshake(asio::ssl::stream_base::server, into(error));
    idle.erase(place);
    if (error) co_return;
    beast::get_lowest_layer(stream).expires_never();
    co_await serve_connection(shared, loop.state, stream);
    beast::get_lowest_layer(stream).expires_after(std::chrono::seconds(1));
    co_await stream.async_shutdown(into(error));
  } else {
    beast::tcp_stream stream(std::move(socket));
    co_await serve_connection(shared, loop.state, stream);
    stream.socket().shutdown(tcp::socket::shutdown_send, error);
  }
}

HttpServer::HttpServer(const HttpOptions& options, Handlers handlers)
    : impl_(std::make_unique<Impl>(options, std::move(handlers))) {
  const int threads = options.threads > 0
                          ? options.threads
                          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int i = 0; i < threads; ++i) impl_->loops.push_back(std::make_unique<Impl::Loop>());
  if (!options.tls_certificate.empty()) impl_->tls = tls_context(options);
  impl_->listen();
}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return impl_->acceptor->local_endpoint().port(); }

std::function<void()> HttpServer::read_tls_files() {
  if (impl_->shared.options.tls_certificate.empty()) return [] {};
  return [this, context = tls_context(impl_->shared.options)] {
    const std::lock_guard lock(impl_->tls_mutex);
    impl_->tls = context;
  };
}

ServerLoad HttpServer::load() const {
  return {impl_->shared.open, impl_->shared.budget.held(), impl_->work.waiting(),
          impl_->work.running()};
}

void HttpServer::run(const std::atomic<bool>& stop) {
  Impl& impl = *impl_;
  asio::co_spawn(impl.loops.front()->context, impl.accept(), asio::detached);
  std::vector<std::thread> threads;
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> work;
  for (auto& loop : impl.loops) {
    work.push_back(asio::make_work_guard(loop->context));
    threads.emplace_back([&context = loop->context] { context.run(); });
  }
  while (!stop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (impl.shared.handlers.now_and_then) impl.shared.handlers.now_and_then();
  }
  impl.shared.draining = true;
  impl.shared.handlers.stopping();
  asio::post(impl.loops.front()->context, [&impl] {
    error_code ignored;
    impl.acceptor->close(ignored);
  });
  const Clock::time_point begin = Clock::now();
  const auto wait = [&](double seconds) {
    const auto end =
        begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    while (impl.shared.open > 0 && Clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  impl.for_each_loop([](LoopState& state) {
    for (beast::tcp_stream* stream : state.idle) stream->cancel();
  });
  wait(impl.shared.options.grace_seconds);
  impl.shared.ending = true;
  impl.for_each_loop([](LoopState& state) {
    for (const auto& one : state.answering) one->set(RequestStop::Reason::kServerStops);
  });
  wait(impl.shared.options.stop_seconds);
  work.clear();
  for (auto& loop : impl.loops) loop->context.stop();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace benzer::server
