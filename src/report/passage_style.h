// Holds what the page of passages adds to the style sheet: a colour for each document that passages
// come from, again from the first after the sixth.
#pragma once

#include <cstddef>
#include <string_view>

namespace benzer::report {

inline constexpr std::size_t kOriginColours = 6;

inline constexpr std::string_view kPassageStyle = R"css(
:root { --tint-1: #e3edfa; --tint-2: #fdebda; --tint-3: #eaf3da; --tint-4: #f4e7f8; --tint-5: #dbf2f0;
  --tint-6: #fbe3e8; }
@media (prefers-color-scheme: dark) { :root { --tint-1: #19304a; --tint-2: #43290f; --tint-3: #2a3814;
  --tint-4: #3a2344; --tint-5: #123a37; --tint-6: #46202a; } }
.c1 { --tint: var(--tint-1); --line: var(--plot-1); } .c2 { --tint: var(--tint-2); --line: var(--plot-2); }
.c3 { --tint: var(--tint-3); --line: var(--plot-3); } .c4 { --tint: var(--tint-4); --line: var(--plot-4); }
.c5 { --tint: var(--tint-5); --line: var(--plot-5); } .c6 { --tint: var(--tint-6); --line: var(--plot-6); }
.origins { display: flex; flex-wrap: wrap; gap: 4px 8px; margin: 6px 0 0; padding: 0; list-style: none;
  font-size: .88rem; }
.origin { background: var(--tint); border-left: 4px solid var(--line); border-radius: 3px; padding: 0 7px;
  font-weight: 600; overflow-wrap: anywhere; }
.chip { display: inline-block; min-width: 1.7em; padding: 0 .4em; border-radius: 3px; background: var(--line);
  color: var(--page); font-size: .8rem; font-weight: 600; text-align: center; text-decoration: none; }
.map { position: relative; height: 16px; margin: 10px 0 4px; border: 1px solid var(--edge); border-radius: 3px;
  background: var(--card); overflow: hidden; }
.map span { position: absolute; top: 0; bottom: 0; background: var(--line); border-left: 1px solid var(--page); }
.flow { margin: 14px 0 4px; font-size: .9rem; line-height: 1.5; }
.around { color: var(--quiet); padding: 4px 14px; white-space: pre-wrap; overflow-wrap: anywhere;
  unicode-bidi: isolate; }
.passage { background: var(--tint); border-left: 5px solid var(--line); border-radius: 0 6px 6px 0; margin: 8px 0;
  padding: 7px 14px 9px; }
.passage .from { max-width: none; margin: 0 0 4px; font-size: .92rem; overflow-wrap: anywhere; }
.from b { font-size: 1.05rem; }
.words { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.passage details { background: var(--page); margin: 8px 0 0; font-size: .88rem; }
.passage summary { padding: 4px 10px; }
.first { padding: 8px 10px; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.first .s { background: var(--tint); }
.left-out { color: var(--quiet); font-style: italic; white-space: normal; }
.frequent .passage { --tint: var(--card); --line: var(--bar); }
@media (max-width: 640px) { .around { padding: 4px 8px; } .passage { padding: 6px 9px 8px; } th.place, td.place {
  display: none; } }
@media print { :root { --tint-1: #e3edfa; --tint-2: #fdebda; --tint-3: #eaf3da; --tint-4: #f4e7f8;
  --tint-5: #dbf2f0; --tint-6: #fbe3e8; --plot-3: #4d7c0f; --plot-4: #8a3ea8; --plot-5: #0f8a83; --plot-6: #a8324a; }
  .from { break-after: avoid; } .passage details:not([open]) { display: none; } }
)css";

}  // namespace benzer::report
