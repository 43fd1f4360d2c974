// Binds the steps of a run on several machines, which benzer.spark is made of. Lists of numbers
// come and go as bytes, which every library of tables takes without looking at each number.
#include "benzer/partition.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "benzer/arrow.h"
#include "benzer/audit.h"

#include "../../apps/shared/audit_report.h"
#include "../../apps/shared/guard_rail_error.h"
#include "../../apps/shared/settings.h"
#include "background.h"
#include "bind.h"
#include "datasketch_buffer.h"
#include "options.h"
#include "sources.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

template <class T>
nb::bytes bytes_of_list(const std::vector<T>& list) {
  return nb::bytes(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
}

// The memory of a buffer as numbers. Throws Error(kInvalidArgument) for half a number.
template <class T>
std::span<const T> numbers_in(const Buffer& buffer) {
  const auto size = static_cast<std::size_t>(buffer.view().len);
  if (size % sizeof(T) != 0)
    throw Error(ErrorCode::kInvalidArgument, "a list of numbers ends within a number");
  return {static_cast<const T*>(buffer.view().buf), size / sizeof(T)};
}

DedupOptions options_from(nb::dict settings) {
  DedupOptions options = apps::dedup_options(options_of(apps::kDedup, settings));
  options.threads = 1;  // a task has one core
  return options;
}

nb::dict sketch_partition_of(nb::dict settings, nb::list tables, nb::bytes key) {
  const apps::Options given = options_of(apps::kDedup, settings);
  const DedupOptions options = options_from(settings);
  if (key.size() != sizeof(PartitionKey))
    throw Error(ErrorCode::kInvalidArgument, "the key of fingerprints must have 16 bytes");
  PartitionKey secret;
  std::memcpy(&secret, key.c_str(), sizeof(secret));
  InputOptions input = apps::input_options(given);
  input.has_weights = options.config.features.takes_weights();
  ArrowOptions arrow = apps::arrow_options(given, input);
  arrow.inputs = arrow_inputs(tables);
  ArrowCorpus corpus(std::move(arrow));
  PartitionSketches made;
  {
    nb::gil_scoped_release release;
    made = sketch_partition(corpus, options, secret);
  }
  nb::dict out;
  out["fingerprints"] = bytes_of_list(made.fingerprints);
  out["keys"] = bytes_of_list(made.keys);
  out["cut"] = bytes_of_list(made.cut);
  out["bytes"] = bytes_of_list(made.bytes);
  out["takes_part"] = bytes_of_list(made.takes_part);
  out["is_short"] = bytes_of_list(made.is_short);
  out["replaced"] = made.counts.replaced;
  return out;
}

nb::list pack(nb::handle keys, nb::handle documents, std::size_t parts) {
  const Buffer key_bytes(keys), document_bytes(documents);
  std::vector<std::string> packed;
  {
    nb::gil_scoped_release release;
    packed = pack_keys(numbers_in<std::uint64_t>(key_bytes),
                       numbers_in<std::uint64_t>(document_bytes), parts);
  }
  nb::list out;
  for (const std::string& part : packed) out.append(nb::bytes(part.data(), part.size()));
  return out;
}

nb::bytes near(nb::dict settings, nb::handle a, nb::handle b) {
  const Buffer first(a), second(b);
  return bytes_of_list(near_signatures(options_from(settings), numbers_in<std::uint8_t>(first),
                                       numbers_in<std::uint8_t>(second)));
}

nb::bytes connect(nb::dict settings, nb::handle cut) {
  const Buffer signatures(cut);
  const DedupOptions options = options_from(settings);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  {
    nb::gil_scoped_release release;
    found = connect_near_signatures(options, numbers_in<std::uint8_t>(signatures));
  }
  return bytes_of_list(found);
}

// Throws the error that a run stops with if so much would be removed that it looks like a mistake.
// largest_cluster: with its keeper.
void check_counts(std::uint64_t largest_cluster, std::uint64_t removed, std::uint64_t documents) {
  const GuardRails rails;
  std::vector<GuardRailBreach> breaches;
  if (rails.is_too_large(largest_cluster, documents))
    breaches.push_back({GuardRailBreach::Kind::kCluster, 0, largest_cluster, documents});
  if (rails.loses_too_much(removed, documents))
    breaches.push_back({GuardRailBreach::Kind::kSource, 0, removed, documents});
  if (!breaches.empty()) throw apps::guard_rail_error(MemoryCorpus(), breaches);
}

double least_score(nb::dict settings) {
  return least_audited_score(options_from(settings).threshold);
}

// Returns what `benzer audit --json` prints. pairs: lists of the members of AuditedPairs, the flags
// as bits (1 found, 2 equal, 4 again, 8 similar). missed: their ids as JSON, and their scores.
std::string audit_json(nb::dict settings, std::map<std::string, std::uint64_t> counts,
                       std::tuple<nb::handle, nb::handle, nb::handle, nb::handle> pairs,
                       std::uint64_t drawn_references,
                       std::vector<std::tuple<std::string, std::string, double>> missed) {
  AuditOptions options;
  static_cast<SimilarityOptions&>(options) = options_from(settings);
  options.seed = options.config.features.seed;
  AuditResult result;
  result.documents = counts.at("documents");
  result.references = counts.at("references");
  result.empty = counts.at("empty");
  result.short_documents = counts.at("short");
  result.taking_part = counts.at("taking_part");
  result.sampled = counts.at("sample");
  const Buffer drawn_bytes(std::get<0>(pairs)), pair_bytes(std::get<1>(pairs)),
      score_bytes(std::get<2>(pairs)), flag_bytes(std::get<3>(pairs));
  const auto drawn = numbers_in<std::uint64_t>(drawn_bytes);
  const auto number = numbers_in<std::uint64_t>(pair_bytes);
  const auto scores = numbers_in<double>(score_bytes);
  const auto flags = numbers_in<std::uint8_t>(flag_bytes);
  if (number.size() != drawn.size() || scores.size() != drawn.size() ||
      flags.size() != drawn.size())
    throw Error(ErrorCode::kInvalidArgument, "the lists of audited pairs have different lengths");
  std::vector<AuditedPairs> audited;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    audited.push_back({drawn[i], number[i], scores[i], (flags[i] & 8) != 0, (flags[i] & 1) != 0,
                       (flags[i] & 2) != 0, (flags[i] & 4) != 0});
  result = sum_up_audit(options, result, audited, drawn_references);
  apps::AuditReport report = apps::report_of(options_of(apps::kDedup, settings), options, result);
  report.files->skipped = counts.at("skipped");
  for (const auto& [a, b, score] : missed) report.missed.push_back({a, b, score});
  return report.json();
}

}  // namespace

void bind_partition(nb::module_& module) {
  module.def("sketch_partition", sketch_partition_of);
  module.def("pack_keys", pack);
  module.def("near_signatures", near);
  module.def("connect_near_signatures", connect);
  module.def("check_guard_rails", check_counts);
  module.def("least_audited_score", least_score);
  module.def("audit_json", audit_json);
  nb::class_<KeyBuckets>(module, "KeyBuckets")
      .def(nb::init<>())
      .def("add",
           [](KeyBuckets& self, nb::handle packed) {
             const Buffer bytes(packed);
             const auto list = numbers_in<char>(bytes);
             self.add({list.data(), list.size()});
           })
      .def("find", [](KeyBuckets& self, std::size_t most) {
        KeyBuckets::Found found;
        {
          nb::gil_scoped_release release;
          found = self.find(most);
        }
        return nb::make_tuple(bytes_of_list(found.pairs), bytes_of_list(found.large));
      });
  nb::class_<Connections>(module, "Connections")
      .def(nb::init<>())
      .def("add",
           [](Connections& self, nb::handle pairs) {
             const Buffer bytes(pairs);
             const auto list = numbers_in<std::uint64_t>(bytes);
             std::vector<DocumentPair> added;
             for (std::size_t i = 0; i + 1 < list.size(); i += 2)
               added.push_back({list[i], list[i + 1]});
             self.add(added);
           })
      .def("components", [](Connections& self) {
        nb::gil_scoped_release release;
        const std::vector<DocumentPair> found = self.components();
        nb::gil_scoped_acquire acquire;
        return bytes_of_list(found);
      });
}

}  // namespace benzer::python
