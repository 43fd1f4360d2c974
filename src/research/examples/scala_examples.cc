// Computes the examples of the blog on Scala: its false positive, and its ten hash functions.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "benzer/research/classics/scala.h"

#include "research/experiments/runs.h"
#include "research/experiments/scala_findings.h"

namespace benzer::experiments {
namespace {

namespace scala_blog = classics::scala;

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz ";
constexpr std::string_view kPangram = "the quick brown fox jumps over the lazy dog";

struct PrintedFunction {
  std::string_view function;
  std::int32_t of_he = 0;
};
// The ten functions that the blog prints for the seed 1337, and their values for "he".
constexpr std::array<PrintedFunction, 10> kPrintedFunctions = {{
    {"-1460590454*X + 747279288 % 999999999989", 480357896},
    {"-1334692577*X + -539670452 % 999999999989", 1614176836},
    {"-501340078*X + -143413999 % 999999999989", 543325601},
    {"-435906689*X + -805361287 % 999999999989", -1459947919},
    {"749770455*X + -1541468361 % 999999999989", 197787375},
    {"-249298484*X + -338966450 % 999999999989", -1314960722},
    {"635996137*X + 90530340 % 999999999989", 1201186924},
    {"1369061647*X + -58898435 % 999999999989", 1044615541},
    {"-803104915*X + 442009989 % 999999999989", -789411859},
    {"-1559981388*X + -486785452 % 999999999989", -145694732},
}};

ExperimentTable pangram(ScalaExamples& out) {
  ExperimentTable table{
      "scala-pangram",
      "\"the quick brown fox ...\" and the alphabet with a blank, by shingle size",
      {"k", "of the pangram", "of the alphabet", "exact Jaccard"},
      {}};
  for (std::size_t k = 1; k <= 5; ++k) {
    const auto a = scala_blog::shingler(kPangram, k), b = scala_blog::shingler(kAlphabet, k);
    const double similarity = scala_blog::similarity(a, b);
    if (k == 1) out.pangram = similarity;
    if (out.apart_from == 0 && similarity == 0) out.apart_from = k;
    table.rows.push_back({ExperimentCell::count(k),
                          ExperimentCell::count(a.size()),
                          ExperimentCell::count(b.size()),
                          {similarity, 4}});
  }
  return table;
}

ExperimentTable ten_functions(ScalaExamples& out) {
  const scala_blog::HashCollection collection(1337, kPrintedFunctions.size());
  const std::vector<std::int32_t> of_he = collection.evaluate("he");
  ExperimentTable table{
      "scala-functions",
      fmt::format("The ten functions of the seed 1337, and their values for \"he\" = {}",
                  scala_blog::djb2a("he")),
      {"function", "as printed", "value", "the blog prints"},
      {}};
  out.functions = kPrintedFunctions.size();
  for (std::size_t i = 0; i < kPrintedFunctions.size(); ++i) {
    const std::string function = collection.get_hashes()[i].str();
    const auto& [printed, value] = kPrintedFunctions[i];
    out.as_printed += function == printed && of_he[i] == value ? 1 : 0;
    table.rows.push_back({function,
                          function == printed ? "yes" : "no, " + std::string(printed),
                          {static_cast<double>(of_he[i]), 0},
                          {static_cast<double>(value), 0}});
  }
  for (const scala_blog::HashFunction& function : collection.get_hashes())
    out.even_factors += function.a % 2 == 0 ? 1 : 0;
  return table;
}

}  // namespace

ExperimentResult scala_examples(const ExperimentOptions&) {
  ExperimentResult out;
  out.title = "Its false positive, and its ten hash functions";
  out.parameters = "java.util.Random(1337), as in the blog";
  ScalaExamples numbers;
  out.tables.push_back(pangram(numbers));
  out.tables.push_back(ten_functions(numbers));
  add_judged(out, judge_scala_examples(numbers));
  return out;
}

}  // namespace benzer::experiments
