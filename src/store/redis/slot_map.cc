#include "store/redis/slot_map.h"

#include <charconv>

#include "store/redis/command.h"

namespace benzer::redis {
namespace {

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

}  // namespace

std::optional<std::vector<SlotRange>> read_slots(const Reply& reply, const Address& asked) {
  if (reply.kind != Reply::Kind::kArray) return std::nullopt;
  std::vector<SlotRange> out;
  for (const Reply& entry : reply.items) {
    if (entry.items.size() < 3 || entry.items[2].items.size() < 2) return std::nullopt;
    const std::int64_t first = entry.items[0].integer;
    const std::int64_t last = entry.items[1].integer;
    const Reply& master = entry.items[2];
    const std::int64_t port = master.items[1].integer;
    if (first < 0 || last < first || last >= kSlots || port <= 0 || port > 65'535)
      return std::nullopt;
    const std::string& host = master.items[0].text;
    // "?" is written for a name that the node does not know.
    out.push_back(
        {static_cast<std::uint16_t>(first),
         static_cast<std::uint16_t>(last),
         {host.empty() || host == "?" ? asked.host : host, static_cast<std::uint16_t>(port)}});
  }
  return out;
}

std::optional<SlotRange> read_redirection(std::string_view error, const Address& asked) {
  const std::size_t first = error.find(' ');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = error.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view address = error.substr(second + 1);
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  SlotRange out;
  if (!read_number(error.substr(first + 1, second - first - 1), out.first) ||
      !read_number(address.substr(colon + 1), out.master.port) || out.first >= kSlots ||
      out.master.port == 0)
    return std::nullopt;
  out.last = out.first;
  out.master.host = address.substr(0, colon);
  if (out.master.host.empty()) out.master.host = asked.host;
  return out;
}

}  // namespace benzer::redis
