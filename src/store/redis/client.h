// Sends commands to the servers that have their keys, and tries again when a server, the network or
// the cluster fails.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/command.h"
#include "store/redis/connection.h"
#include "store/redis/slot_map.h"

namespace benzer::redis {

// What every connection to a store needs.
struct Access {
  Url url;
  std::shared_ptr<boost::asio::ssl::context> tls;  // null: no TLS
  // How long a call tries to go on when nothing succeeds.
  std::chrono::milliseconds timeout{10'000};
  // When the flag, which may be null, turns true, waiting for a server ends.
  const std::atomic<bool>* stop = nullptr;
};

// Threads: one.
// Errors: Error(kUnavailable) when nothing has succeeded for Access::timeout, Error(kDenied) for a
// wrong password or a missing right, Error(kStorageFailed) where a server has no memory left or
// cannot save, Error(kInterrupted) when a stop flag ends the wait for an answer: what was sent may
// be carried out or not. Each but the last names the server.
class Client {
  struct Node;
  struct Trip;  // what goes to one node at a time
  using Trips = std::vector<std::shared_ptr<Trip>>;

 public:
  explicit Client(std::shared_ptr<const Access> access);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Sends one pipeline to each server, and returns the replies in the order of the commands; none
  // is an error. Commands without a reply are sent again after a connection broke, so each command
  // must do no harm if it is carried out twice.
  std::vector<Reply> run(const Pipeline& pipeline);

  // The same in two steps, so that servers work while the caller does, and sends more. What is sent
  // and not finished may be carried out or not.
  struct Sent {
    Pipeline pipeline;
    Trips trips;
  };
  Sent send(Pipeline pipeline);
  std::vector<Reply> finish(Sent sent);

  // Like run(), but no command is sent again after a connection broke.
  std::vector<Reply> run_once(const Pipeline& pipeline);

  // Sets the key to a value, or removes it if there is none, in one step with a look at the value
  // that it has: if `accepts` refuses that, or another client changes it meanwhile, it stays. The
  // commands are not sent again, nor to another server. kUnknown: something went wrong, and the key
  // may have been changed or not, by this call or by another client. Throws Error(kDenied) for a
  // missing right, and Error(kStorageFailed).
  enum class Changed { kYes, kNo, kUnknown };
  Changed change_if(const std::string& key, const std::function<bool(const Reply& now)>& accepts,
                    std::optional<std::string_view> value);

  // ask_all() sends a command without a key to each of the masters.
  struct Answer {
    Address address;
    Reply reply;
  };
  std::vector<Answer> ask_all(std::initializer_list<std::string_view> words);

  // Visits the names of keys of all masters, a piece at a time; some may come twice. While slots
  // move, keys may be missed. Throws as run() does.
  void scan(const std::string& pattern,
            const std::function<void(const std::vector<Reply>& keys)>& visit);

  // From here on, this flag ends waiting for a server, too; null: no flag but Access::stop does. So
  // a user of the client begins.
  void stop_when(const std::atomic<bool>* stop) noexcept {
    stop_ = stop;
    is_writing_ = false;
  }
  const std::atomic<bool>* stop() const noexcept { return stop_; }
  // Throws Error(kInterrupted) if a flag is true.
  void throw_if_stopped() const;
  // Sleeps. Throws Error(kInterrupted) as soon as a flag is true.
  void pause(std::chrono::milliseconds time) const;

  // All writes from here on count as one for confirm(). Of the flags only Access::stop ends them:
  // the others promise that nothing was written.
  void begin_write() {
    touched_.clear();
    stop_ = nullptr;
    is_writing_ = true;
  }
  // Returns the number of replicas that have these writes, the smallest of all servers. Nothing if
  // a connection broke meanwhile: what was written over it may be lost.
  std::optional<int> confirm(int replicas, std::chrono::milliseconds patience);

  // How often connections were made: after a new one, a server may be another one than before.
  std::uint64_t connections() const noexcept { return generation_; }

 private:
  Node& node_at(const Address& address);
  Node& node_of(std::uint16_t slot);
  std::vector<Node*> masters() const;
  // Returns the answers of those nodes, including errors; some may be missing.
  std::vector<Answer> ask(const std::vector<Node*>& nodes,
                          std::initializer_list<std::string_view> words);
  Trip& trip_to(Node& node, Trips& trips);
  void touch(Node& node, std::uint64_t generation);  // for confirm()
  // Returns whether there are `count` replies, none of them an error. Throws for an error that does
  // not pass.
  bool are_well(const std::vector<Reply>& replies, std::size_t count, const Node& node);
  // Returns all replies of one server, including errors; none if one is missing.
  std::vector<Reply> ask_once(
      Node& node, std::initializer_list<std::initializer_list<std::string_view>> commands);
  // Hands over what is to be sent, and waits for the replies.
  static void start(const Trips& trips);
  void wait(const Trips& trips);
  void travel(const Trips& trips) {
    start(trips);
    wait(trips);
  }
  // Closes all connections if it throws.
  template <class Work>
  void work_on_io(Work work);
  // Sends those commands of the pipeline.
  Trips start(const Pipeline& pipeline, std::span<const std::size_t> commands);
  // Returns true if the command is done, and false if it must be tried again.
  bool settle(std::size_t command, Reply& reply, Node& node, std::uint16_t slot);
  void refresh();
  std::vector<Reply> run(const Pipeline& pipeline, std::chrono::milliseconds timeout);
  std::vector<Reply> finish(const Pipeline& pipeline, Trips trips,
                            std::chrono::milliseconds timeout);
  bool is_stopped() const noexcept;
  // Pauses before the next try. Throws Error(kUnavailable) if the time-out is over.
  void wait_a_little(Clock::time_point since, std::chrono::milliseconds timeout);

  const std::shared_ptr<const Access> access_;
  std::unique_ptr<boost::asio::io_context> io_;
  const std::shared_ptr<void> resolving_ = std::make_shared<int>();  // shared with connections
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Node*> slots_;  // of a cluster; null: not known
  std::uint64_t generation_ = 0;
  struct Touched {
    Node* node;
    std::uint64_t generation;
  };
  std::vector<Touched> touched_;
  const std::atomic<bool>* stop_ = nullptr;  // of the user
  bool is_writing_ = false;
  // State of the current call.
  std::string problem_;                                // of the last failure
  std::vector<std::pair<std::size_t, Node*>> asking_;  // commands that an ASK has sent elsewhere
  int failures_ = 0;  // rounds in sequence in which nothing succeeded
  bool is_map_old_ = false;
};

}  // namespace benzer::redis
