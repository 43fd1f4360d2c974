// Reads the body of a request as a JSON object, and refuses members that no handler asked for.
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
  // Throws Problem: 400 if the body is not a JSON object, 415 for another content type. An empty
  // body is an empty object.
  explicit JsonBody(const Request& request);

  // Each of these throws Problem(422) for a value of another type, with its place.
  std::optional<std::string> text(std::string_view name);
  std::optional<std::string> id_or_null(std::string_view name);
  // The id of a document: a string, or a number, which becomes its digits as they were sent.
  std::optional<std::string> id(std::string_view name);
  std::optional<bool> flag(std::string_view name);
  std::optional<std::uint64_t> number(std::string_view name, std::uint64_t least,
                                      std::uint64_t most);
  std::optional<double> real(std::string_view name, double least, double most);
  std::optional<Threshold> threshold(std::string_view name);  // a number or a string
  // The JSON of a value as it was sent, without blanks, for another parser.
  std::optional<std::string> raw(std::string_view name);
  std::optional<std::vector<std::string>> raw_list(std::string_view name, std::size_t most);
  std::optional<std::vector<std::string>> texts(std::string_view name, std::size_t most);
  std::optional<std::vector<std::string>> ids(std::string_view name, std::size_t most);
  // The value of an object member, with the same methods.
  std::optional<JsonBody> object(std::string_view name);

  // Throws Problem(422) for a member that a request needs.
  [[noreturn]] void missing(std::string_view name) const { wrong(name, "is missing"); }
  // Throws Problem(422) for a member that was not asked for.
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
  std::vector<std::size_t> way_;  // places of the members that lead to a nested object
  std::string place_;             // "/a"
  simdjson::dom::object object_;
  // Whether the object has replacements: 0.0 of a number beyond 64 bits, and U+FFFD of a surrogate
  // without its partner.
  bool is_repaired_ = false;
  bool is_empty_ = false;
  std::set<std::string, std::less<>> known_;
};

// A parameter of the query. Throws Problem(422).
std::optional<std::uint64_t> query_number(const Request& request, std::string_view name,
                                          std::uint64_t least, std::uint64_t most);
std::optional<bool> query_flag(const Request& request, std::string_view name);

// Throws Problem(415) if the body has neither of the types. more: what the hint says besides.
void check_type(const Request& request, std::string_view wanted, std::string_view other,
                std::string_view more = {});

// "score": mean, all or any.
ScoreRule read_rule(JsonBody& body);
// Reads the options that questions to a whole index and deduplications share.
WholeIndexOptions read_whole_options(JsonBody& body);
// "cluster": leader or, unless the index has containment, components.
Clustering read_clustering(JsonBody& body, const Schema& schema);
// Makes a document of a text alone, for an index with one field, of text. Throws Problem(422) for
// other indexes.
Document of_text(const ServedIndex& served, std::string text);
// Returns the document with this id as it was stored. Throws Problem, at `where`, if there is none
// or if the index does not keep documents.
Document kept_document(const ServedIndex& served, const std::string& id, const std::string& where);

}  // namespace benzer::server
