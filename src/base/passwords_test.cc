#include "benzer/internal/passwords.h"

#include <string_view>

#include <gtest/gtest.h>

#include "benzer/error.h"

namespace benzer {
namespace {

TEST(Passwords, AreLeftOutOfNames) {
  const struct {
    std::string_view name, shown;
  } table[] = {
      {"", ""},
      {"folder/news", "folder/news"},
      {"bob:secret@host", "bob:secret@host"},
      {"redis://host/news", "redis://host/news"},
      {"redis://host:7000/news", "redis://host:7000/news"},
      {"redis://bob@host:7000/news", "redis://bob@host:7000/news"},
      {"redis://bob:secret@host:7000/news", "redis://bob@host:7000/news"},
      {"redis://:secret@host/news", "redis://host/news"},
      {"rediss://bob:se:c@r/e t'@host/news", "rediss://bob@host/news"},
      {"redis+cluster://bob:secret@a:1,b:2/news", "redis+cluster://bob@a:1,b:2/news"},
      {"rediss+cluster://bob:secret@a/news", "rediss+cluster://bob@a/news"},
      {"REDIS://bob:secret@host/news", "REDIS://bob@host/news"},
      {"redis://bob:secret@", "redis://bob@"},
      {"redis://:@", "redis://"},
      {"redis://bob:secret@[::1]/news?x", "redis://bob@[::1]/news?x"},
      {"http://bob:word@host/", "http://bob:word@host/"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(without_password(row.name), row.shown);
    EXPECT_EQ(without_passwords(row.shown), row.shown);
  }
}

TEST(Passwords, AreLeftOutOfSentences) {
  const struct {
    std::string_view sentence, shown;
  } table[] = {
      {"'redis://bob:secret@host/a' and redis://:secret@h:1/b: there is no index",
       "'redis://bob@host/a' and redis://h:1/b: there is no index"},
      {"an input 'redis://bob:se cret@host/a' is in 'b'",
       "an input 'redis://bob@host/a' is in 'b'"},
      {"\"redis://bob:se'cret@host/a\"; see 'help'", "\"redis://bob@host/a\"; see 'help'"},
      {"'redis://bob:se'cret@host/a'; see 'help'", "'redis://bob@host/a'; see 'help'"},
      {"redis://host:7000/news has no document \"bob@example.com\"",
       "redis://host:7000/news has no document \"bob@example.com\""},
      {"://redis:// redis://", "://redis:// redis://"},
      {"predis://bob:secret@host", "predis://bob:secret@host"},
  };
  for (const auto& row : table) EXPECT_EQ(without_passwords(row.sentence), row.shown);
}

TEST(Passwords, AreInNoError) {
  const std::string address = "redis://bob:secret@host/news";
  const struct {
    Error error;
    std::string_view sentence;
  } table[] = {
      {Error(ErrorCode::kNotFound, Subject::file(address), "it is gone"),
       "redis://bob@host/news: it is gone"},
      {Error(ErrorCode::kNotFound, Subject::place(address, 7), "it is bad"),
       "redis://bob@host/news:7: it is bad"},
      {Error(ErrorCode::kNotFound, Subject::index(address), "it is gone"),
       "redis://bob@host/news: it is gone"},
      {Error(ErrorCode::kBadInput, "'" + address + "' is an index", "not " + FileName{address}),
       "'redis://bob@host/news' is an index; not redis://bob@host/news"},
      {Error(ErrorCode::kBadInput, "give " + Parameter{"like", address}),
       "give like=redis://bob@host/news"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(row.error.what(), row.sentence);
    EXPECT_EQ(row.error.subject().name.find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace benzer
