// Makes documents of an index from objects of Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "benzer/corpus.h"
#include "benzer/error.h"
#include "benzer/schema.h"

namespace benzer::python {

// Ids and other bytes as a str; what is no UTF-8 becomes surrogates, as in names of files.
nanobind::object python_text(std::string_view bytes);
// What is in the list now: code of the caller that runs meanwhile may change it.
nanobind::tuple items_of(nanobind::list list);
// The bytes of a text; a lone surrogate becomes a byte that the engine replaces by U+FFFD.
std::string text_of(nanobind::handle text);
// The bytes of a str. Throws Error(kBadInput) that names `what` for a lone surrogate that does not
// come from python_text().
std::string bytes_of(nanobind::handle text, std::string_view what);

// Makes a document of a str, which is the only field of the schema, or of a mapping from names to
// values: a str, or bytes; a list or set of str; a mapping from str to numbers for values with
// weights; for an image its bytes, its path or a "data:" URL. "id" is a str or an int. Names that
// the schema does not have are ignored. with_attributes: attributes are read, too. Throws
// Error(kBadInput) for values of other types, and for a document that has none of the fields.
Document document_of(nanobind::handle value, const Schema& schema, bool with_attributes);
// Returns an id as text: a str, bytes, or a number, which is written as those in the columns of
// tables are (1.0 is "1"). Empty for one that is missing. Throws Error(kBadInput) for anything
// else.
std::string id_of(nanobind::handle value);
// Makes documents that are put in, with their attributes.
std::vector<Document> documents_of(nanobind::list values, const Schema& schema);

// Returns what ends a question about many documents at one that is refused, and names its place.
// begin: the place of the first document of the call among those of the user.
std::function<void(std::size_t document, const Error& problem)> problem_at(std::uint64_t begin);
// Makes documents that are asked about, without their attributes, which are not used.
std::vector<Document> queries_of(nanobind::list values, const Schema& schema, std::uint64_t begin);

// Changes of attributes: mappings with "id" and attributes, None to remove one.
std::vector<AttributeChange> changes_of(nanobind::list values);
// Attributes as a dict: str, float and bool, times as str.
nanobind::dict attributes_of(const std::vector<Attribute>& attributes);

}  // namespace benzer::python
