#include "datasketch_bind.h"

#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
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

// Values that are hashed at a time: of more, the references and views alone would need much memory.
constexpr std::size_t kMostValues = std::size_t{1} << 16;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

// What an iterator of Python yields, one object after the other.
class Iterator {
 public:
  explicit Iterator(nb::handle iterable) {
    PyObject* iterator = PyObject_GetIter(iterable.ptr());
    if (iterator == nullptr) nb::raise_python_error();
    iterator_ = nb::steal(iterator);
  }
  // Returns an invalid object at the end.
  nb::object next() {
    PyObject* value = PyIter_Next(iterator_.ptr());
    if (value == nullptr && PyErr_Occurred() != nullptr) nb::raise_python_error();
    return nb::steal(value);
  }

 private:
  nb::object iterator_;
};

// The bytes of values to be hashed, taken when the value is added: an iterator may reuse an object
// for its next value. Objects of type bytes cannot change, and are not copied; others are.
class Values {
 public:
  // Adds a value. If it is of type bytes, the caller keeps it alive until it is given to `keep`.
  void add(nb::handle value) {
    if (PyBytes_Check(value.ptr())) {
      char* data = nullptr;
      Py_ssize_t size = 0;
      if (PyBytes_AsStringAndSize(value.ptr(), &data, &size) != 0) nb::raise_python_error();
      views_.emplace_back(data, static_cast<std::size_t>(size));
    } else if (PyObject_CheckBuffer(value.ptr()) != 0) {
      const Buffer buffer(value, PyBUF_SIMPLE);
      copies_.emplace_back(static_cast<const char*>(buffer.view().buf),
                           static_cast<std::size_t>(buffer.view().len));
      views_.emplace_back(copies_.back());
    } else {
      PyErr_Format(
          PyExc_TypeError,
          "a value is of type '%S', and the hash function takes bytes: encode it, or pass a "
          "hashfunc of your own",
          nb::getattr(value.type(), "__name__").ptr());
      nb::raise_python_error();
    }
    bytes_ += views_.back().size();
  }
  // Keeps a value, or a tuple of values, until the values are cleared.
  void keep(nb::object owner) { owners_.push_back(std::move(owner)); }
  bool full() const { return views_.size() >= kMostValues || bytes_ >= kMostBytes; }
  // Valid without the GIL until the values are cleared.
  std::span<const std::string_view> views() const { return views_; }
  void clear() {
    views_.clear();
    owners_.clear();
    copies_.clear();
    bytes_ = 0;
  }

 private:
  std::vector<nb::object> owners_;
  std::vector<std::string_view> views_;
  std::deque<std::string> copies_;
  std::size_t bytes_ = 0;
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

// Collects the values of lists that follow each other, and lowers a row of signatures for each.
class Rows {
 public:
  Rows(const Signatures& signatures, int scheme) : signatures_(signatures), scheme_(scheme) {}

  // Adds all values of the next row.
  void add(nb::handle iterable) {
    if (PyList_CheckExact(iterable.ptr()) || PyTuple_CheckExact(iterable.ptr())) {
      add_all(nb::steal<nb::tuple>(PySequence_Tuple(iterable.ptr())));
    } else {
      add_each(Iterator(iterable));
    }
    ends_.push_back(values_.views().size());
  }
  // Lowers what was collected.
  void finish() { lower(false); }

 private:
  void add_all(nb::tuple values) {
    if (!values.is_valid()) nb::raise_python_error();
    const std::size_t count = values.size();
    for (std::size_t i = 0; i < count; ++i) {
      values_.add(values[i]);
      if (values_.full()) lower(true);
    }
    values_.keep(std::move(values));
  }

  void add_each(Iterator values) {
    for (nb::object value = values.next(); value.is_valid(); value = values.next()) {
      values_.add(value);
      if (PyBytes_Check(value.ptr())) values_.keep(std::move(value));
      if (values_.full()) lower(true);
    }
  }

  // within_row: the values so far are not all of the last row.
  void lower(bool within_row) {
    if (within_row) ends_.push_back(values_.views().size());
    {
      const nb::gil_scoped_release unlocked;
      const std::vector<std::uint64_t> hashes = hash(values_, scheme_);
      std::size_t begin = 0;
      for (std::size_t i = 0; i < ends_.size(); ++i) {
        signatures_.add(row_ + i, std::span(hashes).subspan(begin, ends_[i] - begin));
        begin = ends_[i];
      }
    }
    row_ += ends_.size() - (within_row ? 1 : 0);
    ends_.clear();
    values_.clear();
  }

  const Signatures& signatures_;
  int scheme_;
  Values values_;
  std::vector<std::size_t> ends_;  // of the rows that are not lowered yet, in values_
  std::size_t row_ = 0;            // the first of them
};

void update(int scheme, nb::handle permutations, nb::handle slots, nb::handle iterable) {
  const Signatures signatures(scheme, permutations, slots, 1);
  Rows rows(signatures, scheme);
  rows.add(iterable);
  rows.finish();
}

std::size_t update_many(int scheme, nb::handle permutations, nb::handle slots, nb::handle iterator,
                        std::size_t count) {
  const Signatures signatures(scheme, permutations, slots, count);
  Rows rows(signatures, scheme);
  Iterator lists(iterator);
  std::size_t read = 0;
  while (read < count) {
    // A list is read before the next one is asked for, which may make it invalid.
    const nb::object list = lists.next();
    if (!list.is_valid()) break;
    rows.add(list);
    ++read;
  }
  rows.finish();
  return read;
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
        "lists"_a, "count"_a,
        "Does the same for each row of a matrix of `count` rows and the next list of an iterator. "
        "Returns the number of lists, which is smaller at the end of the iterator.");
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
