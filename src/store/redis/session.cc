#include "store/redis/session.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

namespace benzer::redis {
namespace {

// "7.0.15" of the line "redis_version:7.0.15"; empty: there is none.
std::string_view info_of(std::string_view info, std::string_view name) {
  for (std::size_t at = info.find(name); at != std::string_view::npos;
       at = info.find(name, at + 1)) {
    const bool begins_line = at == 0 || info[at - 1] == '\n';
    if (!begins_line || at + name.size() >= info.size() || info[at + name.size()] != ':') continue;
    const std::string_view rest = info.substr(at + name.size() + 1);
    return rest.substr(0, rest.find_first_of("\r\n"));
  }
  return {};
}

[[noreturn]] void refuse(const Address& address, const std::string& problem) {
  throw Error(ErrorCode::kInvalidArgument, fmt::format("{} {}", address.str(), problem));
}

void check_config(Client& client, std::string_view name, std::string_view wanted) {
  for (const Client::Answer& answer : client.ask_all({"CONFIG", "GET", name})) {
    if (answer.reply.is_error())
      refuse(answer.address,
             fmt::format("does not tell {}, on which the level 'disk' depends ({}); give its user "
                         "the right +config|get, or ask for another level",
                         name, answer.reply.text));
    const bool is_pair = answer.reply.items.size() == 2;
    if (!is_pair || answer.reply.items[1].text != wanted)
      refuse(answer.address,
             fmt::format("has {} {}, and the level 'disk' needs {}; change that in its "
                         "configuration, or ask for another level",
                         name, is_pair ? answer.reply.items[1].text : "unset", wanted));
  }
}

}  // namespace

std::optional<std::string> read_meta(Client& client, const std::string& store) {
  Pipeline pipeline;
  pipeline.add({"GET", Layout::meta_key(store)});
  Reply reply = std::move(client.run(pipeline)[0]);
  if (reply.is_nil()) return std::nullopt;
  return std::move(reply.text);
}

std::string create_meta(Client& client, const std::string& store, const Meta& meta) {
  Pipeline pipeline;
  const std::string text = meta.str();
  pipeline.add({"SET", Layout::meta_key(store), text, "NX"});
  client.run(pipeline);
  return read_meta(client, store).value_or("");
}

void check_servers(Client& client, const WriteLevel& level) {
  for (const Client::Answer& answer : client.ask_all({"INFO"})) {
    if (answer.reply.is_error())
      refuse(answer.address,
             fmt::format("does not tell its state ({}); give its user the right +info",
                         answer.reply.text));
    const std::string_view info = answer.reply.text;
    const std::string_view version = info_of(info, "redis_version");
    int major = 0;
    std::from_chars(version.data(), version.data() + version.size(), major);
    if (major < 7)
      refuse(answer.address,
             fmt::format("is Redis {}, and an index needs 7.0 or later (or Valkey)", version));
    const std::string_view policy = info_of(info, "maxmemory_policy");
    if (policy.starts_with("allkeys"))
      refuse(answer.address,
             fmt::format("has maxmemory-policy {}, which throws keys away when memory runs out, so "
                         "that documents could be lost silently; set it to noeviction",
                         policy));
  }
  if (level.durability == Durability::kDisk) {
    check_config(client, "appendonly", "yes");
    check_config(client, "appendfsync", "always");
  }
}

std::uint64_t used_memory(std::string_view info) {
  const std::string_view digits = info_of(info, "used_memory");
  std::uint64_t out = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

void Session::check() {
  std::uint64_t before = client_.connections();
  while (checked_ == 0 || checked_ != client_.connections()) {
    const std::string& store = settings_.access->url.store;
    const std::optional<std::string> there = read_meta(client_, store);
    if (!there || *there != settings_.meta.str())
      throw Error(
          ErrorCode::kNoIndex, Subject::index(settings_.access->url.str()),
          fmt::format("the index that was opened is no longer there: {}",
                      there ? "another one has its name" : "the server knows nothing of it"),
          "open it again, and look whether the server has lost its data");
    if (!settings_.read_only) check_servers(client_, settings_.level);
    if (before == client_.connections()) checked_ = before;
    before = client_.connections();
  }
}

std::vector<Reply> Session::run(const Pipeline& pipeline) {
  if (checked_ == 0) check();
  std::vector<Reply> out = client_.run(pipeline);
  check();
  return out;
}

Client::Sent Session::send(Pipeline pipeline) {
  if (checked_ == 0) check();
  return client_.send(std::move(pipeline));
}

std::vector<Reply> Session::finish(Client::Sent sent) {
  std::vector<Reply> out = client_.finish(std::move(sent));
  check();
  return out;
}

Client::Changed Session::change_if(const std::string& key,
                                   const std::function<bool(const Reply& now)>& accepts,
                                   std::optional<std::string_view> value) {
  const std::chrono::milliseconds timeout = settings_.access->timeout;
  bool was_unknown = false;
  for (const Clock::time_point begun = Clock::now(); Clock::now() - begun < timeout;) {
    switch (client_.change_if(key, accepts, value)) {
      case Client::Changed::kYes:
        return Client::Changed::kYes;
      case Client::Changed::kNo:
        return was_unknown ? Client::Changed::kUnknown : Client::Changed::kNo;
      case Client::Changed::kUnknown:
        was_unknown = true;
    }
    // Finds the master that has the key, and waits until it answers.
    Pipeline pipeline;
    pipeline.add({"GET", key});
    run(pipeline);
  }
  throw Error(ErrorCode::kUnavailable, Subject::index(settings_.access->url.str()),
              fmt::format("a document could not be changed within {:.1f} s, because its server or "
                          "its slot is moving",
                          seconds(timeout)),
              "try again");
}

}  // namespace benzer::redis
