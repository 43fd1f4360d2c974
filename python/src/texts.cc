// Binds what looks at texts one by one: signatures, the comparison of two texts, the steps of one,
// and the plan of bands.
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "benzer/arrow.h"
#include "benzer/features.h"
#include "benzer/internal/score_text.h"
#include "benzer/sketch.h"

#include "../../apps/shared/compare_json.h"
#include "../../apps/shared/explain_json.h"
#include "../../apps/shared/plan_json.h"
#include "../../apps/shared/settings.h"
#include "../../apps/shared/single_text.h"
#include "background.h"
#include "bind.h"
#include "columns.h"
#include "documents.h"
#include "options.h"
#include "sources.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

// Sketches every document of a scan.
class Sketcher : public DocumentVisitor {
 public:
  Sketcher(const Config& config, const std::atomic<bool>* stop)
      : extractor_(config.features),
        hasher_(config.sketch, config.features),
        has_values_(config.features.values() != nullptr),
        stop_(stop),
        out_("signature", Column::Kind::kSlots, static_cast<std::size_t>(hasher_.slots())) {}

  std::unique_ptr<Block> start_block() override { return std::make_unique<Signatures>(*this); }
  void finish_block(std::unique_ptr<Block> block) override {
    const auto& made = static_cast<const Signatures&>(*block);
    const auto slots = static_cast<std::size_t>(hasher_.slots());
    for (std::size_t i = 0; i < made.slots.size(); i += slots) out_.add_slots(&made.slots[i]);
  }
  Column take() { return std::move(out_); }
  std::uint64_t scheme() const noexcept { return hasher_.scheme(); }

 private:
  struct Signatures : Block {
    explicit Signatures(const Sketcher& of) : sketcher(of), buffer(of.stop_) {}
    void add(const DocumentView& document) override {
      if (sketcher.has_values_)
        sketcher.extractor_.extract_values(document.values, buffer, document.weights);
      else
        sketcher.extractor_.extract(document.text, buffer);
      const auto size = static_cast<std::size_t>(sketcher.hasher_.slots());
      slots.resize(slots.size() + size);
      sketcher.hasher_.sketch(buffer.features(), std::span(slots).last(size), sketcher.stop_);
    }
    const Sketcher& sketcher;
    FeatureBuffer buffer;
    std::vector<std::uint64_t> slots;
  };

  FeatureExtractor extractor_;
  MinHasher hasher_;
  bool has_values_;
  const std::atomic<bool>* stop_;
  Column out_;
};

nb::object sketch_table(nb::dict settings, nb::list tables) {
  const apps::Options options = options_of(apps::kSketch, settings);
  const Config config = apps::read_config(options);
  ArrowOptions arrow;
  static_cast<RecordFields&>(arrow) = apps::input_options(options);
  arrow.has_weights = config.features.takes_weights();
  arrow.inputs = arrow_inputs(tables);
  std::atomic<bool> stop{false};
  Background background(stop);
  arrow.stop = &stop;
  ArrowCorpus corpus(std::move(arrow));
  std::unique_ptr<Sketcher> sketcher;
  background.run([&] {
    sketcher = std::make_unique<Sketcher>(config, &stop);
    corpus.scan(*sketcher, apps::thread_count(options));
  });
  Columns out;
  out.push_back(sketcher->take());
  return make_table(std::move(out));
}

std::string compare_two(nb::dict settings, nb::object a, nb::object b, std::size_t shown) {
  const apps::Options options = options_of(apps::kCompare, settings);
  apps::CompareSettings asked = apps::compare_settings(options);
  const std::string first = text_of(a), second = text_of(b);
  std::string out;
  run_stoppable([&](const std::atomic<bool>* stop) {
    asked.stop = stop;
    apps::SingleText followed = apps::follow_text("a", first, asked.config, stop);
    apps::SingleText other = apps::follow_text("b", second, asked.config, stop);
    out = apps::compare_json(apps::compare_texts(std::move(followed), std::move(other), asked),
                             shown);
  });
  return out;
}

std::string explain_one(nb::dict settings, nb::object text) {
  const Config config = apps::complete_config(options_of(apps::kExplain, settings));
  const std::string bytes = text_of(text);
  std::string out;
  run_stoppable([&](const std::atomic<bool>* stop) {
    const apps::SingleText followed = apps::follow_text("text", bytes, config, stop);
    throw_if_stopped(stop);
    out = apps::explain_json(followed, config);
  });
  return out;
}

}  // namespace

void bind_texts(nb::module_& module) {
  module.def("sketch", sketch_table);
  module.def("compare", compare_two);
  module.def("explain", explain_one);
  module.def("shown_probability", shown_probability);
  module.def("plan", [](nb::dict settings) {
    return apps::plan_json(apps::plan_report(options_of(apps::kPlan, settings)));
  });
}

}  // namespace benzer::python
