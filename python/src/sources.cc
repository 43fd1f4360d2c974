#include "sources.h"

#include <string>
#include <utility>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace benzer::python {
namespace {

// Holds an object of Python where the GIL is not held, and lets go of it with the GIL.
class HeldObject {
 public:
  explicit HeldObject(nb::object object) : object_(std::move(object)) {}
  ~HeldObject() {
    nb::gil_scoped_acquire acquire;
    object_.reset();
  }
  HeldObject(const HeldObject&) = delete;
  HeldObject& operator=(const HeldObject&) = delete;
  const nb::object& get() const noexcept { return object_; }

 private:
  nb::object object_;
};

void open_stream(const nb::object& source, ArrowArrayStream* out) {
  const nb::object capsule = source.attr("open")().attr("__arrow_c_stream__")();
  auto* stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (!stream) throw nb::python_error();
  // Whoever takes a stream out of its capsule marks it as released there.
  *out = *stream;
  stream->release = nullptr;
}

}  // namespace

std::vector<ArrowInput> arrow_inputs(nb::list sources) {
  std::vector<ArrowInput> out;
  for (const nb::handle source : sources) {
    auto held = std::make_shared<HeldObject>(nb::borrow(source));
    out.push_back({nb::cast<std::string>(source.attr("name")),
                   [held](ArrowArrayStream* stream) {
                     nb::gil_scoped_acquire acquire;
                     open_stream(held->get(), stream);
                   },
                   nb::cast<bool>(source.attr("is_held"))});
  }
  return out;
}

}  // namespace benzer::python
