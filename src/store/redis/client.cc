#include "store/redis/client.h"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "benzer/error.h"

#include "base/random_pause.h"
#include "store/redis/server_error.h"

namespace benzer::redis {
namespace {

using std::chrono::milliseconds;

// A connection that carries no byte for this long is closed, and a new one is made.
constexpr milliseconds kStall{2'000};
constexpr int kMostRedirections = 16;
constexpr milliseconds kLeastPause{10}, kMostPause{500};
// How often the flags that end waiting are looked at, and how long an answer is waited for all the
// same: it says whether a write was done.
constexpr milliseconds kLook{50}, kLastWait{100};

std::vector<std::size_t> numbers_of(const Pipeline& pipeline) {
  std::vector<std::size_t> out(pipeline.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

}  // namespace

struct Client::Node {
  Address address;
  std::unique_ptr<Connection> connection;
  std::uint64_t generation = 0;  // of the connection
  bool has_logged_in = false;
};

struct Client::Trip {
  Node* node;
  std::uint64_t generation;  // of the connection
  bool logs_in = false;      // with its first command
  std::shared_ptr<Exchange> exchange = std::make_shared<Exchange>();
  std::vector<std::size_t> commands;  // in the order of the replies; kNone: not of the pipeline
  static constexpr std::size_t kNone = ~std::size_t{0};
};

Client::Client(std::shared_ptr<const Access> access)
    : access_(std::move(access)), io_(std::make_unique<boost::asio::io_context>(1)) {
  for (const Address& address : access_->url.hosts) node_at(address);
  if (access_->url.is_cluster) {
    slots_.assign(kSlots, nullptr);
    is_map_old_ = true;
  }
}

Client::~Client() {
  nodes_.clear();
  io_->restart();
  io_->poll();  // so that handlers under way end
  if (resolving_.use_count() == 1) return;
  // A name server that does not answer holds up a name for as long as the system likes.
  try {
    std::thread([io = std::move(io_)]() mutable { io.reset(); }).detach();
  } catch (const std::exception&) {
    // There are no more threads, so this one waits.
  }
}

Client::Node& Client::node_at(const Address& address) {
  for (const auto& node : nodes_)
    if (node->address == address) return *node;
  nodes_.push_back(std::make_unique<Node>());
  nodes_.back()->address = address;
  return *nodes_.back();
}

Client::Node& Client::node_of(std::uint16_t slot) {
  if (slots_.empty()) return *nodes_.front();
  if (slots_[slot]) return *slots_[slot];
  is_map_old_ = true;
  return *nodes_[slot % nodes_.size()];  // the node answers where to go
}

Client::Trip& Client::trip_to(Node& node, Trips& trips) {
  for (const auto& trip : trips)
    if (trip->node == &node) return *trip;
  if (!node.connection) {
    node.connection =
        std::make_unique<Connection>(*io_, node.address, access_->tls.get(), resolving_);
    node.generation = ++generation_;
    node.has_logged_in = access_->url.password.empty() && access_->url.user.empty();
  }
  Trip& trip = *trips.emplace_back(std::make_shared<Trip>(Trip{&node, node.generation}));
  if (!node.has_logged_in) {
    const std::string& user = access_->url.user.empty() ? "default" : access_->url.user;
    append_command({"AUTH", user, access_->url.password}, trip.exchange->out);
    trip.commands.push_back(Trip::kNone);
    trip.logs_in = true;
  }
  return trip;
}

void Client::start(const Trips& trips) {
  for (const auto& trip : trips) {
    trip->exchange->expected = trip->commands.size();
    trip->node->connection->start(trip->exchange);
  }
}

template <class Work>
void Client::work_on_io(Work work) {
  io_->restart();
  try {
    work(*io_);
  } catch (...) {  // replies of these commands must not be taken for later ones
    for (const auto& node : nodes_) node->connection.reset();
    throw;
  }
}

bool Client::is_stopped() const noexcept {
  const auto is_set = [](const std::atomic<bool>* flag) {
    return flag != nullptr && flag->load(std::memory_order_relaxed);
  };
  return is_set(stop_) || is_set(access_->stop);
}

void Client::throw_if_stopped() const {
  if (!is_stopped()) return;
  throw Error(ErrorCode::kInterrupted,
              is_writing_
                  ? "interrupted while the server was written to: the last documents may or "
                    "may not have been written"
                  : "interrupted");
}

void Client::pause(milliseconds time) const {
  const Clock::time_point end = Clock::now() + time;
  for (Clock::time_point now; (now = Clock::now()) < end;) {
    throw_if_stopped();
    std::this_thread::sleep_for(std::min<Clock::duration>(end - now, kLook));
  }
}

void Client::wait(const Trips& trips) {
  const milliseconds stall = std::min(kStall, access_->timeout);
  const Clock::time_point begun = Clock::now();
  const auto is_over = [](const auto& trip) { return trip->exchange->is_over(); };
  while (!std::all_of(trips.begin(), trips.end(), is_over)) {
    work_on_io([&](auto& io) {
      if (Clock::now() - begun > kLastWait) throw_if_stopped();
      io.run_one_for(std::min(stall / 4, kLook));
    });
    for (const auto& trip : trips) {
      if (is_over(trip)) continue;
      Connection& connection = *trip->node->connection;
      if (Clock::now() - std::max(begun, connection.last_progress()) > stall)
        connection.fail(fmt::format(
            "{} for {:.1f} s",
            connection.is_resolved() ? "it has not answered" : "its name has not been resolved",
            seconds(stall)));
    }
  }
  for (const auto& trip : trips) {
    Node& node = *trip->node;
    const auto close = [&] {
      if (node.generation == trip->generation) node.connection.reset();
    };
    if (!trip->exchange->failure.empty()) {
      problem_ = fmt::format("{}: {}", node.address.str(), trip->exchange->failure);
      close();
      is_map_old_ = true;
    }
    if (!trip->logs_in || trip->exchange->replies.empty()) continue;
    if (const Reply& login = trip->exchange->replies.front(); login.is_error()) {
      close();
      if (!passes(login)) refuse(login, node.address);
      problem_ = fmt::format("{}: {}", node.address.str(), login.text);
      trip->exchange->replies.clear();
      continue;
    }
    if (node.generation == trip->generation) node.has_logged_in = true;
  }
}

bool Client::settle(std::size_t command, Reply& reply, Node& node, std::uint16_t slot) {
  if (!reply.is_error()) return true;
  const std::string_view code = reply.error_code();
  if (!slots_.empty() && (code == "MOVED" || code == "ASK")) {
    if (const auto to = read_redirection(reply.text, node.address)) {
      Node& target = node_at(to->master);
      if (code == "ASK") {
        asking_.emplace_back(command, &target);
      } else {
        slots_[slot] = &target;
      }
      problem_ = fmt::format("{}: {}", node.address.str(), reply.text);
      return false;
    }
  }
  if (!passes(reply)) refuse(reply, node.address);
  // A master may have become a replica, so the map of slots is out of date.
  if (code == "READONLY" || code == "CLUSTERDOWN") is_map_old_ = true;
  problem_ = fmt::format("{}: {}", node.address.str(), reply.text);
  return false;
}

void Client::refresh() {
  if (slots_.empty() || !is_map_old_) return;
  // Nodes with a connection are asked first: others may be gone.
  std::vector<Node*> asked;
  for (const auto& node : nodes_) asked.push_back(node.get());
  std::stable_partition(asked.begin(), asked.end(), [](Node* node) { return !!node->connection; });
  for (Node* node : asked) {
    Trips trips;
    Trip& trip = trip_to(*node, trips);
    append_command({"CLUSTER", "SLOTS"}, trip.exchange->out);
    trip.commands.push_back(Trip::kNone);
    travel(trips);
    if (trip.exchange->replies.size() != trip.commands.size()) continue;
    const Reply& reply = trip.exchange->replies.back();
    if (reply.is_error() && reply.text.find("cluster support disabled") != std::string::npos)
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} is not a cluster", node->address.str()),
                  "begin the index's address with redis:// (rediss://)", ": ");
    if (reply.is_error() && !passes(reply)) refuse(reply, node->address);
    const auto ranges = read_slots(reply, node->address);
    if (!ranges || ranges->empty()) {
      problem_ = fmt::format("{}: it knows of no slots", node->address.str());
      continue;
    }
    for (const SlotRange& range : *ranges) {
      Node& master = node_at(range.master);
      for (std::size_t slot = range.first; slot <= range.last; ++slot) slots_[slot] = &master;
    }
    is_map_old_ = false;
    return;
  }
}

void Client::wait_a_little(Clock::time_point since, milliseconds timeout) {
  if (Clock::now() - since > timeout)
    throw Error(ErrorCode::kUnavailable,
                fmt::format("{}; gave up after {:.1f} s", problem_, seconds(timeout)),
                "see whether the server runs and the address is right, then try again (also what "
                "was written and not acknowledged)",
                ": ");
  // The pause grows exponentially and is partly random, so that many clients do not come back at
  // the same moment.
  const milliseconds most = std::min(kMostPause, kLeastPause * (1 << std::min(failures_, 6)));
  pause(random_time(most / 2, most));
  ++failures_;
}

void Client::touch(Node& node, std::uint64_t generation) {
  if (std::none_of(touched_.begin(), touched_.end(), [&](const Touched& known) {
        return known.node == &node && known.generation == generation;
      }))
    touched_.push_back({&node, generation});
}

std::vector<Reply> Client::run_once(const Pipeline& pipeline) {
  return run(pipeline, milliseconds(0));
}

std::vector<Reply> Client::run(const Pipeline& pipeline) { return run(pipeline, access_->timeout); }

std::vector<Reply> Client::run(const Pipeline& pipeline, milliseconds timeout) {
  asking_.clear();
  return finish(pipeline, start(pipeline, numbers_of(pipeline)), timeout);
}

Client::Sent Client::send(Pipeline pipeline) {
  work_on_io([](auto& io) { io.poll(); });  // what was sent before is on its way, then
  asking_.clear();
  Sent out{std::move(pipeline), {}};
  out.trips = start(out.pipeline, numbers_of(out.pipeline));
  return out;
}

std::vector<Reply> Client::finish(Sent sent) {
  asking_.clear();
  return finish(sent.pipeline, std::move(sent.trips), access_->timeout);
}

Client::Trips Client::start(const Pipeline& pipeline, std::span<const std::size_t> commands) {
  refresh();
  Trips trips;
  const auto asking = std::exchange(asking_, {});
  for (const std::size_t i : commands) {
    const Pipeline::Command& command = pipeline.commands()[i];
    const auto asked = std::find_if(asking.begin(), asking.end(),
                                    [&](const auto& entry) { return entry.first == i; });
    Trip& trip = trip_to(asked == asking.end() ? node_of(command.slot) : *asked->second, trips);
    if (asked != asking.end()) {
      append_command({"ASKING"}, trip.exchange->out);
      trip.commands.push_back(Trip::kNone);
    }
    trip.exchange->out += pipeline.bytes(command);
    trip.commands.push_back(i);
  }
  start(trips);
  return trips;
}

std::vector<Reply> Client::finish(const Pipeline& pipeline, Trips trips, milliseconds timeout) {
  std::vector<Reply> out(pipeline.size());
  std::vector<std::size_t> open = numbers_of(pipeline);
  failures_ = 0;
  int redirections = 0;
  Clock::time_point succeeded = Clock::now();
  while (!open.empty()) {
    wait(trips);
    std::size_t done = 0;
    bool is_redirected = true;
    std::vector<bool> is_done(pipeline.size());
    for (const auto& trip : trips) {
      for (std::size_t i = 0; i < trip->exchange->replies.size(); ++i) {
        const std::size_t command = trip->commands[i];
        Reply& reply = trip->exchange->replies[i];
        if (command == Trip::kNone) {
          if (denies(reply)) refuse(reply, trip->node->address);
          continue;
        }
        const bool settled = settle(command, reply, *trip->node, pipeline.commands()[command].slot);
        if (!settled) is_redirected &= reply.error_code() == "MOVED" || reply.error_code() == "ASK";
        is_done[command] = settled;
        if (!settled) continue;
        out[command] = std::move(reply);
        ++done;
      }
      if (trip->exchange->replies.size() < trip->commands.size()) is_redirected = false;
      touch(*trip->node, trip->generation);
    }
    std::erase_if(open, [&](std::size_t i) { return is_done[i]; });
    if (done > 0) {
      succeeded = Clock::now();
      failures_ = 0;
    }
    if (open.empty()) break;
    if (!is_redirected || ++redirections > kMostRedirections) wait_a_little(succeeded, timeout);
    trips = start(pipeline, open);
  }
  return out;
}

std::vector<Reply> Client::ask_once(
    Node& node, std::initializer_list<std::initializer_list<std::string_view>> commands) {
  Trips trips;
  Trip& trip = trip_to(node, trips);
  const std::size_t logins = trip.commands.size();
  for (const auto& words : commands) {
    append_command(words, trip.exchange->out);
    trip.commands.push_back(Trip::kNone);
  }
  travel(trips);
  std::vector<Reply> replies = std::move(trip.exchange->replies);
  if (replies.size() != trip.commands.size()) return {};
  for (const Reply& reply : replies)
    if (denies(reply)) refuse(reply, node.address);
  replies.erase(replies.begin(), replies.begin() + static_cast<std::ptrdiff_t>(logins));
  return replies;
}

bool Client::are_well(const std::vector<Reply>& replies, std::size_t count, const Node& node) {
  for (const Reply& reply : replies) {
    if (!reply.is_error()) continue;
    const std::string_view code = reply.error_code();
    if (code != "MOVED" && code != "ASK" && code != "EXECABORT" && !passes(reply))
      refuse(reply, node.address);
    problem_ = fmt::format("{}: {}", node.address.str(), reply.text);
    return false;
  }
  return replies.size() == count;
}

// The server drops the transaction if the key has changed since WATCH, or has expired. UNWATCH
// forgets the keys of earlier calls, whose changes would count as well.
Client::Changed Client::change_if(const std::string& key,
                                  const std::function<bool(const Reply& now)>& accepts,
                                  std::optional<std::string_view> value) {
  Node& node = node_of(slot_of(key));
  const std::vector<Reply> seen = ask_once(node, {{"UNWATCH"}, {"WATCH", key}, {"GET", key}});
  if (!are_well(seen, 3, node)) return Changed::kUnknown;
  // Also if nothing is changed now, because an earlier try may have done it.
  touch(node, node.generation);
  if (!accepts(seen[2])) return Changed::kNo;
  // A new connection would not have the WATCH; this one is used, or none.
  if (!node.connection) return Changed::kUnknown;
  const std::vector<Reply> done = value
                                      ? ask_once(node, {{"MULTI"}, {"SET", key, *value}, {"EXEC"}})
                                      : ask_once(node, {{"MULTI"}, {"DEL", key}, {"EXEC"}});
  if (!are_well(done, 3, node) || done[2].is_nil()) return Changed::kUnknown;
  return Changed::kYes;
}

std::vector<Client::Node*> Client::masters() const {
  std::vector<Node*> out;
  if (slots_.empty()) out.push_back(nodes_.front().get());
  for (Node* node : slots_)
    if (node && std::find(out.begin(), out.end(), node) == out.end()) out.push_back(node);
  return out;
}

std::vector<Client::Answer> Client::ask(const std::vector<Node*>& nodes,
                                        std::initializer_list<std::string_view> words) {
  Trips trips;
  for (Node* node : nodes) {
    Trip& trip = trip_to(*node, trips);
    append_command(words, trip.exchange->out);
    trip.commands.push_back(Trip::kNone);
  }
  travel(trips);
  std::vector<Answer> out;
  for (const auto& trip : trips) {
    if (trip->exchange->replies.size() != trip->commands.size()) continue;
    Reply& reply = trip->exchange->replies.back();
    if (reply.is_error() && passes(reply)) {
      problem_ = fmt::format("{}: {}", trip->node->address.str(), reply.text);
      continue;
    }
    out.push_back({trip->node->address, std::move(reply)});
  }
  return out;
}

std::vector<Client::Answer> Client::ask_all(std::initializer_list<std::string_view> words) {
  failures_ = 0;
  for (const Clock::time_point begun = Clock::now();; wait_a_little(begun, access_->timeout)) {
    refresh();
    if (is_map_old_ && !slots_.empty()) continue;
    const std::vector<Node*> all = masters();
    std::vector<Answer> out = ask(all, words);
    if (out.size() == all.size()) return out;
  }
}

void Client::scan(const std::string& pattern,
                  const std::function<void(const std::vector<Reply>& keys)>& visit) {
  ask_all({"PING"});  // so that the masters are known
  for (Node* node : masters()) {
    std::string cursor = "0";
    do {
      failures_ = 0;
      std::vector<Answer> answers;
      for (const Clock::time_point begun = Clock::now();; wait_a_little(begun, access_->timeout)) {
        answers = ask({node}, {"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"});
        if (!answers.empty()) break;
      }
      const Reply& reply = answers[0].reply;
      if (reply.is_error()) refuse(reply, node->address);
      if (reply.items.size() != 2)
        throw Error(ErrorCode::kStorageFailed,
                    fmt::format("{} gives no answer to SCAN", node->address.str()));
      visit(reply.items[1].items);
      cursor = reply.items[0].text;
    } while (cursor != "0");
  }
}

std::optional<int> Client::confirm(int replicas, milliseconds patience) {
  const std::string number = std::to_string(replicas);
  const std::string time = std::to_string(patience.count());
  Trips trips;
  for (const Touched& touched : touched_) {
    if (!touched.node->connection || touched.node->generation != touched.generation)
      return std::nullopt;
    Trip& trip = trip_to(*touched.node, trips);
    append_command({"WAIT", number, time}, trip.exchange->out);
    trip.commands.push_back(Trip::kNone);
  }
  travel(trips);
  int least = replicas;
  for (const auto& trip : trips) {
    if (trip->exchange->replies.size() != trip->commands.size()) return std::nullopt;
    const Reply& reply = trip->exchange->replies.back();
    if (denies(reply)) refuse(reply, trip->node->address);
    if (reply.is_error()) return std::nullopt;  // it has become a replica
    least = std::min<int>(least, static_cast<int>(reply.integer));
  }
  return least;
}

}  // namespace benzer::redis
