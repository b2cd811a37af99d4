import { DateTime } from "effect"

/** Subject and both forms of a mail's body. */
export interface MailText {
  readonly subject: string
  readonly text: string
  /** A whole document. Everything in it that somebody typed is escaped. */
  readonly html: string
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/**
 * Text as it stands in HTML.
 * @example MailText.escapeHtml("Tea & <cake>") // => "Tea &amp; &lt;cake&gt;"
 */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** Characters that turn the direction of what follows: a name with one could make a subject read as something else. */
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Makes a name fit for a header and for a sentence: one line, without control characters and without those that turn
 * the direction of the text.
 * @example MailText.onOneLine("Sea\r\nBcc: kim@example.org") // => "Sea Bcc: kim@example.org"
 */
export const onOneLine = (text: string): string =>
  text
    .replace(bidiControls, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()

/**
 * Typed text with one kind of line break and no other control characters.
 * @example MailText.withoutControls("one\r\ntwo\u0007") // => "one\ntwo "
 */
export const withoutControls = (text: string): string => text.replace(/\r\n?/g, "\n").replace(/(?!\n)\p{Cc}/gu, " ")

/**
 * Text as a quotation.
 * @example MailText.quoteText("one\ntwo") // => "> one\n> two"
 */
export const quoteText = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n")

/**
 * A paragraph of HTML.
 * @example MailText.paragraph(MailText.escapeHtml("A & B")) // => "<p>A &amp; B</p>"
 */
export const paragraph = (html: string): string => `<p>${html}</p>`

/**
 * A whole document of paragraphs.
 * @example MailText.htmlDocument("Thanks", [MailText.paragraph("Mary")]).startsWith("<!doctype html>") // => true
 */
export const htmlDocument = (title: string, paragraphs: ReadonlyArray<string>): string =>
  [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>`,
    ...paragraphs,
    "</body></html>"
  ].join("")

/**
 * An instant in the words of a mail.
 * @example MailText.momentText(DateTime.makeUnsafe("2026-04-02T09:30:00Z")) // => "2 April 2026 at 9:30 am UTC"
 */
export const momentText = (at: DateTime.Utc): string =>
  `${DateTime.formatUtc(at, { locale: "en-AU", dateStyle: "long", timeStyle: "short" })} UTC`
