// Runs commands for a store, and checks after each new connection that the store is still the one
// that was opened, and that its servers are fit for it.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
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
