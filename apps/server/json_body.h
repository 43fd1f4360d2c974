// The body of a request as a JSON object, of which every member must be known.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "benzer/schema.h"
#include "benzer/similarity.h"

#include "problem.h"
#include "served_indexes.h"

namespace benzer::server {

class JsonBody {
 public:
  // Throws Problem: 400 for what is no JSON object, 415 for another content type. An empty body is
  // an empty object.
  explicit JsonBody(const Request& request);

  // Each throws Problem(422) for a value of another type, with its place.
  std::optional<std::string> text(std::string_view name);
  std::optional<std::string> id_or_null(std::string_view name);
  // Of a document: a string, or a whole number of any size, which is the same as its digits.
  std::optional<std::string> id(std::string_view name);
  std::optional<bool> flag(std::string_view name);
  std::optional<std::uint64_t> number(std::string_view name, std::uint64_t least,
                                      std::uint64_t most);
  std::optional<double> real(std::string_view name, double least, double most);
  std::optional<Threshold> threshold(std::string_view name);  // a number or a string
  // A value as it was sent, but for blanks, for others to read.
  std::optional<std::string> raw(std::string_view name);
  std::optional<std::vector<std::string>> raw_list(std::string_view name, std::size_t most);
  std::optional<std::vector<std::string>> texts(std::string_view name, std::size_t most);
  std::optional<std::vector<std::string>> ids(std::string_view name, std::size_t most);
  // An object with members of its own.
  std::optional<JsonBody> object(std::string_view name);

  // Throws Problem(422) for a member that nobody asked for.
  void finish() const;

 private:
  JsonBody(const JsonBody& around, std::string_view name, simdjson::dom::object object);
  void check_names() const;
  [[noreturn]] void wrong(std::string_view name, const std::string& sentence) const;
  std::optional<simdjson::dom::element> find(std::string_view name);
  std::optional<simdjson::dom::array> list(std::string_view name);
  std::optional<double> number_in(std::string_view name, const simdjson::dom::element& value) const;
  std::vector<std::string> sources_of(std::string_view name) const;

  std::shared_ptr<simdjson::dom::parser> parser_ = std::make_shared<simdjson::dom::parser>();
  std::shared_ptr<simdjson::padded_string> text_;  // as it was sent
  std::vector<std::string> way_;                   // {"a"} of an object within
  std::string place_;                              // "/a"
  simdjson::dom::object object_;
  bool has_large_numbers_ = false;  // which are 0.0 in the object
  bool is_empty_ = false;
  std::set<std::string, std::less<>> known_;
};

// A parameter of the query. Throws Problem(422).
std::optional<std::uint64_t> query_number(const Request& request, std::string_view name,
                                          std::uint64_t least, std::uint64_t most);

// "score": mean, all or any.
ScoreRule read_rule(JsonBody& body);
// What questions to a whole index and deduplications have in common.
WholeIndexOptions read_whole_options(JsonBody& body);
// "cluster": leader or components.
Clustering read_clustering(JsonBody& body);
// Where an index has one field of texts, a text alone will do. Throws Problem(422) for others.
Document of_text(const ServedIndex& served, std::string text);

}  // namespace benzer::server
