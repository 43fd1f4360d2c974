#include "store/redis/connection.h"

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <fcntl.h>
#include <fmt/format.h>

#include "benzer/error.h"

#include "store/redis/authorities.h"

namespace benzer::redis {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kReadAtOnce = 16 * 1024;

}  // namespace

std::shared_ptr<asio::ssl::context> tls_context(const std::string& ca_file) {
  auto out = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  error_code error;
  out->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                       asio::ssl::context::no_tlsv1_1,
                   error);
  out->set_verify_mode(asio::ssl::verify_peer, error);
  const std::string file = ca_file.empty() ? other_authorities() : ca_file;
  if (file.empty()) {
    out->set_default_verify_paths(error);
  } else {
    out->load_verify_file(file, error);
  }
  if (error)
    throw Error(
        ErrorCode::kInvalidArgument,
        Subject::file(file.empty() ? "the system's default place" : file),
        fmt::format("no certificates of authorities could be read there ({})", error.message()),
        "give a file in PEM form");
  return out;
}

class Connection::Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(asio::io_context& io, const Address& address, asio::ssl::context* tls)
      : address_(address), resolver_(io), plain_(io) {
    if (tls) encrypted_.emplace(io, *tls);
  }

  void connect(std::shared_ptr<void> resolving) {
    resolver_.async_resolve(address_.host, std::to_string(address_.port),
                            [self = shared_from_this(), resolving = std::move(resolving)](
                                const error_code& error, const tcp::resolver::results_type& found) {
                              if (self->ended(error, "its name cannot be resolved")) return;
                              self->is_resolved_ = true;
                              self->reach(found);
                            });
  }

  void start(std::shared_ptr<Exchange> exchange) {
    if (!failure_.empty()) {
      exchange->failure = failure_;
      return;
    }
    if (exchanges_.empty()) progress_ = Clock::now();
    next_out_ += std::exchange(exchange->out, {});
    exchanges_.push_back(std::move(exchange));
    begin_next();
  }

  void fail(const std::string& why) {
    if (!failure_.empty()) return;
    failure_ = why;
    error_code ignored;
    resolver_.cancel();
    socket().close(ignored);
    for (const auto& exchange : exchanges_) exchange->failure = why;
    exchanges_.clear();
  }

  const Address address_;
  bool is_resolved_ = false, is_connected_ = false;
  std::string failure_;
  Clock::time_point progress_ = Clock::now();

 private:
  tcp::socket& socket() { return encrypted_ ? encrypted_->next_layer() : plain_; }

  // Returns true if the connection has ended, because of this error or an earlier one.
  bool ended(const error_code& error, std::string_view what) {
    progress_ = Clock::now();
    if (!failure_.empty()) return true;
    if (!error) return false;
    fail(fmt::format("{} ({})", what, error.message()));
    return true;
  }

  void reach(const tcp::resolver::results_type& found) {
    asio::async_connect(socket(), found,
                        [self = shared_from_this()](const error_code& error, const tcp::endpoint&) {
                          if (self->ended(error, "it cannot be reached")) return;
                          error_code ignored;
                          self->socket().set_option(tcp::no_delay(true), ignored);
                          // Programs that this process starts must not inherit the socket.
                          ::fcntl(self->socket().native_handle(), F_SETFD, FD_CLOEXEC);
                          self->encrypted_ ? self->shake_hands() : self->connected();
                        });
  }

  void shake_hands() {
    SSL_set_tlsext_host_name(encrypted_->native_handle(), address_.host.c_str());
    error_code error;
    encrypted_->set_verify_callback(asio::ssl::host_name_verification(address_.host), error);
    encrypted_->async_handshake(
        asio::ssl::stream_base::client, [self = shared_from_this()](const error_code& failed) {
          if (!failed) return self->connected();
          const long verified = SSL_get_verify_result(self->encrypted_->native_handle());
          std::string_view what = "the TLS handshake failed";
          if (verified == X509_V_ERR_UNSPECIFIED)  // set by the check of the name
            what = "its certificate is not for this host";
          else if (verified != X509_V_OK)
            what = X509_verify_cert_error_string(verified);
          self->ended(failed, what);
        });
  }

  void connected() {
    if (!failure_.empty()) return;
    is_connected_ = true;
    progress_ = Clock::now();
    begin_next();
  }

  // The socket keeps the bytes itself: all replies may have come, and their exchange may be gone,
  // before the last bytes are sent.
  void begin_next() {
    if (next_out_.empty() || !is_connected_ || is_writing_) return;
    is_writing_ = true;
    out_ = std::exchange(next_out_, {});
    const auto written = [self = shared_from_this()](const error_code& error, std::size_t) {
      self->is_writing_ = false;
      if (!self->ended(error, "the connection broke")) self->begin_next();
    };
    const auto more = [self = shared_from_this()](const error_code& error,
                                                  std::size_t) -> std::size_t {
      if (error || !self->failure_.empty()) return 0;
      self->progress_ = Clock::now();
      return 64 * 1024;
    };
    const auto out = asio::buffer(out_);
    if (encrypted_) {
      asio::async_write(*encrypted_, out, more, written);
    } else {
      asio::async_write(plain_, out, more, written);
    }
    if (!is_reading_) read();
  }

  void read() {
    is_reading_ = true;
    auto arrived = [self = shared_from_this()](const error_code& error, std::size_t size) {
      self->is_reading_ = false;
      if (self->ended(error, error == asio::error::eof ? "it closed the connection"
                                                       : "the connection broke"))
        return;
      self->take(size);
    };
    const auto in = asio::buffer(in_);
    if (encrypted_) {
      encrypted_->async_read_some(in, std::move(arrived));
    } else {
      plain_.async_read_some(in, std::move(arrived));
    }
  }

  void take(std::size_t size) {
    if (exchanges_.empty()) return;
    reader_.feed({in_.data(), size});
    std::shared_ptr<Exchange> last;
    for (Reply reply; !exchanges_.empty() && reader_.next(reply);) {
      last = exchanges_.front();
      last->replies.push_back(std::move(reply));
      if (last->is_over()) exchanges_.pop_front();
    }
    if (!reader_.problem().empty()) return fail("it sent " + reader_.problem());
    if (!exchanges_.empty()) return read();
    // It is unknown which of the replies answers which command.
    if (reader_.has_more()) {
      last->replies.clear();
      fail("it sent more than it was asked for");
      last->failure = failure_;
    }
  }

  tcp::resolver resolver_;
  tcp::socket plain_;
  std::optional<asio::ssl::stream<tcp::socket>> encrypted_;
  std::array<char, kReadAtOnce> in_;
  ReplyReader reader_;
  std::deque<std::shared_ptr<Exchange>> exchanges_;  // whose replies have not all come, in order
  std::string out_, next_out_;                       // being sent; to be sent
  bool is_writing_ = false, is_reading_ = false;
};

Connection::Connection(asio::io_context& io, const Address& address, asio::ssl::context* tls,
                       std::shared_ptr<void> resolving)
    : socket_(std::make_shared<Socket>(io, address, tls)) {
  socket_->connect(std::move(resolving));
}

Connection::~Connection() { socket_->fail("the connection was closed"); }

Clock::time_point Connection::last_progress() const noexcept { return socket_->progress_; }
bool Connection::is_resolved() const noexcept { return socket_->is_resolved_; }
void Connection::start(std::shared_ptr<Exchange> exchange) { socket_->start(std::move(exchange)); }
void Connection::fail(const std::string& why) { socket_->fail(why); }

}  // namespace benzer::redis
