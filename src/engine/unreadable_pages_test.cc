// Tests what happens if the disk cannot read a page of a store, at the first reading or a later
// one, for every page: each answer is right or an error that names the file, acknowledged writes
// stay, other indexes work on, and a repair saves the rest.
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/audit.h"
#include "benzer/error.h"
#include "benzer/index.h"

#include "base/sanitized.h"
#include "base/test_random.h"
#include "io/io_test_util.h"
#include "store/disk/unreadable_test_util.h"

namespace benzer {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const char* const kSchemaOfPages =
    "title=text:word1 | tags=values | fss:4 | bands:2x2 | min:0.5 | recall:0.5";

constexpr int kDocuments = 400;

using Versions = std::map<std::string, std::string>;  // what an index holds of each document

class UnreadablePagesTest : public testing::Test {
 protected:
  UnreadablePagesTest() {
    {
      Index index = Index::open(original_, {.create_with = Schema::parse(kSchemaOfPages)});
      for (int i = 0; i < 300; ++i) put(index, made(i, 0));
      index.close();
      for (int i = 280; i < 380; ++i) put(index, made(i, 1));
      index.remove({"id-1", "id-3", "id-290"});
      index.close();
      for (int i = 370; i < kDocuments - 3; ++i) put(index, made(i, 2));
      index.close();
      for (int i = kDocuments - 3; i < kDocuments; ++i) put(index, made(i, 3));
      fs::copy(original_, path_, fs::copy_options::recursive);  // with a log that has records
    }
    fs::remove_all(original_);
    fs::copy(path_, original_, fs::copy_options::recursive);
    Index index = Index::open(path_, {.read_only = true});
    versions_ = read(index);
    for (const auto& [name, question] : questions()) answers_[name] = question(index);
    for (const auto& [name, question] : questions()) EXPECT_EQ(question(index), answers_[name]);
    EXPECT_NE(answers_["pairs"], "");
    EXPECT_NE(answers_["clusters"], "");
    for (const auto& entry : fs::directory_iterator(path_)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("segment") || name.starts_with("removed"))
        pages_[name] = (entry.file_size() + kPageBytes - 1) / kPageBytes;
    }
    EXPECT_GE(pages_.size(), 4U);
  }

  // Some ids are longer than a page. Their middle is read only by a caller that is given the id.
  static std::string id_of(int number) {
    return fmt::format("id-{}", number) + std::string(number % 97 == 5 ? 9000 : 0, 'l');
  }
  static Document made(int number, std::uint64_t version) {
    TestRandom random(static_cast<std::uint64_t>(number) * 8 + version);
    Document out{id_of(number), {}};
    std::vector<std::string> tags;
    for (int i = 0; i < 6; ++i) tags.push_back(fmt::format("t{}", random.below(12)));
    if (number % 7 != 0) out.fields.push_back(Field::of_values("tags", tags));
    if (number % 3 != 0) out.fields.push_back(Field::of_text("title", "of " + tags[0] + tags[1]));
    return out;
  }
  static void put(Index& index, const Document& document) {
    EXPECT_EQ(index.index_documents({document}).size(), 1U);
  }
  void restore() {
    fs::remove_all(path_);
    fs::copy(original_, path_, fs::copy_options::recursive);
  }

  static std::string version(const Index& index, const std::string& id) {
    std::string out;
    const auto document = index.get(id);
    if (!document) return "none";
    EXPECT_EQ(document->id, id);
    for (const IndexedDocument::Part& part : document->fields)
      for (const std::uint32_t key : part.keys)
        out += fmt::format("{} {} {:x};", part.field, part.features, key);
    return out;
  }
  static Versions read(const Index& index) {
    Versions out;
    index.for_each_id([&](std::string_view id) { out[std::string(id)]; });
    for (auto& [id, text] : out) text = version(index, id);
    return out;
  }
  static std::string text_of(const std::vector<Match>& matches) {
    std::string out;
    for (const Match& match : matches) {
      out += fmt::format("{} {};", match.id, match.score);
      for (const FieldMatch& field : match.fields)
        if (field.explanation) out += fmt::format("{}", field.explanation->bands.size());
    }
    return out;
  }

  // All questions that an index can be asked, by name.
  using Question = std::function<std::string(const Index&)>;
  std::map<std::string, Question> questions() const {
    const auto known = [this](std::string_view id) {
      EXPECT_TRUE(versions_.empty() || versions_.contains(std::string(id))) << id;
      return id;
    };
    const auto similar = [](const SimilarOptions& options) {
      return [options](const Index& index) {
        std::string out;
        for (int i = 0; i < kDocuments; i += 20)
          out += text_of(index.find_similar_documents(made(i, 0), options)) + "\n";
        return out;
      };
    };
    const auto clusters = [known](Clustering clustering) {
      return [=](const Index& index) {
        std::string out;
        WholeIndexOptions options;
        options.clustering = clustering;
        index.for_each_cluster(options, [&](const IndexCluster& cluster) {
          out += fmt::format("{}:", known(cluster.keeper));
          for (const IndexCluster::Member& member : cluster.members)
            out += fmt::format(" {} {} {}", known(member.id), member.score,
                               member.link ? known(member.link->id) : "");
        });
        return out;
      };
    };
    return {
        {"size", [](const Index& index) { return std::to_string(index.size()); }},
        {"ids",
         [known](const Index& index) {
           std::string out;
           index.for_each_id([&](std::string_view id) { out += known(id); });
           return out;
         }},
        {"get",
         [](const Index& index) {
           std::string out;
           for (int i = 0; i < kDocuments; ++i) out += version(index, id_of(i)) + "\n";
           return out;
         }},
        {"contains",
         [](const Index& index) {
           std::string out;
           for (int i = -30; i < kDocuments; ++i) out += index.contains(id_of(i)) ? "yes " : "no ";
           return out;
         }},
        {"similar", similar({})},
        {"explained", similar({.explain = true})},
        {"estimated", similar({.exact = false})},
        {"to",
         [](const Index& index) {
           std::string out;
           for (int i = 4; i < kDocuments; i += 26)
             if (i != 290) out += text_of(index.find_similar_to(id_of(i)));
           return out;
         }},
        {"batch",
         [](const Index& index) {
           std::vector<Document> documents;
           for (int i = 0; i < kDocuments; ++i) documents.push_back(made(i, 1));
           std::string out;
           for (const auto& matches : index.find_similar_documents(documents, {}, 2))
             out += text_of(matches) + "\n";
           return out;
         }},
        {"pairs",
         [known](const Index& index) {
           std::string out;
           index.for_each_similar_pair({{.threads = 2}}, [&](const ScoredIds& pair) {
             out += fmt::format("{} {} {}\n", known(pair.a), known(pair.b), pair.score);
           });
           return out;
         }},
        {"clusters", clusters(Clustering::kLeader)},
        {"components", clusters(Clustering::kComponents)},
        {"sample",
         [](const Index& index) {
           const SampleFigures figures = index.sample(20, 1);
           return fmt::format("{} {} {} {}", figures.documents, figures.candidates, figures.similar,
                              figures.largest_bucket);
         }},
        {"audit",
         [known](const Index& index) {
           std::string out;
           IndexAuditOptions options;
           options.sample = 20;
           options.pairs = [&](const ScoredIds& pair, bool) {
             out += fmt::format("{} {} {}\n", known(pair.a), known(pair.b), pair.score);
           };
           audit(index, options);
           return out;
         }},
    };
  }

  // Whether the call throws an error that says that the file could not be read.
  template <class Call>
  static bool is_refused(const std::string& file, const Call& call) {
    try {
      call();
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kStorageFailed) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(file));
      EXPECT_THAT(error.what(), HasSubstr("cannot be read: Input/output error"));
      return true;
    }
  }
  // Returns how many questions are refused, and expects that the others are answered as before.
  int ask(const Index& index, const std::string& file) {
    int out = 0;
    for (const auto& [name, question] : questions()) {
      SCOPED_TRACE(name);
      out += is_refused(file, [&] { EXPECT_EQ(question(index), answers_.at(name)); });
    }
    return out;
  }
  // Calls visit(name, page) for the pages of segments and of lists of removed documents.
  void for_each_page(const std::function<void(const std::string&, std::uint64_t)>& visit) {
    const std::uint64_t step = kSanitized ? 3 : 1;
    for (const auto& [name, pages] : pages_) {
      for (std::uint64_t page = 0; page < pages; page += step) {
        SCOPED_TRACE(fmt::format("page {} of {}", page, name));
        visit(name, page);
        if (HasFailure()) return;
      }
    }
  }

  const TestFolder folder_{fast_folder()};
  const std::string path_ = folder_ / "store";
  const std::string original_ = folder_ / "original";
  Versions versions_;
  std::map<std::string, std::string> answers_;
  std::map<std::string, std::uint64_t> pages_;
};

TEST_F(UnreadablePagesTest, AtFirstAreToldAndNothingElseIsAnswered) {
  int opened = 0, refused = 0;
  const Index other = Index::open(original_, {.read_only = true});
  for_each_page([&](const std::string& name, std::uint64_t page) {
    UnreadablePages disk;
    disk.add(path_ + "/" + name, page);
    const ScopedFileSystem scope(disk);
    is_refused(path_ + "/" + name, [&] {
      const Index index = Index::open(path_, {.read_only = true});
      ++opened;
      refused += ask(index, path_ + "/" + name);
      EXPECT_TRUE(is_refused(path_ + "/" + name, [&] { index.verify(); }));
    });
    EXPECT_EQ(ask(other, ""), 0);
  });
  EXPECT_GT(opened, kSanitized ? 1 : 5);
  EXPECT_GT(refused, 20);
}

// The page becomes unreadable after it was read once and its checksum was checked.
TEST_F(UnreadablePagesTest, AgainAreToldAndNothingElseIsAnswered) {
  int refused = 0;
  const Index other = Index::open(original_, {.read_only = true});
  for_each_page([&](const std::string& name, std::uint64_t page) {
    std::uint64_t turn = page;
    for (const auto& [first, question] : questions()) {
      if (++turn % 4 != 0) continue;  // each question is the first to meet some of the pages
      const std::string file = path_ + "/" + name;
      const Index index = Index::open(path_, {.read_only = true});
      EXPECT_EQ(ask(index, file), 0);
      if (make_unreadable(file, page) == 0) return;  // a list, which was read as a whole
      SCOPED_TRACE(first);
      is_refused(file, [&] { EXPECT_EQ(question(index), answers_.at(first)); });
      refused += ask(index, file);
      EXPECT_TRUE(is_refused(file, [&] { index.verify(); }));
    }
    EXPECT_EQ(ask(other, ""), 0);
  });
  EXPECT_GT(refused, 50);
}

TEST_F(UnreadablePagesTest, OfAFileThatWasCutOffAreTold) {
  for (const auto& [name, pages] : pages_) {
    if (name.starts_with("removed")) continue;
    restore();
    const std::string file = path_ + "/" + name;
    const Index index = Index::open(path_, {.read_only = true});
    EXPECT_EQ(ask(index, file), 0);
    fs::resize_file(file, 0);
    EXPECT_GT(ask(index, file), 10);
  }
}

// Each write succeeds as it would on a healthy disk, or is refused; all other documents stay.
TEST_F(UnreadablePagesTest, StandInNoWritersWay) {
  const Document replacement = made(20, 5), fresh = made(500, 0), twin = made(501, 0);
  struct Write {
    std::string id;
    std::function<void(Index&)> run;
  };
  const Write writes[] = {
      {"id-20", [&](Index& index) { put(index, replacement); }},
      {"id-21", [](Index& index) { EXPECT_EQ(index.remove({"id-21"}), std::vector<bool>{true}); }},
      {"id-500",
       [&](Index& index) { index.check_and_add(fresh, {.threshold = Threshold::parse("1")}); }},
      {"id-501", [&](Index& index) { put(index, twin); }},
      {"id-22",
       [](Index& index) {
         BulkLoad load = index.bulk_load();
         load.add({made(22, 6)});
         load.finish();
       }},
      {"", [](Index& index) { index.compact(); }},
      {"", [](Index& index) { index.close(); }},
  };
  Versions healthy;
  {
    restore();
    Index index = Index::open(path_);
    for (const Write& write : writes) write.run(index);
    healthy = read(index);
  }
  EXPECT_TRUE(healthy.contains("id-500") && healthy.contains("id-501"));
  int refused = 0, done = 0;
  for_each_page([&](const std::string& name, std::uint64_t page) {
    restore();
    const std::string file = path_ + "/" + name;
    Versions wanted = versions_;
    std::map<std::string, std::string> tried;
    {
      Index index = Index::open(path_);
      EXPECT_EQ(read(index), versions_);
      if (make_unreadable(file, page) == 0) return;
      for (const Write& write : writes) {
        const bool is_done = !is_refused(file, [&] { write.run(index); });
        (is_done ? done : refused) += 1;
        if (write.id.empty()) continue;
        const auto after = healthy.find(write.id);
        const std::string text = after == healthy.end() ? "none" : after->second;
        (is_done ? wanted : tried)[write.id] = text;
      }
    }
    const Index index = Index::open(path_, {.read_only = true});
    index.verify();
    for (int i = 0; i < 510; ++i) {
      const std::string id = id_of(i);
      const auto known = wanted.find(id);
      const std::string found = version(index, id);
      if (tried.contains(id) && found == tried[id]) continue;
      EXPECT_EQ(found, known == wanted.end() ? "none" : known->second) << id;
    }
  });
  EXPECT_GT(refused, 20);
  EXPECT_GT(done, 20);
}

// The page with the expiry of a document becomes unreadable, and the one with its id does not.
TEST_F(UnreadablePagesTest, MakeNoDocumentExpire) {
  const std::map<std::string, std::function<bool(Index&, const Document&)>> calls = {
      {"contains", [](Index& index, const Document& one) { return index.contains(one.id); }},
      {"get", [](Index& index, const Document& one) { return index.get(one.id).has_value(); }},
      {"ids",
       [](Index& index, const Document&) {
         int found = 0;
         index.for_each_id([&](std::string_view) { ++found; });
         return found == 1;
       }},
      {"put",
       [](Index& index, const Document& one) {
         return index.index_documents({one})[0].outcome == IndexResult::Outcome::kReplaced;
       }},
      {"change",
       [](Index& index, const Document& one) {
         return index.change_attributes({{one.id, {}, {}}})[0].outcome !=
                IndexResult::Outcome::kNotThere;
       }},
      {"remove",
       [](Index& index, const Document& one) -> bool { return index.remove({one.id})[0]; }},
      {"remove_expired",
       [](Index& index, const Document& one) { return !index.remove_expired({one.id})[0]; }},
  };
  // Enough features that the tables of the segment are on other pages.
  std::vector<std::string> tags;
  for (int i = 0; i < 2000; ++i) tags.push_back(fmt::format("t{}", i));
  int refused = 0;
  for (std::size_t length = 3900; length < kPageBytes; length += 4) {
    const Document one{std::string(length, 'l'), {Field::of_values("tags", tags)}};
    fs::remove_all(original_);
    {
      Index index = Index::open(original_, {.create_with = Schema::parse(fmt::format(
                                                "{} | expires_at=time;ttl=30d", kSchemaOfPages))});
      put(index, one);
      index.close();
    }
    for (const auto& [name, call] : calls) {
      SCOPED_TRACE(fmt::format("{} with an id of {} bytes", name, length));
      restore();
      std::string file;
      for (const auto& entry : fs::directory_iterator(path_))
        if (entry.path().filename().string().starts_with("segment")) file = entry.path();
      Index index = Index::open(path_);
      EXPECT_TRUE(index.contains(one.id));
      ASSERT_GT(make_unreadable(file, 1), 0);
      refused += is_refused(file, [&] { EXPECT_TRUE(call(index, one)); });
    }
  }
  EXPECT_GT(refused, 10);
}

TEST_F(UnreadablePagesTest, ARepairSavesTheRest) {
  const auto repair_without = [&](const std::vector<std::pair<std::string, std::uint64_t>>& pages) {
    restore();
    {
      UnreadablePages disk;
      for (const auto& [name, page] : pages) disk.add(path_ + "/" + name, page);
      const ScopedFileSystem scope(disk);
      const bool needs_schema = pages[0].first == "BENZER";
      if (needs_schema) {
        try {
          repair_index(path_);
          ADD_FAILURE() << "it has no schema";
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << error.what();
          EXPECT_THAT(error.what(), HasSubstr("cannot be read"));
          EXPECT_THAT(error.what(), HasSubstr("schema"));
        }
      }
      const RepairReport report = repair_index(
          path_, needs_schema ? std::optional(Schema::parse(kSchemaOfPages)) : std::nullopt);
      EXPECT_FALSE(report.was_sound());
      EXPECT_TRUE(fs::exists(path_ + "/damaged/" + pages[0].first));
      std::uint64_t lost = 0, returned = 0;
      for (const RepairReport::File& file : report.files) {
        lost += file.lost + (file.lost_unknown ? 1000 : 0);
        returned += file.returned;
      }
      const Index index = Index::open(path_, {.read_only = true});
      std::uint64_t missing = 0, back = 0;
      const Versions found = read(index);
      for (const auto& [id, text] : versions_) missing += !found.contains(id);
      for (const auto& [id, text] : found) {
        const auto known = versions_.find(id);
        back += known == versions_.end() || known->second != text;
      }
      EXPECT_LE(missing, lost);
      EXPECT_LE(back, returned);
      EXPECT_EQ(report.documents, found.size());
      EXPECT_GT(found.size(), 200U);
    }
    Index::open(path_, {.read_only = true}).verify();
  };
  for_each_page([&](const std::string& name, std::uint64_t page) {
    repair_without({{name, page}});
    const auto other = pages_.rbegin();
    if (page % 3 == 0) repair_without({{name, page}, {other->first, 0}, {name, page + 2}});
  });
  for (const auto& entry : fs::directory_iterator(original_)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("log") || name == "MANIFEST" || name == "SYNCED" || name == "BENZER")
      repair_without({{name, 0}});
  }
}

}  // namespace
}  // namespace benzer
