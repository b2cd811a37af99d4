/** Markup that is safe to put into a page. */
export interface Html {
  readonly html: string
}

/** The values of a template: text, which is escaped, and markup, which is not. */
export type Fragment = string | number | Html | ReadonlyArray<Html>

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "")

const rendered = (fragment: Fragment): string => {
  if (typeof fragment === "string" || typeof fragment === "number") return escape(String(fragment))
  return "html" in fragment ? fragment.html : fragment.map(({ html }) => html).join("")
}

/** A template whose values are escaped unless they are markup. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Fragment>): Html => ({
  html: strings.reduce((text, string, index) => {
    const value = values[index - 1]
    return text + (value === undefined ? "" : rendered(value)) + string
  })
})

/** Empty markup. */
export const nothing: Html = { html: "" }

/** Text as markup. Code is marked by backticks, or recognised by the spelling of a field's name or an enum value. */
export const prose = (text: string): Html => ({
  html: escape(text).replaceAll(
    /`([^`]+)`|\b([a-z]+(?:_[a-z0-9]+)+\b|[a-z]+_(?!\w)|[A-Z]+(?:_[A-Z0-9]+)+\b)/g,
    (_, marked, spelled) => `<code>${marked ?? spelled}</code>`
  )
})

/** A block of code that wraps instead of scrolling sideways. */
export const code = (text: string): Html => html`<pre><code>${text}</code></pre>`

/** A value as indented JSON. */
export const jsonCode = (value: unknown): Html => code(JSON.stringify(value, null, 2))

/** A section labelled by its heading, which links to the section. */
export const section = (id: string, level: 2 | 3 | 4, title: Fragment, ...content: ReadonlyArray<Html>): Html => {
  const tag: Html = { html: `h${level}` }
  return html`<section aria-labelledby="${id}"><${tag} id="${id}"><a class="self" href="#${id}">${title}</a></${tag}>${content}</section>`
}

/** Paragraphs. */
export const paragraphs = (...texts: ReadonlyArray<string>): Html =>
  html`${texts.map((text) => html`<p>${prose(text)}</p>`)}`

/** A list of texts. */
export const bullets = (...texts: ReadonlyArray<string>): Html =>
  html`<ul>${texts.map((text) => html`<li>${prose(text)}</li>`)}</ul>`
