import type { DateTime, Effect, Option } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { Mail } from "../../../domain/kernel/Mail.ts"
import type { MailContent } from "../../../domain/kernel/MailContent.ts"

/** What a mail says, and to whom. */
export interface Message extends MailContent {
  readonly to: string
}

/** Makes what a mail says from the record that it is about, as that is now; none when there is nothing left to say. */
export type Compose = (
  mail: Mail,
  organisation: Organisation,
  now: DateTime.Utc
) => Effect.Effect<Option.Option<Message>>
