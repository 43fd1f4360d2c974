// Reads what a server, or somebody else who writes to it, may send. The first byte chooses what the
// others are read as.
//
// Checks that nothing crashes; that replies do not depend on the pieces in which they arrive; that
// a record that is read whole is written with the same bytes again; that what is read of an address
// is read from its own spelling, too.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/error.h"

#include "base/fuzz_require.h"
#include "store/redis/layout.h"
#include "store/redis/redis_url.h"
#include "store/redis/slot_map.h"

namespace {

using namespace benzer;
using namespace benzer::redis;

// Appends the kinds, texts and numbers of a reply and of all replies in it.
void describe(const Reply& reply, std::string& out) {
  out += static_cast<char>('0' + static_cast<int>(reply.kind));
  out += std::to_string(reply.integer) + ":" + reply.text + "[";
  for (const Reply& item : reply.items) describe(item, out);
  out += "]";
}

std::string read_replies(std::string_view bytes, std::size_t piece) {
  ReplyReader reader;
  Reply reply;
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    if (!reader.feed(bytes.substr(0, piece))) break;
    while (reader.next(reply)) {
      describe(reply, out);
      const Address asked{"h", 1};
      if (const auto ranges = read_slots(reply, asked))
        for (const SlotRange& range : *ranges) require(range.first <= range.last);
      read_redirection(reply.text, asked);
    }
  }
  return out;
}

void read_record(std::string_view bytes) {
  const bool one_table = !bytes.empty() && (bytes[0] & 1);
  const Layout layout("s", HashLayout{3, 4, one_table ? 0U : 5U, one_table}, {"", 12, 42});
  // The name must be that of the id, or decoding would end here.
  std::string id;
  if (bytes.size() >= 14) {
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(bytes[12])) |
                      static_cast<std::size_t>(static_cast<unsigned char>(bytes[13])) << 8;
    id = bytes.substr(14, size);
  }
  const Name name = layout.name_of(id);
  if (const auto record = layout.decode(bytes, name)) {
    if (record->has_features) require(layout.encode(record->version, record->document) == bytes);
    layout.for_each_posting(record->document, name, [&](std::uint32_t table, std::uint32_t key) {
      require(table < layout.tables() && layout.group_of(key) < layout.groups());
    });
  }
  if (const auto posting = layout.read_field(bytes, 5))
    require(layout.group_of(posting->key) == 5 || (bytes[0] & 0xF0) != 0);
}

void read_address(std::string_view bytes) {
  try {
    const Url url = Url::parse(bytes);
    Url again = Url::parse(url.user.empty() ? url.str() : "redis://h/n");
    if (url.user.empty()) require(again.hosts == url.hosts && again.store == url.store);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      require(read_replies(bytes, 1) == read_replies(bytes, size));
      break;
    case 1:
      read_record(bytes);
      break;
    case 2:
      try {
        const Meta meta = Meta::parse(bytes, "x");
        require(Meta::parse(meta.str(), "x") == meta);
      } catch (const Error&) {
      }
      break;
    default:
      read_address(bytes);
  }
  return 0;
}
