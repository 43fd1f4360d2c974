#include "engine/hasher.h"

#include <gtest/gtest.h>

namespace benzer {
namespace {

TEST(Hasher, OverwritesWhatTheLastDocumentHad) {
  const Hasher hasher(
      Schema::parse("title=text:word1 | tags=values | fss:127 | bands:16x6 | min:0.8").completed());
  const Document both = {"a",
                         {Field::of_values("tags", {"x", "y"}),
                          Field::of_text("title", "one two three four five six seven")}};
  const Document one = {"b", {Field::of_values("tags", {"z"})}};
  const Document none = {"c", {Field::of_text("title", "")}};
  Hasher::Scratch scratch;
  DocumentHashes used;
  for (const Document* document : {&both, &one, &none, &both}) {
    Hasher::Scratch fresh_scratch;
    DocumentHashes fresh;
    hasher.hash(*document, fresh_scratch, fresh);
    hasher.hash(*document, scratch, used);
    EXPECT_EQ(used, fresh) << document->id;
  }
}

}  // namespace
}  // namespace benzer
