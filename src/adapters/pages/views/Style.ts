import { grounds, shadesOf } from "../../../domain/giving/Accent.ts"

/** The style sheet of an organisation's accent, after that of all pages. */
export const accentStyle = (accent: string): string => {
  const { dark, light } = shadesOf(accent)
  const shade = (color: string) => `:root{--act:${color};--focus:${color}}`
  return `${shade(light)}@media(prefers-color-scheme:dark){${shade(dark)}}`
}

/** The one style sheet of all pages. It is part of each page, which so needs no second request. */
export const style = `:root{color-scheme:light dark;--bg:${grounds.light.page};--box:${grounds.light.box};--text:#1c211f;--dim:#4d5652;--line:#6b746f;--act:#0a5a4b;--on:${grounds.light.on};--bad:#a3120a;--focus:#0a5a4b}
@media(prefers-color-scheme:dark){:root{--bg:${grounds.dark.page};--box:${grounds.dark.box};--text:#e6ebe8;--dim:#a9b4af;--line:#8b958f;--act:#7fd1bd;--on:${grounds.dark.on};--bad:#ff9d94;--focus:#7fd1bd}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--bg);color:var(--text);font:1.125rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main,.from,footer{max-width:38rem;margin:0 auto;padding:1rem}
.from{padding-block:1rem 0;color:var(--dim);font-weight:600}
.logo{display:block;height:3rem;max-width:100%;object-fit:contain;margin-block-end:.5rem;padding:.25rem;background:#fff;border-radius:.25rem}
.skip{position:absolute;inset-inline-start:-100vw}
.skip:focus{position:static;display:block;padding:.75rem 1rem}
h1{font-size:1.75rem;line-height:1.2;margin:.5rem 0 1rem}
h3{font-size:1.125rem;margin:0 0 .75rem}
h2,legend{font-size:1.25rem;font-weight:600;line-height:1.3;margin:1.5rem 0 .5rem;padding:0}
legend,.box>h2{margin-top:0}
p{margin:0 0 1rem}
a{color:var(--act);text-underline-offset:.15em}
p>a:only-child:not(.button),.bad a{display:block;width:fit-content;padding-block:.5rem;min-height:2.75rem}
fieldset{border:0;margin:0 0 1.5rem;padding:0;min-inline-size:0}
.field{margin:0 0 1.25rem}
label{display:block;font-weight:600;margin:0 0 .25rem}
.hint,.fine{color:var(--dim);margin-block:0 .25rem;font-size:1rem}
.fault{color:var(--bad);font-weight:600;margin:0 0 .25rem}
input:not([type=radio],[type=checkbox]),select{font:inherit;color:inherit;background:var(--bg);border:2px solid var(--line);border-radius:.25rem;padding:.5rem;min-height:2.75rem;width:100%}
input[aria-invalid]{border-color:var(--bad)}
.short{max-width:14rem}
.choices{display:flex;flex-wrap:wrap;gap:.5rem}
.choices+.field{margin:1rem 0 0}
.choice{display:flex;align-items:center;gap:.5rem;min-height:2.75rem;padding:.5rem .75rem;border:2px solid var(--line);border-radius:.25rem;font-weight:400;margin:0}
.choice:has(:checked){border-color:var(--act);box-shadow:inset 0 0 0 1px var(--act)}
.choice input{width:1.5rem;height:1.5rem;margin:0;flex:none;accent-color:var(--act)}
.tick{border:0;padding-inline:0;align-items:start}
.tick+p{margin-top:1rem}
button,.button{display:inline-block;font:inherit;font-weight:600;background:var(--act);color:var(--on);border:2px solid var(--act);border-radius:.25rem;padding:.625rem 1.25rem;min-height:2.75rem;cursor:pointer;text-decoration:none}
p:has(button+button){display:flex;flex-wrap:wrap;gap:.75rem}
.second{background:transparent;color:var(--act)}
:focus-visible{outline:3px solid var(--focus);outline-offset:3px}
.box{background:var(--box);border-inline-start:.375rem solid var(--act);padding:1rem;margin:0 0 1.5rem}
.box>:last-child{margin-bottom:0}
.bad{border-color:var(--bad)}
.bad ul{margin:0;padding-inline-start:1.25rem}
.bad a{color:var(--bad)}
dl{margin:0 0 1.5rem;border-top:1px solid var(--line)}
dl>div{display:flex;flex-wrap:wrap;gap:0 1rem;justify-content:space-between;padding:.5rem 0;border-bottom:1px solid var(--line)}
dt{color:var(--dim)}
dd{margin:0;font-weight:600}
.way{border-top:1px solid var(--line);padding:1.25rem 0 .25rem}
@media(scripting){[data-stripe]:has(#stripe){min-height:34rem}#stripe-wallets{min-height:8rem}body:has(#stripe:not([data-ready]))>footer{visibility:hidden}[data-stripe]:has(#stripe:not([data-ready]))+.way{animation:late 4s step-end}}
@keyframes late{from{visibility:hidden}}
.off{display:none}
@media(scripting:none){.off{display:block}.on{display:none}}
@media(forced-colors:active){.choice:has(:checked){outline:3px solid Highlight}}
@media print{.skip,form{display:none}}`
