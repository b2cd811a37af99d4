import { DateTime } from "effect"
import type { Introduction } from "./Introduction.ts"

/** Subject and both forms of a mail's body. */
export interface MailText {
  readonly subject: string
  readonly text: string
  /** A whole document. Everything in it that somebody typed is escaped. */
  readonly html: string
}

/** What the mail of an introduction says. */
export interface IntroductionMail extends Pick<Introduction, "invitee_message" | "expires_at"> {
  readonly inviter_name: string
  readonly invite_url: string
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** Names come into headers, and into sentences. */
const onOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim()

const withoutControls = (text: string): string => text.replace(/\r\n?/g, "\n").replace(/(?!\n)\p{Cc}/gu, " ")

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n")

const paragraph = (html: string): string => `<p>${html}</p>`

/** The mail that invites a partner organisation. service-spec, States: Introduction. */
export const introductionMail = ({
  expires_at,
  invite_url,
  invitee_message,
  inviter_name
}: IntroductionMail): MailText => {
  const inviter = onOneLine(inviter_name)
  const until = `${DateTime.formatUtc(expires_at, { locale: "en-AU", dateStyle: "long", timeStyle: "short" })} UTC`
  const message = withoutControls(invitee_message ?? "").trim()
  const invites = `${inviter} invites your organisation to receive the gifts that it recommends.`
  const warning = "Whoever has this link can accept in your place. Do not forward it."
  const ends = `The invitation ends on ${until}.`
  return {
    subject: `${inviter} invites your organisation`,
    text: [
      invites,
      ...(message === "" ? [] : [`${inviter} writes:`, quoted(message)]),
      "See the invitation:",
      invite_url,
      warning,
      ends,
      ""
    ].join("\n\n"),
    html: [
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Invitation</title></head><body>',
      paragraph(escaped(invites)),
      message === ""
        ? ""
        : `${paragraph(`${escaped(inviter)} writes:`)}<blockquote>${escaped(message).replaceAll("\n", "<br>")}</blockquote>`,
      paragraph(`<a href="${escaped(invite_url)}" rel="noreferrer">See the invitation</a>`),
      paragraph(escaped(warning)),
      paragraph(escaped(ends)),
      "</body></html>"
    ].join("")
  }
}
