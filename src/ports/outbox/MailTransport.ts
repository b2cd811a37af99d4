import type { Effect } from "effect"
import { Context } from "effect"
import type { MailContent } from "../../domain/kernel/MailContent.ts"

/**
 * A mail as it is sent: what it says in parts, and the same as text. `mailHtml` of `almoner/mail` makes HTML of it.
 */
export interface MailMessage extends MailContent {
  /** The mail's own id: every attempt has the same, so that receivers can tell a repetition. */
  readonly id: string
  readonly to: string
  readonly text: string
}

/** How the sending of a mail ended. A reason is a code for logs: it names nobody and holds nothing of the mail. */
export type MailOutcome =
  | { readonly _tag: "Sent" }
  /** It may work later. */
  | { readonly _tag: "Failed"; readonly reason: string }
  /** It never will: the receiver's server does not take mail for this address. */
  | { readonly _tag: "Refused"; readonly reason: string }

/** Sends one mail, by whatever way. */
export class MailTransport extends Context.Service<
  MailTransport,
  {
    /** MUST answer whatever goes wrong, and never die. */
    send(message: MailMessage): Effect.Effect<MailOutcome>
  }
>()("almoner/ports/MailTransport") {}
