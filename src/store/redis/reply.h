// Reads what a Redis server answers (RESP, version 2: redis.io/docs/reference/protocol-spec) with
// hiredis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace benzer::redis {

struct Reply {
  enum class Kind : std::uint8_t { kNil, kStatus, kError, kInteger, kString, kArray };
  Kind kind = Kind::kNil;
  std::int64_t integer = 0;
  std::string text;  // of a status, an error or a string
  std::vector<Reply> items;

  bool is_nil() const noexcept { return kind == Kind::kNil; }
  bool is_error() const noexcept { return kind == Kind::kError; }
  // The first word of an error: "MOVED" of "MOVED 3999 127.0.0.1:6381".
  std::string_view error_code() const noexcept;
};

// Puts replies together from the bytes of a connection. No length that it reads is trusted: memory
// is allocated only for what has arrived.
class ReplyReader {
 public:
  ReplyReader();
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // Returns false if these bytes are not replies, or one is larger than 1 GiB; the connection is
  // then of no use, and problem() says why.
  bool feed(std::string_view bytes);
  // Returns false if there is no whole reply, or if the next bytes are not a reply (see problem()).
  bool next(Reply& out);
  const std::string& problem() const noexcept { return problem_; }  // empty: none
  // Returns whether there are bytes after the last reply.
  bool has_more() const noexcept { return unread_ != 0; }

 private:
  struct Hiredis;
  std::unique_ptr<Hiredis> reader_;
  std::size_t unread_ = 0;  // bytes since the last whole reply
  std::string problem_;
};

}  // namespace benzer::redis
