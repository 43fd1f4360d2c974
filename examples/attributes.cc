// Attributes of documents: keeps a price and a language with each, finds similar ones that meet
// conditions, changes a price without the text, and lets documents expire.
#include <iostream>
#include <string>
#include <vector>

#include <benzer/attributes.h>
#include <benzer/index.h>

namespace {

benzer::Document offer(const char* id, const char* text, const char* language, const char* price) {
  benzer::Document out{id, {benzer::Field::of_text("text", text)}};
  out.attributes = {{"lang", language}, {"price", price}};
  return out;
}

void print_similar(const benzer::Index& index, const char* text,
                   const std::vector<const char*>& conditions) {
  benzer::SimilarOptions options;
  std::cout << "similar";
  for (const char* condition : conditions) {
    options.where.push_back(benzer::Condition::parse(condition));
    std::cout << (options.where.size() == 1 ? " where " : " and ") << condition;
  }
  std::cout << ':';
  const benzer::Document query{"", {benzer::Field::of_text("text", text)}};
  for (const benzer::Match& match : index.find_similar_documents(query, options)) {
    std::cout << ' ' << match.id << " (" << match.score;
    for (const benzer::Attribute& attribute : match.attributes)
      if (attribute.name == "price") std::cout << ", price " << attribute.value;
    std::cout << ')';
  }
  std::cout << '\n';
}

}  // namespace

int main() {
  // A document without expires_at expires 30 days after it was added.
  benzer::Index index = benzer::Index::in_memory(benzer::Schema::parse(
      "text=text:word2 | lang=string | price=number | expires_at=time;ttl=30d | min:0.3"));
  benzer::Document old = offer("old", "A red bicycle with seven gears, for sale", "en", "45");
  old.attributes.push_back({"expires_at", "2001-01-01"});
  index.index_documents({offer("a", "A red bicycle with seven gears", "en", "120"),
                         offer("b", "A red bicycle with seven gears, nearly new", "en", "80"),
                         offer("c", "Red bicycle with seven gears, Berlin", "de", "60"), old});

  const char* const text = "A red bicycle with seven gears";
  print_similar(index, text, {});  // without "old", which has expired
  print_similar(index, text, {"lang = en", "price < 100"});
  print_similar(index, text, {"lang in de,fr"});

  index.change_attributes({{"a", {{"price", "90"}}}});
  print_similar(index, text, {"lang = en", "price < 100"});

  const benzer::ExpiredDocuments expired = index.expired();
  for (const std::string& id : expired.ids) std::cout << id << " has expired\n";
  index.remove_expired(expired.ids);
  std::cout << index.size() << " documents are left\n";
}
