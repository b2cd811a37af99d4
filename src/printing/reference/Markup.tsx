import type { Child } from "hono/jsx"

const codePattern = /(`[^`]+`|\b(?:[a-z]+(?:_[a-z0-9]+)+\b|[a-z]+_(?!\w)|[A-Z]+(?:_[A-Z0-9]+)+\b))/

/** A text. Code is marked by backticks, or recognised by the spelling of a field's name or an enum value. */
export const prose = (text: string): Child =>
  text.split(codePattern).map((part, index) => (index % 2 === 0 ? part : <code>{part.replaceAll("`", "")}</code>))

/** A block of code that wraps instead of scrolling sideways. */
export const code = (text: string): Child => (
  <pre>
    <code>{text}</code>
  </pre>
)

export const jsonCode = (value: unknown): Child => code(JSON.stringify(value, null, 2))

/** A section labelled by its heading, which links to the section. */
export const section = (id: string, level: 2 | 3 | 4, title: Child, ...content: Array<Child>): Child => {
  const Heading = `h${level}` as const
  return (
    <section aria-labelledby={id}>
      <Heading id={id}>
        <a class="self" href={`#${id}`}>
          {title}
        </a>
      </Heading>
      {content}
    </section>
  )
}

export const paragraphs = (...texts: ReadonlyArray<string>): Child => texts.map((text) => <p>{prose(text)}</p>)

export const bullets = (...texts: ReadonlyArray<string>): Child => (
  <ul>
    {texts.map((text) => (
      <li>{prose(text)}</li>
    ))}
  </ul>
)
