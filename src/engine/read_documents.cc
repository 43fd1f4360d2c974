#include <memory>
#include <utility>

#include "benzer/index.h"

#include "base/parallel.h"

namespace benzer {
namespace {

class DocumentCopier : public DocumentVisitor {
 public:
  DocumentCopier(const Schema& schema,
                 const std::function<void(std::vector<Document>& batch)>& visit)
      : schema_(schema), visit_(visit) {}

  std::unique_ptr<Block> start_block() override { return std::make_unique<Copies>(schema_); }
  void finish_block(std::unique_ptr<Block> block) override {
    visit_(static_cast<Copies&>(*block).documents);
  }

 private:
  struct Copies : Block {
    explicit Copies(const Schema& of) : schema(of) {}
    void add(const DocumentView& view) override {
      Document& document = documents.emplace_back();
      document.id = view.id;
      if (view.fields.empty()) {
        document.fields.push_back(Field::of_text(schema.fields[0].name, std::string(view.text)));
        return;
      }
      for (std::size_t i = 0; i < view.fields.size(); ++i) {
        const FieldView& field = view.fields[i];
        if (!field.is_there) continue;
        document.fields.push_back({schema.fields[i].name,
                                   std::string(field.text),
                                   {field.values.begin(), field.values.end()}});
      }
    }
    const Schema& schema;
    std::vector<Document> documents;
  };

  const Schema& schema_;
  const std::function<void(std::vector<Document>& batch)>& visit_;
};

}  // namespace

void read_documents(Corpus& corpus, const Schema& schema, int threads,
                    const std::function<void(std::vector<Document>& batch)>& visit) {
  DocumentCopier copier(schema, visit);
  corpus.scan(copier, resolve_threads(threads));
}

}  // namespace benzer
