import type { DateTime, Effect } from "effect"
import { Context } from "effect"
import type { KeyUsage, SealedKind } from "../../domain/access/KeyUsage.ts"

/** A secret at rest. */
export interface SealedSecret {
  readonly kind: SealedKind
  readonly organisation_id: string
  /** The record's id in its organisation; the secret is sealed for it. */
  readonly id: string
  readonly sealed: string
}

/** The sealed secrets in the stores of all organisations. */
export class SealedStore extends Context.Service<
  SealedStore,
  {
    /** The number of things in use that each key made. MUST leave out what was deleted, and what ended before `now`. */
    usage(now: DateTime.Utc): Effect.Effect<ReadonlyArray<KeyUsage>>
    /**
     * Some secrets of endpoints and credentials of integrations for each key that sealed any, the latest ones, at most `limit`
     * of a key.
     */
    samples(limit: number): Effect.Effect<ReadonlyArray<SealedSecret>>
    /**
     * Secrets in use that one of the keys sealed, at most `limit`, those after `after` in an order of the store's own. MUST
     * come to each of them, from null on, whatever of those before is replaced meanwhile.
     */
    sealedWith(
      key_ids: ReadonlyArray<string>,
      now: DateTime.Utc,
      after: SealedSecret | null,
      limit: number
    ): Effect.Effect<ReadonlyArray<SealedSecret>>
    /** Keeps `sealed` instead, and answers whether it did. MUST change nothing where the secret is another by now. */
    replace(secret: SealedSecret, sealed: string): Effect.Effect<boolean>
  }
>()("almoner/ports/SealedStore") {}
