// Implements the database of the report on Benzer of 2012 (section 3.4): three operations on hashes
// of documents, above the stores of an index.
//
//     namespace report = benzer::classics::report;
//     report::Database database(50);
//     const report::LinearHash h = report::linear_hashes(1, 7)[0];
//     const auto hashes_of = [&](const auto& set) {
//       return report::generate_signatures_with_single_hash_function(h, set, 50);
//     };
//     database.add_hashes("first", hashes_of(first));
//     for (const std::string& id : database.get_ids(hashes_of(second))) std::cout << id;
//
// Source: "Large-scale Document Similarity Search Application using Minhash" (Bogazici University,
// 2012), section 3.4 and figure 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benzer::classics::report {

// Keeps the hashes of documents and finds the documents that have a hash. The hashes of a document
// are a set: order and repeats are lost. A signature of many functions has a meaning by position;
// mix the position into each value before adding it.
//
// Where the report has two implementations, this class takes the store of an index: in memory, in a
// folder, or in Redis. What it writes to a folder or to Redis is an index of the schema
// "hashes=values | bottomk:N | min:1", which other programs can list, check and copy, but not query
// by value: its features are the hashes that were given and not those of strings.
//
// Constructing one calls register_research().
//
// Threads: any number may call get_ids() and get_hashes() while one calls add_hashes().
// Errors: of a folder and of Redis those of benzer/index.h.
class Database {
 public:
  // Keeps the data in memory. most_hashes: how many a document may have, 1 to 4096. Throws
  // Error(kInvalidArgument) for another number.
  explicit Database(std::size_t most_hashes);
  // Keeps the data in a folder, or in Redis at an address such as redis://host/0/name. Makes the
  // database if there is none. Throws Error(kInvalidArgument) if what is there is not a database of
  // this many hashes.
  Database(const std::string& location, std::size_t most_hashes);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;

  // Adds the hashes of a document: the report's addHashes. Those of an earlier call with this id
  // are replaced. Throws Error(kInvalidArgument) for more than most_hashes of them, and for an id
  // that is empty or longer than 65,535 bytes.
  void add_hashes(std::string_view id, std::span<const std::uint64_t> hashes);

  // Returns the ids of the documents that have at least one of the hashes, in ascending order: the
  // report's getIds. Throws Error(kInvalidArgument) for more than most_hashes of them. Cost: a
  // look-up for each hash, and the hashes of each document that is found.
  std::vector<std::string> get_ids(std::span<const std::uint64_t> hashes) const;

  // Returns all hashes of a document in ascending order, each once: the report's getHashes. Returns
  // nothing if there is no such document.
  std::optional<std::vector<std::uint64_t>> get_hashes(std::string_view id) const;

  // Returns the number of documents.
  std::uint64_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace benzer::classics::report
