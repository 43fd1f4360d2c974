#include "features/readable_text.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "benzer/features.h"

namespace benzer::internal {
namespace {

std::string readable(std::string_view html) {
  RawBuffer<char> room;
  return std::string(readable_text(html, room));
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string out;
  while (times-- > 0) out += part;
  return out;
}

struct ReadableCase {
  const char* html;
  const char* text;
};

void expect_all(std::initializer_list<ReadableCase> cases) {
  for (const ReadableCase& c : cases) EXPECT_EQ(readable(c.html), c.text) << c.html;
}

TEST(ReadableText, KeepsTextAndItsOrder) {
  expect_all({
      {"", ""},
      {"plain text", "plain text"},
      {"  blanks \t\n\f\r of the page  ", "blanks of the page"},
      {"<p>one</p><p>two</p>", "one\ntwo"},
      {"one<br>two<BR/>three", "one\ntwo\nthree"},
      {"<ul><li>a<li>b</ul>c", "a\nb\nc"},
      {"<tr><td>1</td><td>2</td></tr>", "1\n2"},
      {"in<b>side</b> a <i>w<u>or</u>d</i>", "inside a word"},
      {"a<img src=x>b<custom-one>c</custom-one>d", "abcd"},
      {"a <p> b", "a\nb"},
      {"<title>T &lt; U</title><body>V", "T < U\nV"},
  });
}

TEST(ReadableText, LeavesOutWhatPeopleDoNotRead) {
  expect_all({
      {"a<script>if (1 < 2) x = '</p>';</script>b", "ab"},
      {"a<SCRIPT\n>x</sCrIpT foo>b", "ab"},
      {"a<script>x</scriptx></script >b", "ab"},
      {"a<script><!-- <script></script> --></script>b", "ab"},
      {"a<script><!--></script>b", "ab"},
      {"a<script>never ends", "a"},
      {"a<style>p { }</style>b<noscript><p>c</noscript>d", "abd"},
      {"a<template>x<template>y</template>z</template>b", "ab"},
      {"a<template> <p> </template>b</template>c", "abc"},
      {"<p title='no' alt=no>yes</p>", "yes"},
      {"a<!-- b -->c<!-->d<!--->e<!-- f --!>g<!-- -- > -->h<!-- never ends -- >", "acdegh"},
      {"<!DOCTYPE html><?xml a='>'?>x", "'?>x"},
      {"a<![CDATA[b]]>c", "ac"},
  });
}

TEST(ReadableText, ReadsTagsAsBrowsersDo) {
  expect_all({
      {"<a href='>'>x</a>", "x"},
      {"<a href=\"'>\">x", "x"},
      {"<a href=>x", "x"},
      {"<a href=a'b>x'>y", "x'>y"},
      {"<a 'b>x", "x"},
      {"<a ='>x", "x"},
      {"<a b = 'c>' / d>x", "x"},
      {"<a href='never ends>x", ""},
      {"text <", "text <"},
      {"text </", "text </"},
      {"text <a", "text"},
      {"1 < 2 and 3<4", "1 < 2 and 3<4"},
      {"a</>b</ c>d</1>e", "abde"},
      {"<textarea><p>a</textarea>b", "<p>a\nb"},
  });
}

TEST(ReadableText, DecodesReferences) {
  expect_all({
      {"&lt;p&gt; &amp;amp; &quot;&apos;", "<p> &amp; \"'"},
      {"&eacute;&Eacute;&hellip;&thetasym;", "éÉ…ϑ"},
      {"&eacute &copy2 &notit; &AMP; &apos x", "é ©2 ¬it; &AMP; &apos x"},
      {"&hellip x &nosuch; &; & &&amp;", "&hellip x &nosuch; &; & &&"},
      {"&#65;&#x42;&#X43;&#68 &#", "ABCD &#"},
      {"&#;&#x;&#xg;", "&#;&#x;&#xg;"},
      {"&#0;&#xD800;&#x110000;&#99999999999999999999;", "����"},
      {"&#150;&#x80;&#129;", "–€\xC2\x81"},
      {"a&#32;&#10;b&nbsp;c",
       "a b\xC2\xA0"
       "c"},
      {"&amp", "&"},
      {"&am", "&am"},
      {"caf&#233", "café"},
  });
  EXPECT_EQ(readable(std::string_view("a\0b<i>\0</i>", 11)), std::string_view("a\0b\0", 4));
  EXPECT_EQ(readable("\xFF<b>\xC3"), "\xFF\xC3");
}

// Each of these inputs takes minutes or hours in the two other HTML parsers that were tried.
TEST(ReadableText, TakesTimeInProportion) {
  constexpr std::size_t kTimes = 300'000;
  std::string attributes = "<a";
  for (std::size_t i = 0; i < kTimes; ++i) attributes += " a" + std::to_string(i);
  const std::string inputs[] = {
      attributes + ">x",
      repeated("<div>", kTimes) + "x",
      repeated("<b>", kTimes) + repeated("</i>", kTimes) + "x",
      repeated("<!--", kTimes),
      repeated("<!-- -", kTimes),
      repeated("--", kTimes),
      "<!--" + repeated("-", kTimes),
      repeated("<", kTimes),
      repeated("</", kTimes),
      repeated("<title>", kTimes),
      repeated("<script>", kTimes),
      "<script>" + repeated("</script", kTimes),
      "<script>" + repeated("<!--", kTimes),
      repeated("<script></script>", kTimes),
      repeated("<template>", kTimes),
      repeated("</template>", kTimes),
      repeated("<a b='", kTimes),
      repeated("&", kTimes),
      repeated("&#", kTimes),
      "&#" + repeated("9", kTimes),
      "&" + repeated("a", kTimes),
      repeated("&thetasyn", kTimes),
  };
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& input : inputs) EXPECT_LE(readable(input).size(), input.size());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(ReadableText, FeaturesAreThoseOfTheReadableText) {
  const FeatureExtractor plain(FeatureSpec::parse("text:word2"));
  const FeatureExtractor html(FeatureSpec::parse("text:word2+html"));
  FeatureBuffer of_text, of_page;
  plain.extract("One two\nthree & four", of_text);
  html.extract("<h1>One <i>t</i>wo</h1><p>three&nbsp;&amp; four<script>five", of_page);
  EXPECT_TRUE(std::ranges::equal(of_text.features(), of_page.features()));

  const TextTrace trace = html.trace("<p>One <b>two</b> &eacute;");
  EXPECT_EQ(trace.readable, "One two é");
  ASSERT_EQ(trace.shingles.size(), 2U);
  EXPECT_EQ(trace.readable.substr(trace.shingles[1].begin), "two é");
  EXPECT_EQ(trace.shingles[1].end, trace.readable.size());
  EXPECT_EQ(html.readable("<p>a</p>b"), "a\nb");
  EXPECT_EQ(plain.readable("<p>a"), "<p>a");
  EXPECT_EQ(plain.trace("<p>a b").readable, "");
}

// A text whose special characters are written as references is read as the same text, except that
// each run of blanks becomes one.
RC_GTEST_PROP(ReadableText, EscapedTextsComeBack, (const std::string& text)) {
  std::string html, wanted;
  for (const char c : text) {
    if (c == '<' || c == '&' || c == '>') {
      html += c == '<' ? "&lt;" : c == '&' ? "&amp;" : "&gt;";
    } else {
      html += c;
    }
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
    if (!blank) {
      wanted += c;
    } else if (!wanted.empty() && wanted.back() != ' ') {
      wanted += ' ';
    }
  }
  if (!wanted.empty() && wanted.back() == ' ') wanted.pop_back();
  RC_ASSERT(readable(html) == wanted);
}

}  // namespace
}  // namespace benzer::internal
