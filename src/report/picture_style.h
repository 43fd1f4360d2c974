// Holds the styles that the page of a run on images has in addition to page_style.h: cards in a
// grid.
#pragma once

#include <string_view>

namespace benzer::report {

// The background of images is a grey without a hue, so that it does not tint what people judge.
// When the pointer is on a copy, the kept image is laid over it, at the same size and place: eyes
// find what changes between two images that take turns.
inline constexpr std::string_view kPictureStyle = R"css(
:root { --mat: #e6e6e6; --badge: #1b1b1bd9; }
@media (prefers-color-scheme: dark) { :root { --mat: #0b0b0b; --badge: #000000d9; } }
main, header, footer { max-width: 1360px; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(216px, 1fr)); gap: 14px;
  list-style: none; padding: 0; margin: 12px 0 4px; }
.grid.two { grid-template-columns: repeat(3, minmax(0, 1fr)); max-width: 1080px; }
.card { border: 1px solid var(--edge); border-radius: 8px; overflow: hidden; display: flex;
  flex-direction: column; background: var(--card); break-inside: avoid; }
.card.kept { border: 2px solid var(--kept); }
.frame { position: relative; aspect-ratio: 4 / 3; background: var(--mat); }
.frame img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; }
.frame[tabindex] { cursor: crosshair; }
.frame[tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: -2px; }
.frame[tabindex]:hover::after, .frame[tabindex]:focus::after { content: ""; position: absolute;
  inset: 0; background: var(--mat) var(--other) center / contain no-repeat; }
.frame[tabindex]:hover::before, .frame[tabindex]:focus::before { content: attr(data-other);
  position: absolute; z-index: 1; left: 8px; top: 8px; padding: 1px 8px; border-radius: 4px;
  background: var(--badge); color: #fff; font-size: .75rem; font-weight: 600; }
.facts { padding: 9px 12px 11px; font-size: .84rem; line-height: 1.45; overflow-wrap: anywhere;  flex: 1; }
.facts b { font-weight: 600; font-size: .92rem; }
.facts .row { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 8px; }
.facts .bits { font-variant-numeric: tabular-nums; font-weight: 600; }
.facts p { margin: 7px 0 0; }
.facts .note { color: var(--own-line); font-weight: 600; }
.difference { background: #000; }
.difference img { display: block; width: 100%; height: 124px; object-fit: contain; }
.frame.black { background: #000; }
summary .small { margin-left: 6px; }
.clusters { display: grid; gap: 0 14px; align-items: stretch;
  grid-template-columns: repeat(auto-fill, minmax(min(480px, 100%), 1fr)); }
.clusters > * { grid-column: 1 / -1; min-width: 0; }
.clusters > .two { grid-column: auto; }
.two .grid { grid-template-columns: repeat(2, minmax(0, 1fr)); }
@media (max-width: 640px) {
  .grid { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; }
  .grid.two { grid-template-columns: repeat(2, minmax(0, 1fr)); }  .inside { padding: 8px 8px 12px; } .facts { padding: 7px 8px 9px; font-size: .8rem; }
  .difference img { height: 92px; }
}
@media print { .grid { grid-template-columns: repeat(4, 1fr); } }
)css";

}  // namespace benzer::report
