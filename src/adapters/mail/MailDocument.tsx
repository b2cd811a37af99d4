import { directionOf } from "../../domain/kernel/Language.ts"
import type { MailContent, MailPart } from "../../domain/kernel/MailContent.ts"

export const mailStyle = `:root{color-scheme:light dark}
body{margin:0 auto;max-width:36rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
blockquote{margin:1rem 0;padding-inline-start:1rem;border-inline-start:.25rem solid #0a5a4b}
th{padding-block:.25rem;padding-inline-end:1rem;text-align:start;vertical-align:top;font-weight:400}
td{padding:.25rem 0;text-align:start}`

const Part = ({ part }: { readonly part: MailPart }) => {
  if (typeof part === "string") return <p>{part}</p>
  if (part.kind === "link") {
    return (
      <p>
        <a href={part.url.href} rel="noreferrer">
          {part.label}
        </a>
      </p>
    )
  }
  if (part.kind === "facts") {
    return (
      <table>
        {part.rows.map(([name, value]) => (
          <tr>
            <th scope="row">
              <bdi>{name}</bdi>
            </th>
            <td>
              <bdi>{value}</bdi>
            </td>
          </tr>
        ))}
      </table>
    )
  }
  const [first, ...lines] = part.text.split("\n")
  return (
    <blockquote>
      {first}
      {lines.map((line) => [<br />, line])}
    </blockquote>
  )
}

/** A mail as a whole HTML document. Everything in it that somebody typed is escaped. */
export const mailHtml = ({ language, parts, subject }: MailContent): string => {
  const document = (
    <html lang={language} dir={directionOf(language)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{subject}</title>
        <style dangerouslySetInnerHTML={{ __html: mailStyle }} />
      </head>
      <body>
        {parts.map((part) => (
          <Part part={part} />
        ))}
      </body>
    </html>
  )
  return `<!doctype html>${String(document)}`
}
