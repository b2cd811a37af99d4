import type { Organisation } from "../access/Organisation.ts"
import { type MailContent, momentText, onOneLine, withoutControls } from "../kernel/MailContent.ts"
import type { Introduction } from "./Introduction.ts"

/** The facts that the mail of an introduction shows. */
export interface IntroductionMail extends Pick<Introduction, "invitee_message" | "expires_at"> {
  readonly inviter: Pick<Organisation, "name" | "timezone">
  readonly invite_url: string
}

/**
 * The mail that invites a partner organisation. Throws a `TypeError` for an `invite_url` that is none. service-spec, States and transitions: Introduction.
 * @example
 * const { subject } = IntroductionMail.introductionMail({
 *   inviter: { name: "Sea\nRescue", timezone: "Australia/Sydney" },
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
  inviter
}: IntroductionMail): MailContent => {
  const name = onOneLine(inviter.name)
  const message = withoutControls(invitee_message ?? "").trim()
  return {
    language: "en-AU",
    subject: `${name} invites your organisation`,
    parts: [
      `${name} invites your organisation to receive the gifts that it recommends.`,
      ...(message === "" ? [] : [`${name} writes:`, { kind: "quote", text: message } as const]),
      { kind: "link", label: "See the invitation", url: new URL(invite_url) },
      "Whoever has this link can accept in your place. Do not forward it.",
      `The invitation ends on ${momentText(expires_at, inviter.timezone)}.`
    ]
  }
}
