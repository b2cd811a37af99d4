import type { Effect } from "effect"
import { Context } from "effect"

/** A mail as it is sent. */
export interface Letter {
  /** The mail's own id: every attempt has the same, so that receivers can tell a repetition. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** What came of sending. A reason is a code for logs: it names nobody and holds nothing of the mail. */
export type MailOutcome =
  | { readonly _tag: "Sent" }
  /** It may work later. */
  | { readonly _tag: "Failed"; readonly reason: string }
  /** It never will: the receiver's server does not take mail for this address. */
  | { readonly _tag: "Refused"; readonly reason: string }

/** Sends mails. */
export class Mailer extends Context.Service<
  Mailer,
  {
    /** MUST answer whatever goes wrong, and never die. */
    send(letter: Letter): Effect.Effect<MailOutcome>
  }
>()("almoner/ports/Mailer") {}
