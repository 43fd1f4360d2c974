// Holds the style sheet of the page, for light and dark, wide and narrow, screen and paper. It
// loads no fonts and no images.
//
// <details class="unfolded"> are open on wide screens and on paper, and folded on narrow ones,
// since a page without scripts cannot open them itself. Browsers from before 2025 fold them
// everywhere.
#pragma once

#include <string_view>

namespace benzer::report {

inline constexpr std::string_view kPageStyle = R"css(
:root { color-scheme: light dark;
  --page: #ffffff; --card: #f6f7f9; --ink: #1b1f24; --quiet: #59616b; --edge: #d5dae1;
  --link: #1f5fa8; --shared: #dff0e2; --own: #ffe2b3; --own-line: #9a5200; --kept: #1d6b34;
  --removed: #a33a12; --bar: #2563a8;
  --plot-1: #2563a8; --plot-2: #c2570c; --plot-3: #4d7c0f;
  --plot-4: #8a3ea8; --plot-5: #0f8a83; --plot-6: #a8324a; --plot-ink: #1b1f24;
  --plot-quiet: #8a929c; --plot-grid: #e2e6eb; }
@media (prefers-color-scheme: dark) { :root {
  --page: #14171a; --card: #1d2126; --ink: #e4e7eb; --quiet: #a0a9b4; --edge: #39414a;
  --link: #82b7f2; --shared: #1c3a26; --own: #573a08; --own-line: #f2b65c; --kept: #7fd097;
  --removed: #f59b74; --bar: #5c9fe6;
  --plot-1: #5c9fe6; --plot-2: #f0944d; --plot-3: #9ccc5a;
  --plot-4: #c994e0; --plot-5: #55c9c0; --plot-6: #f0879c; --plot-ink: #e4e7eb;
  --plot-quiet: #7d8792; --plot-grid: #2c333a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, header, footer { max-width: 1080px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 32px; }
h1 { font-size: 1.05rem; font-weight: 600; color: var(--quiet); margin: 0 0 6px; }
h2 { font-size: 1.35rem; margin: 52px 0 10px; padding-top: 14px; border-top: 1px solid var(--edge); }
h3 { font-size: 1.05rem; margin: 30px 0 6px; }
p { max-width: 74ch; margin: 8px 0; }
a { color: var(--link); }
.headline { font-size: 1.65rem; line-height: 1.3; font-weight: 600; max-width: 46ch; margin: 0 0 20px;
  text-wrap: pretty; }
.quiet { color: var(--quiet); }
small, .small { font-size: .86rem; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { font-size: .92em; overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--edge); border-radius: 6px; padding: 10px 12px;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: 6px 0 12px; font-size: .86rem; }
dl.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 10px;
  margin: 0 0 18px; }
dl.numbers div { background: var(--card); border: 1px solid var(--edge); border-radius: 8px;
  padding: 10px 14px; display: flex; flex-direction: column; }
dl.numbers dt { color: var(--quiet); font-size: .84rem; order: 2; }
dl.numbers dd { margin: 0; font-size: 1.4rem; font-weight: 600; font-variant-numeric: tabular-nums; }
dl.numbers dd.note { font-size: .84rem; font-weight: 400; color: var(--quiet); order: 3; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; margin: 0;
  font-size: .92rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 8px 0 14px; font-size: .92rem; }
caption { text-align: left; color: var(--quiet); padding: 2px 0 6px; font-size: .88rem; }
th, td { text-align: left; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--edge);
  vertical-align: top; overflow-wrap: anywhere; }
thead th { font-size: .84rem; color: var(--quiet); font-weight: 600; overflow-wrap: normal; }
th[scope=row] { font-weight: 600; }
table.settings th { width: 11em; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { display: block; min-width: 90px; height: 12px; margin-top: 7px; border-radius: 2px;
  background: var(--card); border: 1px solid var(--edge); }
.bar span { display: block; height: 100%; background: var(--bar); }
td.bars { width: 26%; min-width: 100px; }
figure { margin: 14px 0; }
figure svg { width: 100%; max-width: 680px; height: auto; display: block; }
.scroll svg { width: auto; max-width: none; }
figcaption { color: var(--quiet); font-size: .88rem; max-width: 74ch; }
details { border: 1px solid var(--edge); border-radius: 8px; margin: 8px 0; background: var(--page); }
summary { cursor: pointer; padding: 9px 14px; overflow-wrap: anywhere; border-radius: 8px;
  background: var(--card); }
summary:focus-visible, a:focus-visible, [role=region]:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
details[open] > summary { border-radius: 8px 8px 0 0; border-bottom: 1px solid var(--edge); }
.inside { padding: 8px 14px 14px; }
.more { border: 0; }
@media (min-width: 641px), print {
  .unfolded::details-content { content-visibility: visible; }
  .unfolded > summary { border-radius: 8px 8px 0 0; border-bottom: 1px solid var(--edge);
    cursor: default; list-style: none; }
  .more.unfolded > summary { display: none; }
}
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 12px;
  margin: 6px 0 16px; }
.pair.one { grid-template-columns: minmax(0, 1fr); }
.side { border: 1px solid var(--edge); border-radius: 6px; overflow: hidden; }
.side h4 { margin: 0; padding: 7px 10px; font-size: .86rem; font-weight: 400; overflow-wrap: anywhere;
  border-bottom: 1px solid var(--edge); background: var(--card); line-height: 1.4; }
.side h4 b { font-weight: 600; }
bdi { white-space: pre-wrap; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; padding: 8px 10px; font-size: .86rem;
  line-height: 1.5; max-height: 32em; overflow-y: auto; unicode-bidi: isolate; }
.part { color: var(--quiet); font-size: .8rem; padding: 5px 10px; border-bottom: 1px dashed var(--edge); }
.s { background: var(--shared); }
mark { background: var(--own); color: inherit; text-decoration: underline 2px var(--own-line);
  text-underline-offset: 2px; text-decoration-skip-ink: none; }
.key { display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 0; margin: 8px 0 12px; list-style: none;
  font-size: .9rem; }
.tag { font-weight: 600; font-size: .78rem; letter-spacing: .02em; text-transform: uppercase; }
.tag.kept { color: var(--kept); } .tag.removed { color: var(--removed); }
ul.plain { padding-left: 1.2em; max-width: 74ch; } ul.plain li { margin: 5px 0; }
footer { margin: 56px auto 40px; color: var(--quiet); font-size: .86rem; }
@media (max-width: 640px) {
  main, header, footer { padding: 0 14px; } header { padding-top: 20px; }
  .headline { font-size: 1.3rem; } h2 { margin-top: 38px; }
  dl.numbers { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  dl.numbers dd { font-size: 1.2rem; }
  .pair { grid-template-columns: minmax(0, 1fr); gap: 8px; } .text { max-height: 18em; }
  table.settings, table.settings caption, table.settings tbody, table.settings tr, table.settings th, table.settings td {
    display: block; width: auto; border: 0; padding: 0; }
  table.settings tr { border-bottom: 1px solid var(--edge); padding: 6px 0; }
  td.bars { display: none; } thead th.bars { display: none; }
}
@media print {
  :root { --page: #fff; --card: #fff; --ink: #000; --quiet: #333; --edge: #999; --link: #000;
    --shared: #e6f2e8; --own: #ffe2b3; --own-line: #000; --plot-ink: #000; --plot-grid: #ddd;
    --plot-1: #2563a8; --plot-2: #c2570c; --kept: #000; --removed: #000; --bar: #2563a8; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 10.5pt; } nav { display: none; }
  main, header, footer { max-width: none; padding: 0 1px; }
  .text { max-height: none; overflow: visible; font-size: 7.5pt; }
  h2, h3, summary, .side h4 { break-after: avoid; } figure, tr, dl.numbers div { break-inside: avoid; }
}
)css";

}  // namespace benzer::report
