// Reads the documents of a corpus in the form in which an index takes them.
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/input.h"

#include "base/parallel.h"

namespace benzer {
namespace {

class DocumentCopier : public DocumentVisitor {
 public:
  DocumentCopier(const Corpus& corpus, const Schema& schema,
                 const std::function<void(std::vector<Document>& batch)>& visit)
      : corpus_(corpus), schema_(schema), visit_(visit) {}

  std::unique_ptr<Block> start_block() override { return std::make_unique<Copies>(schema_); }
  void finish_block(std::unique_ptr<Block> block) override {
    auto& copies = static_cast<Copies&>(*block);
    for (const NamedImage& image : copies.named_images)
      find_image(copies.documents[image.document].fields[image.field],
                 read_ + static_cast<std::uint32_t>(image.document));
    read_ += static_cast<std::uint32_t>(copies.documents.size());
    visit_(copies.documents);
  }

 private:
  // An image whose field has its name so far.
  struct NamedImage {
    std::size_t document, field;
  };
  struct Copies : Block {
    explicit Copies(const Schema& of) : schema(of) {}
    void add(const DocumentView& view) override {
      Document& document = documents.emplace_back();
      document.id = view.id;
      if (view.fields.empty()) {
        document.fields.push_back({schema.fields[0].name,
                                   std::string(view.text),
                                   {view.values.begin(), view.values.end()},
                                   {},
                                   {view.weights.begin(), view.weights.end()}});
        return;
      }
      for (std::size_t i = 0; i < view.fields.size(); ++i) {
        const FieldView& field = view.fields[i];
        if (!field.is_there) continue;
        if (i >= schema.fields.size() + schema.attributes.size())
          throw Error(
              ErrorCode::kInvalidArgument,
              fmt::format("a document has {} fields, and the schema {} with its attributes",
                          view.fields.size(), schema.fields.size() + schema.attributes.size()));
        if (i >= schema.fields.size()) {
          document.attributes.push_back(
              {schema.attributes[i - schema.fields.size()].name, std::string(field.text)});
          continue;
        }
        if (schema.fields[i].features.image() && !field.is_binary)
          named_images.push_back({documents.size() - 1, document.fields.size()});
        document.fields.push_back({schema.fields[i].name,
                                   std::string(field.text),
                                   {field.values.begin(), field.values.end()},
                                   {},
                                   {field.weights.begin(), field.weights.end()}});
      }
    }
    const Schema& schema;
    std::vector<Document> documents;
    std::vector<NamedImage> named_images;
  };

  // Replaces the text of an image field by the image that it names: a file, whose path is relative
  // to the folder of the file with the record, or an image inside the record.
  void find_image(Field& field, std::uint32_t document) const {
    const std::string source = corpus_.label(document).source;
    const std::size_t slash = source.rfind('/');
    try {
      field = image_field(field.name, field.text,
                          slash == std::string::npos ? "" : source.substr(0, slash));
    } catch (const Error&) {
      // The field keeps its text, which is not an image, and the document is refused for that.
    }
  }

  const Corpus& corpus_;
  const Schema& schema_;
  const std::function<void(std::vector<Document>& batch)>& visit_;
  std::uint32_t read_ = 0;
};

}  // namespace

std::vector<InputField> query_fields(const Schema& schema) {
  std::vector<InputField> out;
  for (const FieldSpec& field : schema.fields)
    out.push_back({.name = field.name,
                   .is_values = field.features.values() != nullptr,
                   .is_image = field.features.image() != nullptr,
                   .has_weights = field.features.takes_weights()});
  return out;
}

std::vector<InputField> input_fields(const Schema& schema) {
  std::vector<InputField> out = query_fields(schema);
  for (const AttributeSpec& attribute : schema.attributes)
    out.push_back({.name = attribute.name, .is_attribute = true});
  return out;
}

void read_documents(Corpus& corpus, const Schema& schema, int threads,
                    const std::function<void(std::vector<Document>& batch)>& visit) {
  DocumentCopier copier(corpus, schema, visit);
  corpus.scan(copier, resolve_threads(threads));
}

}  // namespace benzer
