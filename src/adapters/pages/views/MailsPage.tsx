import { directionOf } from "../../../domain/kernel/Language.ts"
import { type MailContent, plainText } from "../../../domain/kernel/MailContent.ts"
import type { Texts } from "../texts/English.ts"
import { Prose } from "./Components.tsx"
import { Document, render } from "./Document.tsx"

interface ShownMail {
  /** The name of its template in the source, which is the same in each language. */
  readonly name: string
  /** Where it is shown as HTML. */
  readonly path: string
  readonly content: MailContent
}

/** The mails of the service as text, with a link to each as HTML. For whoever works on the service. */
export const mailsPage = (texts: Texts, mails: ReadonlyArray<ShownMail>): string =>
  render(
    <Document texts={texts} title="_mails" from={null}>
      <h1>
        <code lang="en">_mails</code>
      </h1>
      {mails.map(({ content, name, path }) => (
        <section lang={content.language} dir={directionOf(content.language)}>
          <h2 lang="en" dir="ltr">
            <a href={path}>
              <code>{name}</code>
            </a>{" "}
            ({content.language})
          </h2>
          <p>
            <strong>{content.subject}</strong>
          </p>
          <Prose text={plainText(content)} />
        </section>
      ))}
    </Document>
  )
