#include "remembered_answers.h"

#include <gtest/gtest.h>

#include "io/io_test_util.h"

namespace benzer::server {
namespace {

Request some_request() {
  Request request;
  request.method = "POST";
  request.target = "/v1/indexes/a/decisions";
  request.path = {"v1", "indexes", "a", "decisions"};
  request.idempotency_key = "once";
  return request;
}

TEST(RememberedAnswers, AreGivenAgain) {
  const TestFolder folder;
  RememberedAnswers answers(folder / "answers.sqlite");
  int done = 0;
  const auto work = [&] {
    ++done;
    return Response{201, "text/plain", "made"};
  };
  for (int i = 0; i < 3; ++i) {
    const Response response = answers.once("me", some_request(), work);
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(response.body, "made");
  }
  EXPECT_EQ(done, 1);
  answers.forget_index("a");
  answers.once("me", some_request(), work);
  EXPECT_EQ(done, 2);
}

// An index of this name that is made later has nothing of what the answer says.
TEST(RememberedAnswers, OfAnIndexThatIsRemovedMeanwhileAreForgotten) {
  const TestFolder folder;
  RememberedAnswers answers(folder / "answers.sqlite");
  int done = 0;
  const auto work = [&] {
    if (++done == 1) answers.forget_index("a");
    return Response{201, "text/plain", "made"};
  };
  EXPECT_EQ(answers.once("me", some_request(), work).status, 201);
  EXPECT_EQ(answers.once("me", some_request(), work).status, 201);
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace benzer::server
