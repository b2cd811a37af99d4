/** The colours of one scheme. A test requires contrasts of 4.5 for text and of 3 for everything else. */
export interface Palette {
  readonly background: string
  readonly surface: string
  readonly text: string
  readonly muted: string
  readonly link: string
  readonly mark: string
  readonly focus: string
  readonly line: string
}

export const light: Palette = {
  background: "#ffffff",
  surface: "#f4f5f2",
  text: "#1c211f",
  muted: "#4d5652",
  link: "#0a5a4b",
  mark: "#7a3e00",
  focus: "#0a5a4b",
  line: "#d5d9d4"
}

export const dark: Palette = {
  background: "#131816",
  surface: "#1d2421",
  text: "#e6ebe8",
  muted: "#a9b4af",
  link: "#7fd1bd",
  mark: "#f0b878",
  focus: "#7fd1bd",
  line: "#36403c"
}

const variables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(";")

const layout = `
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--background);color:var(--text);font:1rem/1.6 system-ui,sans-serif}
a{color:var(--link);overflow-wrap:anywhere;text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:1rem;top:-6rem;background:var(--background);padding:.75rem 1rem;z-index:1}
.skip:focus{top:1rem}
.back{display:none;position:fixed;right:1rem;bottom:1rem;z-index:1;background:var(--background);border:1px solid var(--muted);border-radius:2rem;padding:.5rem 1rem;text-decoration:none}
.page{display:grid;grid-template:"nav header" auto "nav content" 1fr/18rem minmax(0,1fr);max-width:88rem;margin:0 auto}
nav{grid-area:nav;position:sticky;top:0;align-self:start;height:100vh;overflow-y:auto;padding:1.5rem 1rem 3rem;border-right:1px solid var(--line)}
nav details{margin:0 0 .5rem}
nav summary{font-size:.85rem;font-weight:600;letter-spacing:.06em;text-transform:uppercase;color:var(--muted);padding:.35rem .5rem;border-radius:.25rem}
nav summary:hover{background:var(--surface)}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:block;padding:.25rem .5rem;min-height:1.75rem;line-height:1.35;text-decoration:none;border-radius:.25rem;overflow-wrap:anywhere}
nav a[aria-current]{background:var(--surface);font-weight:600}
nav a:hover{background:var(--surface);text-decoration:underline}
.search{position:sticky;top:-1.5rem;background:var(--background);padding:0 .5rem .75rem}
.search label{display:block;font-size:.85rem;font-weight:600;color:var(--muted)}
.search input{width:100%;font:inherit;padding:.35rem .6rem;color:inherit;background:var(--surface);border:1px solid var(--muted);border-radius:.35rem}
.results span{display:block;font-size:.85rem;color:var(--muted)}
.results[data-empty]::after{content:attr(data-empty);display:block;padding:.25rem .5rem;color:var(--muted)}
.said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);margin:0}
header,main,footer{padding:0 2.5rem;max-width:62rem}
header{grid-area:header;padding-top:2.5rem}
.content{grid-area:content;min-width:0}
footer{padding-bottom:4rem;color:var(--muted)}`

const text = `
h1,h2,h3,h4{overflow-wrap:anywhere}
main h2::first-letter{text-transform:uppercase}
h1{font-size:2.25rem;line-height:1.15;margin:0 0 .5rem}
h2{font-size:1.6rem;line-height:1.25;margin:3.5rem 0 1rem;padding-top:1.5rem;border-top:1px solid var(--line)}
h3{font-size:1.2rem;margin:2.5rem 0 .5rem}
h4{font-size:1rem;margin:1.5rem 0 .5rem}
p,ul{margin:.5rem 0;max-width:46rem}
code{font:.9em/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
:not(pre)>code{background:var(--surface);padding:.1em .3em;border-radius:.2em}
a code{background:none;padding:0}
pre{background:var(--surface);border:1px solid var(--line);border-radius:.4rem;padding:1rem;margin:.5rem 0;line-height:1.45;white-space:pre-wrap;overflow-wrap:anywhere}
pre code{line-height:inherit}
.self{color:inherit;text-decoration:none}
.self:hover::after,.self:focus-visible::after{content:" #";color:var(--link)}
.framed{position:relative}
.framed pre{padding-right:6rem}
.copy{position:absolute;top:.5rem;right:.5rem;min-width:4.75rem;min-height:1.75rem;font:inherit;font-size:.85rem;color:var(--text);background:var(--background);border:1px solid var(--muted);border-radius:.35rem;cursor:pointer}
.required{color:var(--mark);font-weight:600}
.route{font-size:1.05rem;margin:.25rem 0}
.verb{font:600 .85rem/1.4 ui-monospace,monospace;color:var(--mark)}
.marks{color:var(--muted);margin:.25rem 0}
.marks strong,.deprecated{color:var(--mark);font-weight:600}
dl{margin:.5rem 0}
dl>div{padding:.5rem 0;border-top:1px solid var(--line)}
dt{font-weight:600}
dt .type{font-weight:400;color:var(--muted)}
dd{margin:0;max-width:46rem}
details{margin:.5rem 0}
summary{cursor:pointer;padding:.25rem 0;color:var(--link)}
@media (max-width:60rem){.page{display:block}.back{display:block}nav{position:static;height:auto;padding:1rem .75rem;border-right:0;border-top:1px solid var(--line);margin-top:1.5rem;border-bottom:1px solid var(--line)}header,main,footer{padding-left:1.25rem;padding-right:1.25rem}}
@media print{nav,.back,.copy{display:none}.page{display:block}}`

/** The colours of both schemes, as variables. */
export const colours = `:root{color-scheme:light dark;${variables(light)}}
@media (prefers-color-scheme:dark){:root{${variables(dark)}}}`

/** The page's one style sheet. */
export const style = `${colours}${layout}${text}`
