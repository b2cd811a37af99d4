import {
  escapeHtml,
  htmlDocument,
  type MailText,
  momentText,
  onOneLine,
  paragraph,
  quoteText,
  withoutControls
} from "../kernel/MailText.ts"
import type { Introduction } from "./Introduction.ts"

/** The facts that the mail of an introduction shows. */
export interface IntroductionMail extends Pick<Introduction, "invitee_message" | "expires_at"> {
  readonly inviter_name: string
  readonly invite_url: string
}

/**
 * The mail that invites a partner organisation. service-spec, States and transitions: Introduction.
 * @example
 * const { subject } = IntroductionMail.introductionMail({
 *   inviter_name: "Sea\nRescue",
 *   invitee_message: null,
 *   invite_url: "https://sea.example.org/invite/x",
 *   expires_at: at
 * })
 * subject // => "Sea Rescue invites your organisation"
 */
export const introductionMail = ({
  expires_at,
  invite_url,
  invitee_message,
  inviter_name
}: IntroductionMail): MailText => {
  const inviter = onOneLine(inviter_name)
  const message = withoutControls(invitee_message ?? "").trim()
  const invites = `${inviter} invites your organisation to receive the gifts that it recommends.`
  const warning = "Whoever has this link can accept in your place. Do not forward it."
  const ends = `The invitation ends on ${momentText(expires_at)}.`
  return {
    subject: `${inviter} invites your organisation`,
    text: [
      invites,
      ...(message === "" ? [] : [`${inviter} writes:`, quoteText(message)]),
      "See the invitation:",
      invite_url,
      warning,
      ends,
      ""
    ].join("\n\n"),
    html: htmlDocument("Invitation", [
      paragraph(escapeHtml(invites)),
      message === ""
        ? ""
        : `${paragraph(`${escapeHtml(inviter)} writes:`)}<blockquote>${escapeHtml(message).replaceAll("\n", "<br>")}</blockquote>`,
      paragraph(`<a href="${escapeHtml(invite_url)}" rel="noreferrer">See the invitation</a>`),
      paragraph(escapeHtml(warning)),
      paragraph(escapeHtml(ends))
    ])
  }
}
