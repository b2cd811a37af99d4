import type { Effect, Option } from "effect"
import { Context } from "effect"

/** The purpose of a MAC. One that was made for one purpose is worth nothing for another. */
export type MacPurpose =
  | "card_pass"
  | "checkout_page"
  | "checkout_progress"
  | "email_code"
  | "invitation"
  | "mail_address"
  | "passphrase"
  | "personalised_link"
  | "request_body"
  | "test_notice"

/** Message authentication codes with the keys of the ring. decisions, section 4: Server keys. */
export class Macs extends Context.Service<
  Macs,
  {
    /** The keys of the ring by their ids, newest first; there is always one. */
    readonly keyIds: readonly [newest: string, ...older: ReadonlyArray<string>]
    /**
     * The MAC of the text under a key, base64url, at least 128 bits; none when the ring has no such key. MUST be the same
     * each time, and MUST depend on key, purpose and text alone.
     */
    make(key_id: string, purpose: MacPurpose, text: string): Effect.Effect<Option.Option<string>>
    /** Whether the MAC is the text's. MUST take the same time wherever the two differ; false when the ring has no such key. */
    verify(key_id: string, purpose: MacPurpose, text: string, mac: string): Effect.Effect<boolean>
  }
>()("almoner/ports/Macs") {}
