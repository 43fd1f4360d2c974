// Records what was written to a store and what of it was acknowledged, so that a test knows what it
// may find there later.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store_test_util.h"

namespace benzer {

// Times are any increasing numbers.
class History {
 public:
  // A document is about to be written or, if `document` is empty, to be removed.
  void issue(const std::string& id, std::optional<DocumentHashes> document, std::size_t time) {
    versions_[id].push_back({std::move(document), time, kNever});
  }
  // From this time on, everything issued so far must be there.
  void acknowledge(std::size_t time) {
    for (auto& [id, versions] : versions_)
      for (Version& version : versions) version.acknowledged = std::min(version.acknowledged, time);
  }
  // The store was opened again and has this content, which counts as acknowledged from now on.
  void observe(const Model& model, std::size_t time) {
    for (const auto& [id, document] : model) versions_[id];
    for (auto& [id, versions] : versions_) {
      const auto found = model.find(id);
      versions.push_back(
          {found == model.end() ? std::nullopt : std::optional(found->second), time, time});
    }
  }

  // Says what is wrong with a store that has this content after a crash; empty if nothing is. Each
  // document must be as it was acknowledged last, or as it was issued later.
  std::string problem(const Model& found, std::size_t time) const {
    for (const auto& [id, document] : found)
      if (!versions_.contains(id)) return id + " was never written";
    for (const auto& [id, versions] : versions_) {
      const auto there = found.find(id);
      bool allowed = there == found.end();
      bool known = false;
      for (const Version& version : versions) {
        if (version.issued > time) continue;
        if (version.acknowledged <= time) allowed = false;  // an earlier version is too old
        const bool same = version.document
                              ? there != found.end() && there->second == *version.document
                              : there == found.end();
        allowed |= same;
        known |= same;
      }
      if (!allowed && known) return id + " is older than what was acknowledged";
      if (!allowed)
        return id + (there == found.end() ? " is lost" : " is there as it was never written");
    }
    return {};
  }

 private:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  struct Version {
    std::optional<DocumentHashes> document;
    std::size_t issued;
    std::size_t acknowledged;
  };
  std::map<std::string, std::vector<Version>> versions_;
};

}  // namespace benzer
