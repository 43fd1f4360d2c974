// Declares the experiments, one function each; list.cc lists them by name. Those without a file
// here are in src/research/examples/.
#pragma once

#include "benzer/research/experiments.h"

namespace benzer::experiments {

// 000, the report (report_*.cc)
ExperimentResult report_6a(const ExperimentOptions& options);
ExperimentResult report_6b(const ExperimentOptions& options);
ExperimentResult report_6c(const ExperimentOptions& options);

// 001, the blog on C# (blog_*.cc)
ExperimentResult blog_jaccard(const ExperimentOptions& options);
ExperimentResult blog_lsh(const ExperimentOptions& options);
ExperimentResult blog_examples(const ExperimentOptions& options);

// 002, the slides (slides.cc)
ExperimentResult slides(const ExperimentOptions& options);
ExperimentResult slides_shingles(const ExperimentOptions& options);

// 003, the blog on Scala (scala.cc, s_curve.cc)
ExperimentResult scala(const ExperimentOptions& options);
ExperimentResult scala_examples(const ExperimentOptions& options);
ExperimentResult scala_claims_tested(const ExperimentOptions& options);
ExperimentResult s_curve(const ExperimentOptions& options);

// 004, the course report (course_*.cc)
ExperimentResult course_table_1(const ExperimentOptions& options);
ExperimentResult course_table_2(const ExperimentOptions& options);
ExperimentResult course_table_3(const ExperimentOptions& options);
ExperimentResult course_table_4(const ExperimentOptions& options);
ExperimentResult course_fig_1(const ExperimentOptions& options);
ExperimentResult course_fig_2(const ExperimentOptions& options);
ExperimentResult course_fig_3(const ExperimentOptions& options);

// Its calls with values of one's own (course_calls.cc). Each check throws what the run would throw
// at once.
ExperimentResult course_accuracy(const ExperimentOptions& options);
ExperimentResult course_timer(const ExperimentOptions& options);
ExperimentResult course_near(const ExperimentOptions& options);
void check_course_accuracy(const ExperimentOptions& options);
void check_course_timer(const ExperimentOptions& options);
void check_course_near(const ExperimentOptions& options);

// The basis of all of them (hash_bias.cc, sketches.cc)
ExperimentResult hash_bias(const ExperimentOptions& options);
ExperimentResult sketches(const ExperimentOptions& options);

// What the report left for later (images.cc, edited_texts.cc)
ExperimentResult images(const ExperimentOptions& options);
ExperimentResult edited_texts(const ExperimentOptions& options);

}  // namespace benzer::experiments
