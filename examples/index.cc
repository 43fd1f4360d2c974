// Adds documents to an index on disk, and finds similar ones in it.
#include <iostream>

#include <benzer/index.h>

int main() {
  const benzer::Schema schema =
      benzer::Schema::parse("title=text:word1;w=2 | body=text:word2 | min:0.5");
  benzer::Index index = benzer::Index::open("news.benzer", {.create_with = schema});

  const auto story = [](const char* id, const char* title, const char* body) {
    return benzer::Document{
        id, {benzer::Field::of_text("title", title), benzer::Field::of_text("body", body)}};
  };
  index.index_documents(
      {story("a", "Storm hits the coast", "A storm hit the coast on Monday night"),
       story("b", "Election results", "The votes of Sunday have been counted")});

  const benzer::Document next =
      story("c", "Storm hits coast", "A storm hit the coast late on Monday night");
  for (const benzer::Match& match : index.find_similar_documents(next, {.limit = 3}))
    std::cout << match.id << ' ' << match.score << '\n';

  const benzer::CheckResult result = index.check_and_add(next);
  std::cout << (result.added ? "new" : "seen before") << ", " << index.size() << " documents\n";
  index.close();
}
