// Carries commands to the servers that have their keys, and goes on where a server, the network or
// the cluster falters.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
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
  std::shared_ptr<boost::asio::ssl::context> tls;  // null: none
  // How long a call tries to go on when nothing succeeds.
  std::chrono::milliseconds timeout{10'000};
};

// Threads: one.
// Errors: Error(kUnavailable) when nothing has succeeded for so long, Error(kDenied) for a wrong
// password or a missing right, Error(kStorageFailed) where a server has no memory left or cannot
// save. Each names the server.
class Client {
 public:
  explicit Client(std::shared_ptr<const Access> access);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // One pipeline for each server; the replies in the order of the commands, none of them an error.
  // What a broken connection leaves open is sent again, so that each command must do no harm if it
  // is carried out twice.
  std::vector<Reply> run(const Pipeline& pipeline);

  // The same, but what a broken connection leaves open is not sent again.
  std::vector<Reply> run_once(const Pipeline& pipeline);

  // Removes the key if it has this value, in one step: a value that another client has set
  // meanwhile stays. Is not sent again, nor to another server; what goes wrong leaves the key where
  // it is. Throws Error(kDenied) for a missing right.
  void remove_if_equal(const std::string& key, std::string_view value);

  // A command without a key, for each of the masters.
  struct Answer {
    Address address;
    Reply reply;
  };
  std::vector<Answer> ask_all(std::initializer_list<std::string_view> words);

  // Names of keys of all masters, a piece at a time; some may come twice. While slots move, keys
  // may be missed. Throws as run() does.
  void scan(const std::string& pattern,
            const std::function<void(const std::vector<Reply>& keys)>& visit);

  // Writes from here on are counted as one.
  void begin_write() { touched_.clear(); }
  // The number of replicas that have them, on each of the servers at least. None: a connection
  // broke meanwhile, and what the old one has written may be gone.
  std::optional<int> confirm(int replicas, std::chrono::milliseconds patience);

  // How often connections were made: a server may have come back as another one.
  std::uint64_t connections() const noexcept { return generation_; }

 private:
  struct Node;
  struct Trip;  // what goes to one node at a time

  Node& node_at(const Address& address);
  Node& node_of(std::uint16_t slot);
  std::vector<Node*> masters() const;
  // Answers of those nodes, errors among them; some may be missing.
  std::vector<Answer> ask(const std::vector<Node*>& nodes,
                          std::initializer_list<std::string_view> words);
  Trip& trip_to(Node& node, std::vector<std::unique_ptr<Trip>>& trips);
  // All replies of one server, errors among them; none if one is missing.
  std::vector<Reply> ask_once(
      Node& node, std::initializer_list<std::initializer_list<std::string_view>> commands);
  void travel(std::vector<std::unique_ptr<Trip>>& trips);
  // True if the command is done; what is to be tried again changes `again_`.
  bool settle(std::size_t command, Reply& reply, Node& node, std::uint16_t slot);
  void refresh();
  std::vector<Reply> run(const Pipeline& pipeline, std::chrono::milliseconds timeout);
  // Throws if nothing has succeeded for so long.
  void wait_a_little(Clock::time_point since, std::chrono::milliseconds timeout);

  const std::shared_ptr<const Access> access_;
  std::unique_ptr<boost::asio::io_context> io_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Node*> slots_;  // of a cluster; null: not known
  std::uint64_t generation_ = 0;
  struct Touched {
    Node* node;
    std::uint64_t generation;
  };
  std::vector<Touched> touched_;
  // Of the current call.
  std::string problem_;                                // the last one
  std::vector<std::pair<std::size_t, Node*>> asking_;  // commands that an ASK has sent elsewhere
  int failures_ = 0;  // rounds in sequence in which nothing succeeded
  bool is_map_old_ = false;
};

}  // namespace benzer::redis
