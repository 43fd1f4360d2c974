// Binds the steps of a run on several machines, which benzer.spark is made of. Lists of numbers
// come and go as bytes, which every library of tables takes without looking at each number.
#include "benzer/partition.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "benzer/arrow.h"
#include "benzer/audit.h"

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

nb::tuple tuple_of(const Share& share) {
  return nb::make_tuple(share.value, share.low, share.high);
}

// documents: similar pairs and found ones of the drawn documents that have any, in turn.
nb::tuple pair_share(nb::handle documents, std::uint64_t pairs, std::uint64_t found,
                     std::uint64_t sampled, std::uint64_t population) {
  const Buffer bytes(documents);
  const auto counts = numbers_in<std::uint64_t>(bytes);
  std::vector<PairsOfDocument> drawn;
  for (std::size_t i = 0; i + 1 < counts.size(); i += 2)
    drawn.push_back({counts[i], counts[i + 1]});
  drawn.resize(std::max<std::size_t>(drawn.size(), sampled));
  return tuple_of(share_of_pairs(drawn, pairs, found, population));
}

}  // namespace

void bind_partition(nb::module_& module) {
  module.def("sketch_partition", sketch_partition_of);
  module.def("pack_keys", pack);
  module.def("near_signatures", near);
  module.def("connect_near_signatures", connect);
  module.def("check_guard_rails", check_counts);
  module.def("share_of_pairs", pair_share);
  module.def("share_of_documents",
             [](std::uint64_t with, std::uint64_t sampled, std::uint64_t population) {
               return tuple_of(share_of_documents(with, sampled, population));
             });
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
