import { createHash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import type { IdempotencyScope } from "../../../domain/access/Idempotency.ts"
import { SchemaName } from "../connection/SchemaName.ts"

export interface ScopeName {
  /** SHA-256 over all parts of the scope, base64url. */
  readonly text: string
  /** The first 64 bits of the name in its schema, a decimal number. */
  readonly lock: string
}

/** Two scopes have the same name only when all their parts are equal; the same one has a lock in each schema. */
const makeName = (scope: IdempotencyScope, schema: string | undefined): ScopeName => {
  const { api_key_id, generation, key, method, organisation_id, path } = scope
  const parts = JSON.stringify([organisation_id, api_key_id, generation, method, path, key])
  const digest = createHash("sha256").update(parts).digest()
  const lock = schema === undefined ? digest : createHash("sha256").update(digest).update(schema).digest()
  return { text: digest.toString("base64url"), lock: `${lock.readBigInt64BE(0)}` }
}

/**
 * The idempotency keys that requests of this process hold. It answers before the database is asked, and is all there is for
 * the embedded one, whose single session obtains every lock.
 */
export class KeysInFlight extends Context.Service<
  KeysInFlight,
  {
    /** Names a scope, whose name is remembered for as long as its request has it. */
    readonly nameOf: (scope: IdempotencyScope) => ScopeName
    /** Takes a key and answers how to release it, which counts once; undefined when it is held. */
    readonly take: (name: ScopeName) => (() => void) | undefined
  }
>()("almoner/adapters/postgres/KeysInFlight") {}

const makeKeys = (schema: string | undefined): KeysInFlight["Service"] => {
  const names = new WeakMap<IdempotencyScope, ScopeName>()
  const held = new Map<string, symbol>()
  return {
    nameOf: (scope) => {
      const known = names.get(scope)
      if (known !== undefined) return known
      const name = makeName(scope, schema)
      names.set(scope, name)
      return name
    },
    take: ({ text }) => {
      if (held.has(text)) return undefined
      const holder = Symbol()
      held.set(text, holder)
      return () => {
        if (held.get(text) === holder) held.delete(text)
      }
    }
  }
}

/** One set for all that is built with it. */
export const layer: Layer.Layer<KeysInFlight> = Layer.effect(KeysInFlight, Effect.map(SchemaName, makeKeys))
