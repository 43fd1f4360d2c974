// Lets configurations name the sketches and features of the library benzer::research.
//
//   benzer::register_research();
//   const auto sketch = benzer::SketchSpec::parse("linear:128");
//
// Without this call, FeatureSpec::parse and SketchSpec::parse refuse what config.h marks as
// research.
#pragma once

namespace benzer {

// Call it before the first configuration is read. Once is enough; more calls change nothing.
// Threads: safe from any thread.
void register_research() noexcept;

}  // namespace benzer
