import type { Effect } from "effect"
import { Context } from "effect"
import type { IdKind, IdOf } from "../../domain/kernel/Ids.ts"

/** Identifiers, secrets and their digests. */
export class Tokens extends Context.Service<
  Tokens,
  {
    /**
     * A new identifier of a kind. MUST sort after the ones that this process made in an earlier
     * millisecond, and MUST differ from every other one in more than the last digit: deliveries derive their ids from it.
     */
    id<K extends IdKind>(kind: K): Effect.Effect<IdOf<K>>
    /** MUST be `length` characters of 0-9, A-Z, a-z, each drawn evenly by a cryptographic generator. */
    base62(length: number): Effect.Effect<string>
    /** MUST be `count` words of a list of 7,776, each drawn evenly by a cryptographic generator. */
    words(count: number): Effect.Effect<ReadonlyArray<string>>
    /** SHA-256 of the text's UTF-8 bytes, hex. */
    digest(text: string): Effect.Effect<string>
    /** SHA-256 of the bytes, hex. */
    digestBytes(bytes: Uint8Array): Effect.Effect<string>
  }
>()("almoner/ports/Tokens") {}
