// Access to the memory of a Python object, such as an array of numpy.
#pragma once

#include <nanobind/nanobind.h>

namespace benzer::python {

// Holds a contiguous buffer of an object; throws what Python raises if it has none. While it lives,
// the memory can be neither freed nor resized, with or without the GIL. It is made and destroyed
// with the GIL.
class Buffer {
 public:
  Buffer(nanobind::handle object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) nanobind::raise_python_error();
  }
  // Takes a copy of an array that is not contiguous, such as columns of another one.
  explicit Buffer(nanobind::handle array) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_SIMPLE) == 0) return;
    PyErr_Clear();
    const nanobind::object copy = array.attr("copy")();
    if (PyObject_GetBuffer(copy.ptr(), &view_, PyBUF_SIMPLE) != 0) nanobind::raise_python_error();
  }
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const Py_buffer& view() const { return view_; }

 private:
  Py_buffer view_{};
};

}  // namespace benzer::python
