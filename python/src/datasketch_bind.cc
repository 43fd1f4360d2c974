#include "datasketch_bind.h"

#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "datasketch_buffer.h"
#include "datasketch_index.h"
#include "datasketch_minhash.h"
#include "datasketch_sha1.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace benzer::python {
namespace {

// Numbers of the schemes, as the Python side passes them: those that datasketch writes into its
// formats, and 0 for `legacy`, which has none there.
enum Scheme { kLegacy = 0, kAffine32 = 1, kAffine64 = 2 };

constexpr std::uint64_t kLow32 = 0xFFFFFFFF;

nb::tuple to_tuple(nb::handle iterable) {
  PyObject* tuple = PySequence_Tuple(iterable.ptr());
  if (tuple == nullptr) nb::raise_python_error();
  return nb::steal<nb::tuple>(tuple);
}

// The bytes of values to be hashed. It owns a tuple of them, so that views into `bytes` stay valid
// without the GIL; other objects with a buffer could change meanwhile and are copied.
class Values {
 public:
  void add(nb::handle iterable) {
    nb::tuple values = to_tuple(iterable);
    const std::size_t count = values.size();
    for (std::size_t i = 0; i < count; ++i) add_one(values[i]);
    owners_.push_back(std::move(values));
  }
  std::span<const std::string_view> views() const { return views_; }

 private:
  void add_one(nb::handle value) {
    if (PyBytes_Check(value.ptr())) {
      char* data = nullptr;
      Py_ssize_t size = 0;
      if (PyBytes_AsStringAndSize(value.ptr(), &data, &size) != 0) nb::raise_python_error();
      views_.emplace_back(data, static_cast<std::size_t>(size));
      return;
    }
    if (PyObject_CheckBuffer(value.ptr()) == 0) {
      PyErr_Format(
          PyExc_TypeError,
          "a value is of type '%S', and the hash function takes bytes: encode it, or pass a "
          "hashfunc of your own",
          nb::getattr(value.type(), "__name__").ptr());
      nb::raise_python_error();
    }
    const Buffer buffer(value, PyBUF_SIMPLE);
    copies_.emplace_back(static_cast<const char*>(buffer.view().buf),
                         static_cast<std::size_t>(buffer.view().len));
    views_.emplace_back(copies_.back());
  }

  std::vector<nb::tuple> owners_;
  std::vector<std::string_view> views_;
  std::deque<std::string> copies_;
};

// Signatures and permutations in the memory of numpy, checked against each other.
class Signatures {
 public:
  // rows: of hash values, one for each signature.
  Signatures(int scheme, nb::handle permutations, nb::handle slots, std::size_t rows)
      : scheme_(scheme), permutations_(permutations, PyBUF_SIMPLE), slots_(slots, PyBUF_WRITABLE) {
    const Py_ssize_t item = scheme == kAffine32 ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
    const Py_ssize_t bytes = permutations_.view().len;
    count_ = static_cast<std::size_t>(bytes / 2 / item);
    row_bytes_ = static_cast<std::size_t>(bytes / 2);
    if (permutations_.view().itemsize != item || slots_.view().itemsize != item || bytes == 0 ||
        bytes % (2 * item) != 0 ||
        static_cast<std::size_t>(slots_.view().len) != rows * row_bytes_) {
      throw std::invalid_argument("hash values and permutations differ in number or type");
    }
  }

  // Needs no GIL.
  void add(std::size_t row, std::span<const std::uint64_t> hashes) const {
    char* slots = static_cast<char*>(slots_.view().buf) + row * row_bytes_;
    if (scheme_ == kAffine32) {
      const auto* a = static_cast<const std::uint32_t*>(permutations_.view().buf);
      min_affine32(hashes, a, a + count_, reinterpret_cast<std::uint32_t*>(slots), count_);
      return;
    }
    const auto* a = static_cast<const std::uint64_t*>(permutations_.view().buf);
    auto* wide = reinterpret_cast<std::uint64_t*>(slots);
    if (scheme_ == kAffine64) {
      min_affine64(hashes, a, a + count_, wide, count_);
    } else {
      min_legacy(hashes, a, a + count_, wide, count_);
    }
  }

 private:
  int scheme_;
  Buffer permutations_;
  Buffer slots_;
  std::size_t count_;
  std::size_t row_bytes_;
};

std::vector<std::uint64_t> hash(const Values& values, int scheme) {
  std::vector<std::uint64_t> hashes(values.views().size());
  sha1_prefixes(values.views(), hashes.data());
  if (scheme != kAffine64) {
    for (std::uint64_t& h : hashes) h &= kLow32;
  }
  return hashes;
}

void update(int scheme, nb::handle permutations, nb::handle slots, nb::handle iterable) {
  Values values;
  values.add(iterable);
  const Signatures signatures(scheme, permutations, slots, 1);
  const nb::gil_scoped_release unlocked;
  signatures.add(0, hash(values, scheme));
}

void update_many(int scheme, nb::handle permutations, nb::handle slots, nb::handle iterables) {
  Values values;
  std::vector<std::size_t> ends;
  const nb::tuple all = to_tuple(iterables);
  for (std::size_t i = 0; i < all.size(); ++i) {
    values.add(all[i]);
    ends.push_back(values.views().size());
  }
  const Signatures signatures(scheme, permutations, slots, ends.size());
  const nb::gil_scoped_release unlocked;
  const std::vector<std::uint64_t> hashes = hash(values, scheme);
  std::size_t begin = 0;
  for (std::size_t row = 0; row < ends.size(); ++row) {
    signatures.add(row, std::span(hashes).subspan(begin, ends[row] - begin));
    begin = ends[row];
  }
}

void update_hashes(int scheme, nb::handle permutations, nb::handle slots, nb::handle hashes) {
  const Signatures signatures(scheme, permutations, slots, 1);
  const Buffer buffer(hashes, PyBUF_SIMPLE);
  if (buffer.view().itemsize != sizeof(std::uint64_t)) {
    throw std::invalid_argument("hashes must be an array of 64-bit numbers");
  }
  const std::span<const std::uint64_t> numbers(
      static_cast<const std::uint64_t*>(buffer.view().buf),
      static_cast<std::size_t>(buffer.view().len) / sizeof(std::uint64_t));
  const nb::gil_scoped_release unlocked;
  signatures.add(0, numbers);
}

int traverse_index(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<DatasketchIndex>(self)->traverse(visit, arg);
}

int clear_index(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<DatasketchIndex>(self)->clear();
  return 0;
}

// Keys may refer to the index that holds them.
PyType_Slot index_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_index)},
                             {Py_tp_clear, reinterpret_cast<void*>(clear_index)},
                             {0, nullptr}};

}  // namespace

void bind_datasketch(nb::module_& m) {
  m.def("datasketch_update", update, "scheme"_a, "permutations"_a, "hashvalues"_a, "values"_a,
        "Hashes bytes with SHA-1 and lowers the hash values in place.");
  m.def("datasketch_update_many", update_many, "scheme"_a, "permutations"_a, "hashvalues"_a,
        "values"_a, "Does the same for each row of a matrix and each of as many lists.");
  m.def("datasketch_update_hashes", update_hashes, "scheme"_a, "permutations"_a, "hashvalues"_a,
        "hashes"_a, "Lowers the hash values in place by hashes that are given.");
  using Index = DatasketchIndex;
  nb::class_<Index>(m, "DatasketchIndex", nb::type_slots(index_slots),
                    "The tables of a MinHashLSH in memory.")
      .def(nb::init<std::size_t, std::size_t, std::size_t>(), "num_perm"_a, "bands"_a, "rows"_a)
      .def("insert", &Index::insert, "key"_a.none(), "hashvalues"_a, "check"_a, nb::lock_self())
      .def("insert_joined", &Index::insert_joined, "key"_a.none(), "joined"_a, "item_size"_a,
           "check"_a, nb::lock_self())
      .def("query", &Index::query, "hashvalues"_a, "bands"_a, nb::lock_self())
      .def("query_joined", &Index::query_joined, "joined"_a, "item_size"_a, "bands"_a,
           nb::lock_self())
      .def("remove", &Index::remove, "key"_a.none(), nb::lock_self())
      .def("keys", &Index::keys, nb::lock_self())
      .def("band_keys", &Index::band_keys, "key"_a.none(), nb::lock_self())
      .def("bucket", &Index::bucket, "band"_a, "band_key"_a, nb::lock_self())
      .def("bucket_sizes", &Index::bucket_sizes, "band"_a, nb::lock_self())
      .def("__contains__", &Index::contains, "key"_a.none(), nb::lock_self())
      .def("__len__", &Index::size, nb::lock_self())
      .def_prop_ro("item_size", &Index::item_size, nb::lock_self());
}

}  // namespace benzer::python
