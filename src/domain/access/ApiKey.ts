import { Schema, Struct } from "effect"
import { ApiKeyId, OrganisationId } from "../kernel/Ids.ts"
import { type Births, define, type MachineType } from "../kernel/Machine.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** The scopes of a key: READ reads, WRITE reads and writes. service-spec, Authentication. */
export const Scope = Schema.Literals(["READ", "WRITE"]).annotate({ identifier: "ApiKeyScope" })
export type Scope = typeof Scope.Type

/**
 * An API key. Only the SHA-256 of its secret is stored. Rotating keeps the id, so that the audit trail goes on, and
 * raises the generation, so that idempotency starts anew. decisions, section 1: API keys.
 */
export class ApiKey extends Schema.Opaque<ApiKey>()(
  Schema.Struct({
    id: ApiKeyId,
    organisation_id: OrganisationId,
    name: Schema.String,
    scope: Scope,
    generation: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
    /** SHA-256 of the key, hex. */
    secret_hash: Schema.String,
    last4: Schema.String,
    created_at: Instant,
    rotated_at: Schema.NullOr(Instant),
    revoked_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredApiKey" })
) {}

/** A key as it is shown: everything but its hash. */
export const ApiKeyRecord = ApiKey.mapFields(Struct.omit(["secret_hash"])).annotate({ identifier: "ApiKey" })

/** A key with its secret, which is shown when it is made and when it is rotated. */
export const DisclosedApiKey = ApiKeyRecord.mapFields((fields) => ({ ...fields, secret: Schema.String })).annotate({
  identifier: "DisclosedApiKey"
})

/** The commands of the machine of an API key. */
export const Command = Schema.TaggedUnion({
  Revoke: { at: Instant }
})
export type Command = typeof Command.Type

/** The states of an API key. */
export type Status = "ACTIVE" | "REVOKED"

/** Keys that are accepted: all that are not revoked. decisions, section 5: API key. */
export const active = Rule.rulesOf<ApiKey>().lacks("revoked_at")

/** How keys come to be. */
export const births = {
  made: { by: "key create", to: "ACTIVE", emits: [], rule: "decisions, section 5: API key" }
} as const satisfies Births<Status, never>

const defined = define({
  name: "API key",
  state: ApiKey,
  command: Command,
  wording: Refusals.apiKey,
  statuses: ["ACTIVE", "REVOKED"],
  rule: "decisions, section 5: API key",
  births,
  table: {
    Revoke: {
      from: ["ACTIVE"],
      to: "REVOKED",
      patch: (_, { at }) => ({ revoked_at: at })
    }
  },
  statusOf: (key) => (Rule.holds(active, key) ? "ACTIVE" : "REVOKED"),
  milestones: { revoked_at: ["REVOKED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 5: API key. */
export const machine: machine = defined

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Digits of a key's random part: 33 of base62 are 196 bits. decisions, section 1: API keys. */
export const secretDigits = 33

/** The CRC-32 of an ASCII text: of a key's few characters, for which a table would not pay. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

const checkDigits = (text: string): string => {
  let rest = crc32(text)
  let digits = ""
  for (let i = 0; i < 6; i++) {
    digits = base62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/**
 * The text of a key: prefix, random part and check digits.
 * @example
 * const text = ApiKey.assemble(true, "0123456789abcdefghijklmnopqrstuvw")
 * text.startsWith("alm_test_0123456789abcdefghijklmnopqrstuvw") // => true
 */
export const assemble = (is_sandbox: boolean, random: string): string => {
  const text = `alm_${is_sandbox ? "test" : "live"}_${random}`
  return text + checkDigits(text)
}

const shape = /^alm_(?:live|test)_[0-9A-Za-z]{39,}$/

/**
 * Whether a text has the form of a key and matching check digits: a mistyped key is refused without a look-up.
 * @example
 * const text = ApiKey.assemble(false, "0123456789abcdefghijklmnopqrstuvw")
 * ApiKey.isWellFormed(text) // => true
 * ApiKey.isWellFormed(text.replace("0123", "0132")) // => false
 */
export const isWellFormed = (text: string): boolean =>
  text.length <= 128 && shape.test(text) && checkDigits(text.slice(0, -6)) === text.slice(-6)
