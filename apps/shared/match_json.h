// Formats matches as JSON, the same for the command line and the server.
#pragma once

#include <string>
#include <vector>

#include "benzer/index.h"
#include "benzer/similarity.h"

#include "json.h"
#include "passage_places.h"

namespace benzer::apps {

// Adds "intersection" and "union": numbers of features, or sums of weights.
void add_overlap(JsonObject& out, const Overlap& overlap, const FeatureSpec& features);
// Returns a sum of weights that an overlap counts in millionths.
double weight_of_size(std::uint64_t size) noexcept;

// {"query":...,"id":...,"score":...,"exact":...,"fields":{...},"attributes":{...}}; without "query"
// if it is null, and without "attributes" if there are none.
std::string match_json(const Match& match, const std::string* query);
// The same for an explained match, with the explanation. has_text: the query has its fields, so
// that the shared passages can be shown.
std::string explained_json(const Match& match, const std::string* query, const Schema& schema,
                           bool has_text);

// {"query":...,"id":...,"words":...,"passages":[{"field","begin","end","begin_char","end_char",
// "words","text","places"}],"attributes":{...}}; without "query" if it is null. places: of each
// passage, in the document; null leaves them out.
std::string passage_match_json(const PassageMatch& match, const std::string* query,
                               const std::vector<std::vector<PassagePlace>>* places = nullptr);

// {"lang":"en","price":9.5,"live":true}; times are strings.
std::string attributes_json(const std::vector<Attribute>& attributes);
// Adds "attributes", unless there are none.
void add_attributes(JsonObject& json, const std::vector<Attribute>& attributes);

}  // namespace benzer::apps

namespace benzer::cli {
using namespace apps;
}
namespace benzer::server {
using namespace apps;
}
