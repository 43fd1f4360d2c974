// Runs commands for a store, and checks after each new connection that the store is still the one
// that was opened, and that its servers are fit for it.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benzer/store.h"

#include "store/redis/client.h"
#include "store/redis/layout.h"

namespace benzer::redis {

struct Settings {
  std::shared_ptr<const Access> access;
  Layout layout;
  Meta meta;
  WriteLevel level{Durability::kMemory, 0};
  bool read_only = false;
};

// Returns the description of the store; nothing if there is no such store.
std::optional<std::string> read_meta(Client& client, const std::string& store);

// Creates the store, unless somebody else has done so, and returns the description that is there.
std::string create_meta(Client& client, const std::string& store, const Meta& meta);

// Throws Error(kInvalidArgument) if a server is unfit for a store: it may evict keys, cannot do
// what the level asks for, or is too old.
void check_servers(Client& client, const WriteLevel& level);

// Reads the used memory from an answer to INFO; 0 if that does not have it.
std::uint64_t used_memory(std::string_view info);

// Threads: one.
class Session {
 public:
  explicit Session(const Settings& settings) : settings_(settings), client_(settings.access) {}

  // Like Client::run(). Throws Error(kNoIndex) if the store was removed meanwhile; with a new
  // connection that may be noticed only after the commands were carried out.
  std::vector<Reply> run(const Pipeline& pipeline);
  // The same in two steps, like those of the client.
  Client::Sent send(Pipeline pipeline);
  std::vector<Reply> finish(Client::Sent sent);
  // Like Client::change_if(), but tries again if it is not known whether the key was changed.
  // kUnknown: after such a try `accepts` has refused the value, which that try may have changed.
  // Throws Error(kUnavailable) if that is so for the time-out.
  Client::Changed change_if(const std::string& key,
                            const std::function<bool(const Reply& now)>& accepts,
                            std::optional<std::string_view> value);
  Client& client() noexcept { return client_; }
  const Layout& layout() const noexcept { return settings_.layout; }
  const Settings& settings() const noexcept { return settings_; }

 private:
  void check();

  const Settings& settings_;
  Client client_;
  std::uint64_t checked_ = 0;  // connections of the client when it last looked
};

// A server answers the commands of a read (16 KB) at a time: with fewer, it answers some while it
// carries out others.
inline constexpr std::size_t kSentTogether = 128;

// Asks for many things a piece at a time, so that neither side holds too much: add(i, pipeline)
// for each of `count` things, then take(i, reply). Replies are taken while others are on their way.
template <class Add, class Take>
void run_in_pieces(Session& session, std::size_t count, std::size_t piece, Add add, Take take) {
  std::vector<Client::Sent> sent;
  for (std::size_t begin = 0; begin < count; begin += piece) {
    session.client().throw_if_stopped();
    const std::size_t end = std::min(count, begin + piece);
    sent.clear();
    for (std::size_t i = begin; i < end;) {
      Pipeline pipeline;
      for (const std::size_t part = std::min(end, i + kSentTogether); i < part; ++i)
        add(i, pipeline);
      sent.push_back(session.send(std::move(pipeline)));
    }
    std::size_t i = begin;
    for (Client::Sent& part : sent)
      for (const Reply& reply : session.finish(std::move(part))) take(i++, reply);
  }
}

inline constexpr std::size_t kRecordsAtOnce = 512;  // of 4 KB

// Reads the first bytes of records, those of `at_once` at a time. take(i, bytes, is_whole) returns
// whether that is enough; the others are returned. No bytes: there is no record.
template <class Take>
std::vector<std::size_t> read_beginnings(Session& session, std::span<const Name> names,
                                         std::size_t bytes, std::size_t at_once, Take take) {
  const std::string last = std::to_string(bytes - 1);
  std::vector<std::size_t> out;
  run_in_pieces(
      session, names.size(), at_once,
      [&](std::size_t i, Pipeline& pipeline) {
        pipeline.add({"GETRANGE", session.layout().record_key(names[i]), "0", last});
      },
      [&](std::size_t i, const Reply& reply) {
        if (!take(i, reply.text, reply.text.size() < bytes)) out.push_back(i);
      });
  return out;
}

// Reads records that are longer than their beginnings: some together if they are not very long, the
// others one by one, so that few bytes are held. With whole bytes take() must return true.
template <class Take>
void read_long_records(Session& session, std::span<const Name> names, Take take) {
  constexpr std::size_t kLongBytes = std::size_t{256} << 10, kLongAtOnce = 32;
  const std::vector<std::size_t> longest =
      read_beginnings(session, names, kLongBytes, kLongAtOnce, take);
  run_in_pieces(
      session, longest.size(), 1,
      [&](std::size_t i, Pipeline& pipeline) {
        pipeline.add({"GET", session.layout().record_key(names[longest[i]])});
      },
      [&](std::size_t i, const Reply& reply) { take(longest[i], reply.text, true); });
}

// Reads records of any length, as take() needs them.
template <class Take>
void read_records(Session& session, std::span<const Name> names, Take take) {
  const std::vector<std::size_t> longer =
      read_beginnings(session, names, Layout::kHeadBytes, kRecordsAtOnce, take);
  std::vector<Name> of_longer;
  for (const std::size_t i : longer) of_longer.push_back(names[i]);
  read_long_records(session, of_longer,
                    [&](std::size_t i, const std::string& bytes, bool is_whole) {
                      return take(longer[i], bytes, is_whole);
                    });
}

// Calls visit(group, posting) for all entries of `count` groups of a table.
template <class Visit>
void for_each_entry(Session& session, std::uint32_t table, std::uint32_t begin, std::uint32_t count,
                    Visit visit) {
  constexpr std::size_t kGroupsAtOnce = 1024;
  const Layout& layout = session.layout();
  run_in_pieces(
      session, count, kGroupsAtOnce,
      [&](std::size_t i, Pipeline& pipeline) {
        pipeline.add({"HKEYS", layout.group_key(table, begin + static_cast<std::uint32_t>(i))});
      },
      [&](std::size_t i, const Reply& reply) {
        const std::uint32_t group = begin + static_cast<std::uint32_t>(i);
        for (const Reply& item : reply.items)
          if (const auto posting = layout.read_field(item.text, group)) visit(group, *posting);
      });
}

}  // namespace benzer::redis
