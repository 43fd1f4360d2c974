#include "store/redis/reply.h"

#include <algorithm>
#include <utility>

#include <hiredis/hiredis.h>

namespace benzer::redis {
namespace {

constexpr std::size_t kLargestReply = std::size_t{1} << 30;
constexpr std::size_t kMostReserved = 1024;
// hiredis moves its unread bytes after each kilobyte that it has read, so it gets few at a time.
constexpr std::size_t kPiece = 16 * 1024;

Reply& place_of(const redisReadTask* task) {
  if (!task->parent) return *new Reply;
  return static_cast<Reply*>(task->parent->obj)->items.emplace_back();
}

void* create_string(const redisReadTask* task, char* text, std::size_t size) {
  Reply& out = place_of(task);
  out.kind = task->type == REDIS_REPLY_ERROR    ? Reply::Kind::kError
             : task->type == REDIS_REPLY_STATUS ? Reply::Kind::kStatus
                                                : Reply::Kind::kString;
  out.text.assign(text, size);
  return &out;
}

template <class Count>  // int, and size_t from hiredis 1.0 on
void* create_array(const redisReadTask* task, Count items) {
  Reply& out = place_of(task);
  out.kind = Reply::Kind::kArray;
  if (items > 0) out.items.reserve(std::min<std::size_t>(kMostReserved, items));
  return &out;
}

void* create_integer(const redisReadTask* task, long long value) {
  Reply& out = place_of(task);
  out.kind = Reply::Kind::kInteger;
  out.integer = value;
  return &out;
}

void* create_nil(const redisReadTask* task) { return &place_of(task); }

// hiredis frees roots only.
void free_reply(void* reply) { delete static_cast<Reply*>(reply); }

redisReplyObjectFunctions functions() {
  redisReplyObjectFunctions out{};
  out.createString = create_string;
  out.createArray = create_array;
  out.createInteger = create_integer;
  out.createNil = create_nil;
  out.freeObject = free_reply;
#if HIREDIS_MAJOR >= 1  // RESP 3: a server sends them unasked only to do harm
  out.createDouble = [](const redisReadTask* task, double, char* text, std::size_t size) {
    return create_string(task, text, size);
  };
  out.createBool = [](const redisReadTask* task, int value) { return create_integer(task, value); };
#endif
  return out;
}
redisReplyObjectFunctions kFunctions = functions();

}  // namespace

struct ReplyReader::Hiredis {
  Hiredis() : reader(redisReaderCreateWithFunctions(&kFunctions)) {
    if (!reader) throw std::bad_alloc();
    reader->maxbuf = kPiece * 8;
  }
  ~Hiredis() { redisReaderFree(reader); }
  Hiredis(const Hiredis&) = delete;
  Hiredis& operator=(const Hiredis&) = delete;
  redisReader* reader;
};

std::string_view Reply::error_code() const noexcept {
  if (!is_error()) return {};
  return std::string_view(text).substr(0, text.find(' '));
}

ReplyReader::ReplyReader() : reader_(std::make_unique<Hiredis>()) {}
ReplyReader::~ReplyReader() = default;

bool ReplyReader::feed(std::string_view bytes) {
  if (!problem_.empty()) return false;
  unread_ += bytes.size();
  if (unread_ > kLargestReply) {
    problem_ = "a reply of more than 1 GiB";
    return false;
  }
  if (redisReaderFeed(reader_->reader, bytes.data(), bytes.size()) == REDIS_OK) return true;
  problem_ = reader_->reader->errstr;
  return false;
}

bool ReplyReader::next(Reply& out) {
  if (!problem_.empty()) return false;
  void* read = nullptr;
  if (redisReaderGetReply(reader_->reader, &read) != REDIS_OK) {
    problem_ = std::string("bytes that are not a Redis reply: ") + reader_->reader->errstr;
    return false;
  }
  if (!read) return false;
  const std::unique_ptr<Reply> owned(static_cast<Reply*>(read));
  out = std::move(*owned);
  unread_ = reader_->reader->len - reader_->reader->pos;
  return true;
}

}  // namespace benzer::redis
