import { DateTime } from "effect"
import { inZone } from "./CalendarDate.ts"
import type { Language } from "./Language.ts"

/** A part of a mail's body: a paragraph as text alone, or what is more than that. Nothing of it is markup. */
export type MailPart =
  | string
  /** Words of somebody, on the lines that they wrote. */
  | { readonly kind: "quote"; readonly text: string }
  /** A way on, and where it leads. */
  | { readonly kind: "link"; readonly label: string; readonly url: URL }
  /** Facts by their names. */
  | { readonly kind: "facts"; readonly rows: ReadonlyArray<readonly [name: string, value: string]> }

/** What a mail says, from which text and HTML are made. */
export interface MailContent {
  readonly language: Language
  /** On one line. */
  readonly subject: string
  readonly parts: ReadonlyArray<MailPart>
}

/** Characters that turn the direction of what follows: a name with one could make a subject read as something else. */
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Makes a name fit for a header and for a sentence: one line, without control characters and without those that turn
 * the direction of the text.
 * @example MailContent.onOneLine("Sea\r\nBcc: kim@example.org") // => "Sea Bcc: kim@example.org"
 */
export const onOneLine = (text: string): string =>
  text
    .replace(bidiControls, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()

/**
 * Typed text with one kind of line break and no other control characters.
 * @example MailContent.withoutControls("one\r\ntwo\u0007") // => "one\ntwo "
 */
export const withoutControls = (text: string): string => text.replace(/\r\n?/g, "\n").replace(/(?!\n)\p{Cc}/gu, " ")

const partText = (part: MailPart): string => {
  if (typeof part === "string") return part
  if (part.kind === "quote") return `> ${part.text.replaceAll("\n", "\n> ")}`
  if (part.kind === "link") return `${part.label}:\n\n${part.url.href}`
  return part.rows.map(([name, value]) => `${name}: ${value}`).join("\n")
}

/**
 * The body of a mail as text, in which what somebody wrote is quoted line by line.
 * @example
 * MailContent.plainText({ parts: ["Mary writes:", { kind: "quote", text: "one\ntwo" }] })
 * // => "Mary writes:\n\n> one\n> two\n\n"
 */
export const plainText = ({ parts }: Pick<MailContent, "parts">): string => [...parts.map(partText), ""].join("\n\n")

const moment: Intl.DateTimeFormatOptions = {
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short"
}

/**
 * An instant in the words of a mail, or of a page in another language, by the clocks of a timezone, which it names.
 * @example
 * MailContent.momentText(DateTime.makeUnsafe("2026-04-02T09:30:00Z"), "Australia/Sydney") // => "2 April 2026 at 8:30 pm AEDT"
 */
export const momentText = (at: DateTime.Utc, timezone: string, locale = "en-AU"): string =>
  DateTime.format(inZone(at, timezone), { ...moment, locale })
