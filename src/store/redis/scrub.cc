// Compares the postings and the records of a store in Redis.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/splitmix.h"
#include "store/redis/redis_store.h"
#include "store/redis/redis_writer.h"

namespace benzer::redis {
namespace {

constexpr std::size_t kStraysAtOnce = 1024;

// A sum of these over a document's postings tells, with a certainty of 2^-64, whether all of them
// were seen, and each once.
std::uint64_t mark_of(std::uint32_t table, std::uint32_t key) {
  return splitmix64(std::uint64_t{table} << 32 | key) | 1;
}

class Scrub {
 public:
  Scrub(Session& session, bool repair)
      : session_(session), layout_(session.layout()), repair_(repair) {}

  ScrubReport run() {
    read_records();
    read_postings();
    settle_strays();
    settle_torn();
    settle_unreadable();
    report_.documents = documents_.size();
    return report_;
  }

 private:
  struct Document {
    Version version;
    std::uint64_t left;  // the sum of the marks of postings that were not seen yet
  };
  struct Place {
    std::uint32_t table, group;
    Layout::Posting posting;
  };

  // Calls visit(name, record or nothing, whether there is a value).
  template <class Visit>
  void for_each_record(const std::vector<Name>& names, Visit visit) {
    redis::read_records(session_, names,
                        [&](std::size_t i, const std::string& bytes, bool is_whole) {
                          if (is_whole)
                            visit(names[i], layout_.decode_whole(bytes, names[i]), !bytes.empty());
                          return is_whole;
                        });
  }

  void take_in(const std::vector<Name>& names) {
    for_each_record(names, [&](Name name, const std::optional<Record>& record, bool is_there) {
      if (!is_there) return;
      if (!record) {
        unreadable_.insert(name);
        return;
      }
      std::uint64_t marks = 0;
      layout_.for_each_posting(record->document, name, [&](std::uint32_t table, std::uint32_t key) {
        marks += mark_of(table, key);
      });
      documents_.insert({name, {record->version, marks}});
    });
  }

  void read_records() {
    std::vector<Name> names;
    for_each_entry(session_, layout_.directory(), 0, layout_.groups(),
                   [&](std::uint32_t, const Layout::Posting& posting) {
                     names.push_back(posting.entry.name);
                   });
    // Adds records that the directory has lost. A scan may miss records while slots move between
    // servers, but the directory has those.
    session_.client().scan(layout_.record_pattern(), [&](const std::vector<Reply>& keys) {
      for (const Reply& key : keys)
        if (const auto name = layout_.read_record_key(key.text)) names.push_back(*name);
    });
    keep_once(names);
    take_in(names);
  }

  void read_postings() {
    std::vector<Place> unknown;
    const auto settle = [&](const Place& place) {
      const auto known = documents_.find(place.posting.entry.name);
      if (known == documents_.end() || known->second.version != place.posting.entry.version)
        return false;
      known->second.left -= mark_of(place.table, place.posting.key);
      return true;
    };
    for (std::uint32_t table = 0; table < layout_.tables(); ++table)
      for_each_entry(session_, table, 0, layout_.groups(),
                     [&](std::uint32_t group, const Layout::Posting& posting) {
                       const Place place{table, group, posting};
                       if (!settle(place)) unknown.push_back(place);
                     });
    // Some may be of documents that the directory does not have.
    std::vector<Name> names;
    for (const Place& place : unknown)
      if (!documents_.contains(place.posting.entry.name)) names.push_back(place.posting.entry.name);
    keep_once(names);
    take_in(names);
    for (const Place& place : unknown)
      if (!settle(place)) strays_.push_back(place);
  }

  // The postings of a write under way get their record a moment later.
  void settle_strays() {
    if (strays_.empty()) return;
    session_.client().pause(kLongestWrite + kLongestWrite / 2);
    std::sort(strays_.begin(), strays_.end(), [](const Place& x, const Place& y) {
      return x.posting.entry.name < y.posting.entry.name;
    });
    // In pieces, so that not much time passes between the looks at a record.
    for (std::size_t begin = 0; begin < strays_.size(); begin += kStraysAtOnce) {
      const auto end = std::min(strays_.size(), begin + kStraysAtOnce);
      settle_piece({strays_.begin() + static_cast<std::ptrdiff_t>(begin),
                    strays_.begin() + static_cast<std::ptrdiff_t>(end)});
    }
  }

  void settle_piece(std::vector<Place> strays) {
    std::vector<Name> names;
    for (const Place& place : strays) names.push_back(place.posting.entry.name);
    keep_once(names);
    std::unordered_map<Name, Version> versions;
    for_each_record(names, [&](Name name, const std::optional<Record>& record, bool) {
      if (record) versions[name] = record->version;
    });
    std::erase_if(strays, [&](const Place& place) {
      const auto known = versions.find(place.posting.entry.name);
      return known != versions.end() && known->second == place.posting.entry.version;
    });
    Pipeline pipeline;
    for (const Place& place : strays) {
      const std::string group = layout_.group_key(place.table, place.group);
      const std::string field = layout_.field_of(place.posting.key, place.posting.entry);
      if (repair_)
        pipeline.add({"HDEL", group, field});
      else
        pipeline.add({"HEXISTS", group, field});
    }
    // Postings that their writer has removed meanwhile do not count.
    for (const Reply& reply : session_.run(pipeline))
      report_.strays += static_cast<std::uint64_t>(reply.integer);
    if (repair_) add_back(strays, names);
  }

  // A record may have come after all, just before its postings were removed.
  void add_back(const std::vector<Place>& strays, const std::vector<Name>& names) {
    std::set<std::pair<Name, Version>> removed;
    for (const Place& place : strays)
      removed.insert({place.posting.entry.name, place.posting.entry.version});
    Pipeline pipeline;
    for_each_record(names, [&](Name name, const std::optional<Record>& record, bool) {
      if (record && removed.contains({name, record->version}))
        add_postings(layout_, record->document, {name, record->version}, pipeline);
    });
    session_.run(pipeline);
  }

  void settle_torn() {
    std::vector<Name> names;
    for (const auto& [name, document] : documents_)
      if (document.left != 0) names.push_back(name);
    std::sort(names.begin(), names.end());
    std::vector<std::pair<Name, Record>> records;
    for_each_record(names, [&](Name name, std::optional<Record> record, bool) {
      if (!record) return;
      drop_features(record->document);
      records.emplace_back(name, std::move(*record));
    });
    for (const auto& [name, record] : records) {
      Pipeline pipeline;
      const Entry entry{name, record.version};
      layout_.for_each_posting(record.document, name, [&](std::uint32_t table, std::uint32_t key) {
        pipeline.add({"HEXISTS", layout_.group_key(table, layout_.group_of(key)),
                      layout_.field_of(key, entry)});
      });
      std::uint64_t missing = 0;
      for (const Reply& reply : session_.run(pipeline)) missing += reply.integer == 0;
      if (missing == 0) continue;  // it was replaced in between
      if (repair_) {
        pipeline.clear();
        add_postings(layout_, record.document, entry, pipeline);
        session_.run(pipeline);
      }
      // If the document was removed or replaced meanwhile, the postings that were added must go,
      // too.
      pipeline.clear();
      pipeline.add({"GET", layout_.record_key(name)});
      const auto now = layout_.decode(session_.run(pipeline)[0].text, name);
      if (now && now->version == record.version) {
        ++report_.torn;
        report_.missing += missing;
      } else if (repair_) {
        pipeline.clear();
        remove_postings(layout_, record.document, entry, pipeline);
        session_.run(pipeline);
      }
    }
  }

  void settle_unreadable() {
    // Other writers may have written them anew.
    std::vector<Name> still;
    for_each_record({unreadable_.begin(), unreadable_.end()},
                    [&](Name name, const std::optional<Record>& record, bool is_there) {
                      if (is_there && !record) still.push_back(name);
                    });
    report_.unreadable = still.size();
    if (!repair_) return;
    for (const Name name : still)
      if (!remove_unreadable(name)) --report_.unreadable;
  }

  // Returns false if another writer has written the record anew.
  bool remove_unreadable(Name name) {
    bool is_readable = false;
    const auto is_unreadable = [&](const Reply& now) {
      is_readable = layout_.decode_whole(now.text, name).has_value();
      return !now.is_nil() && !is_readable;
    };
    session_.change_if(layout_.record_key(name), is_unreadable, std::nullopt);
    return !is_readable;
  }

  Session& session_;
  const Layout& layout_;
  const bool repair_;
  std::unordered_map<Name, Document> documents_;
  std::set<Name> unreadable_;
  std::vector<Place> strays_;
  ScrubReport report_;
};

}  // namespace

ScrubReport RedisStore::scrub(bool repair) const {
  if (repair && settings_.read_only)
    throw Error(ErrorCode::kInvalidArgument, "the index was opened for reading only");
  auto session = sessions_.take([&] { return std::make_unique<Session>(settings_); });
  const ScrubReport report = Scrub(*session, repair).run();
  sessions_.give(std::move(session));
  return report;
}

}  // namespace benzer::redis
