// Tests findings with numbers that turn them round.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "research/experiments/judge.h"

namespace benzer::experiments {

// A change of numbers, the answer that it gives, and parts of the findings that it gives. A part
// that begins with '!' must not be said.
template <class Numbers>
struct TurnedRound {
  std::string what;
  std::function<void(Numbers&)> change;
  ExperimentAnswer answer;
  std::vector<std::string> said;
};

template <class Numbers, class Judge>
void expect_turned_round(const Numbers& base, Judge&& judge,
                         const std::vector<TurnedRound<Numbers>>& cases) {
  for (const TurnedRound<Numbers>& one : cases) {
    SCOPED_TRACE(one.what);
    Numbers numbers = base;
    one.change(numbers);
    const Judged judged = judge(numbers);
    const ExperimentVerdict verdict = verdict_of(judged.claims);
    EXPECT_EQ(spelled(verdict.answer), spelled(one.answer)) << verdict.why;
    std::string all;
    for (const std::string& finding : judged.findings) all += finding + "\n";
    for (const std::string& part : one.said) {
      if (part.starts_with('!')) {
        EXPECT_THAT(all, testing::Not(testing::HasSubstr(part.substr(1))));
      } else {
        EXPECT_THAT(all, testing::HasSubstr(part));
      }
    }
    EXPECT_THAT(all, testing::Not(testing::HasSubstr("nan")));
    EXPECT_THAT(all, testing::Not(testing::HasSubstr("inf ")));
  }
}

}  // namespace benzer::experiments
