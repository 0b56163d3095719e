#include "tools/report_style.hpp"

namespace soma::tools {

std::string_view report_style() noexcept {
  return R"(
:root { color-scheme: light dark; --ground: #ffffff; --text: #1d252c; --soft: #5a6670; --rule: #d9dfe4;
  --card: #f4f6f8; --reserved: #c3d0dc; --used: #5b9bd0; --requested: #0f3f69;
  --k0: #4a8fc7; --k1: #3aa076; --k2: #d9a03a; --k3: #c4553f; --k4: #8d7fb8; }
@media (prefers-color-scheme: dark) { :root { --ground: #14191e; --text: #e3e8ec; --soft: #9aa7b1; --rule: #323c45;
  --card: #1d242b; --reserved: #3a4957; --used: #2f75ad; --requested: #b5dafa;
  --k0: #4690cd; --k1: #36a578; --k2: #d39a35; --k3: #d4634c; --k4: #9a8bcb; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 66rem; padding: 1.2rem 1.2rem 3rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem; border-top: 1px solid var(--rule); padding-top: 1rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .1rem; }
p { margin: .4rem 0; max-width: 46rem; }
a { color: inherit; }
nav ul, .legend { list-style: none; padding: 0; margin: .6rem 0; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem;
  font-size: .9rem; }
article + article { margin-top: 3.5rem; border-top: 3px solid var(--rule); padding-top: 1.5rem; }
.error { border-left: .3rem solid var(--k3); padding-left: .8rem; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .6rem; margin: 1rem 0; }
.cards div { background: var(--card); border: 1px solid var(--rule); border-radius: .4rem; padding: .5rem .7rem; }
dt { color: var(--soft); font-size: .82rem; }
dd { margin: 0; font-size: 1.15rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: .8rem 0 1.6rem; break-inside: avoid; }
.plot { display: grid; grid-template-columns: 4.9rem minmax(0, 1fr); font-size: .78rem; color: var(--soft);
  font-variant-numeric: tabular-nums; }
.values { position: relative; }
.values span { position: absolute; right: .5rem; transform: translateY(50%); white-space: nowrap; line-height: 1; }
.drawing { height: 16rem; border-left: 1px solid var(--rule); border-bottom: 1px solid var(--rule); }
#addresses .drawing, [id$="-addresses"] .drawing { height: 22rem; }
[id$="reuse"] .drawing { height: 7rem; }
[id$="fragmentation"] .drawing { height: 10rem; }
.moments { grid-column: 2; position: relative; height: 1.6rem; }
.moments span { position: absolute; top: .3rem; transform: translateX(-50%); white-space: nowrap; }
.moments span:first-child { transform: none; }
svg { display: block; width: 100%; height: 100%; overflow: hidden; }
.grid { stroke: var(--rule); fill: none; vector-effect: non-scaling-stroke; }
.line { fill: none; stroke-width: 1.5px; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.reserved { background: var(--reserved); } .area.reserved { fill: var(--reserved); }
.used { background: var(--used); } .area.used { fill: var(--used); }
.requested { background: var(--requested); } .line.requested { stroke: var(--requested); }
.k0 { background: var(--k0); fill: var(--k0); } .k1 { background: var(--k1); fill: var(--k1); }
.k2 { background: var(--k2); fill: var(--k2); } .k3 { background: var(--k3); fill: var(--k3); }
.k4 { background: var(--k4); fill: var(--k4); }
.small { opacity: .55; }
i { display: inline-block; width: .8em; height: .8em; border-radius: .15em; margin-right: .4em; }
i.requested { height: .2em; vertical-align: .25em; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; margin: .6rem 0; }
th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { font-weight: 600; } td { white-space: nowrap; }
th:first-child, .pressure td:first-child { text-align: left; padding-left: 0; }
tbody th { font-weight: 400; } .sizes th { white-space: nowrap; }
small { display: block; color: var(--soft); }
.sizes td { width: 38%; }
.bar { display: block; height: .35rem; background: var(--used); border-radius: .1rem; margin: .15rem 0 .1rem auto; }
.pressure { list-style: none; padding: 0; display: grid; gap: 0 2.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); }
.pressure li { break-inside: avoid; } .pressure p { color: var(--soft); font-size: .9rem; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 40rem) {
  body { padding: .9rem .8rem 2rem; }
  .plot { grid-template-columns: 3.9rem minmax(0, 1fr); font-size: .68rem; }
  .values span { right: .3rem; }
  .drawing { height: 12rem; }
  #addresses .drawing, [id$="-addresses"] .drawing { height: 16rem; }
  .cards { grid-template-columns: 1fr 1fr; }
  table { font-size: .78rem; } th, td { padding: .25rem .25rem; }
  .pressure th:nth-child(4), .pressure td:nth-child(4) { display: none; }
  .moments span:nth-child(even) { display: none; }
}
@media print {
  :root { color-scheme: light; --ground: #ffffff; --text: #000000; --soft: #444444; --rule: #cccccc; --card: #ffffff;
    --reserved: #c3d0dc; --used: #5b9bd0; --requested: #0f3f69;
    --k0: #4a8fc7; --k1: #3aa076; --k2: #d9a03a; --k3: #c4553f; --k4: #8d7fb8; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h1 { font-size: 14pt; } h2 { margin-top: 1.2rem; }
  h2, h3, p:has(+ figure) { break-after: avoid; } tr, section > p { break-inside: avoid; } nav { display: none; }
  .pressure { display: block; columns: 2; column-gap: 8mm; } .pressure table { font-size: 7.5pt; }
  .pressure li { padding-top: .1rem; } .pressure h3 { margin-top: .4rem; }
  th, td { padding: .12rem .3rem; } footer { display: none; }
  article + article { break-before: page; border: 0; margin: 0; }
  .drawing { height: 6.2cm; } #addresses .drawing, [id$="-addresses"] .drawing { height: 8.5cm; }
}
)";
}

}  // namespace soma::tools
