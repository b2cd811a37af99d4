import type { Effect } from "effect"
import { Context, Schema } from "effect"

/** A sealed text cannot be opened: its key left the ring, or the text was changed. */
export class SealBroken extends Schema.TaggedError<SealBroken>()("SealBroken", {
  /** The id of the key that sealed it. */
  key_id: Schema.String
}) {
  override get message(): string {
    return `A secret that the key ${this.key_id} sealed cannot be opened: its key left the ring, or the text was changed.`
  }
}

/** Seals secrets at rest with the encryption keys. decisions, section 4: Server keys. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /** Seals with the newest key of the ring. `context` is the id of the record that keeps it. */
    seal(secret: string, context: string): Effect.Effect<string>
    /** MUST fail when the sealed text was made for another `context`, was changed, or its key is not in the ring. */
    open(sealed: string, context: string): Effect.Effect<string, SealBroken>
  }
>()("almoner/ports/SecretBox") {}
