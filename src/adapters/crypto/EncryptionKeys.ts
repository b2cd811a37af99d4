import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { link, mkdir, open, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { Context, Effect, Layer, Option, Predicate, Redacted, Result, Schema } from "effect"
import { type MacPurpose, Macs } from "../../ports/kernel/Macs.ts"
import { SealBroken, SecretBox } from "../../ports/kernel/SecretBox.ts"

/** One key of the ring: 32 bytes for AES-256. */
export interface RingKey {
  readonly id: string
  readonly bytes: Uint8Array
}

/** The keys that seal secrets at rest, newest first; there is always one. decisions, section 4: Server keys. */
export class EncryptionKeys extends Context.Service<
  EncryptionKeys,
  {
    /** The key that new secrets are sealed with. */
    readonly newest: RingKey
    readonly find: (id: string) => RingKey | undefined
    readonly ids: readonly [newest: string, ...older: ReadonlyArray<string>]
  }
>()("almoner/crypto/EncryptionKeys") {}

/** The encryption keys cannot be used. `reason` is a whole sentence and never holds a key. */
export class EncryptionKeysUnusable extends Schema.TaggedError<EncryptionKeysUnusable>()("KeyRingUnusable", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

const variable = "ALMONER_ENCRYPTION_KEYS"
const keyBytes = 32
const idShape = /^[A-Za-z0-9_-]{1,64}$/

/** The bytes of strict base64, with `+/` or `-_`, padded or not; undefined for anything else. */
const decodeBase64 = (text: string): Buffer | undefined => {
  const url = text
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={0,2}$/, "")
  const bytes = Buffer.from(url, "base64url")
  return bytes.toString("base64url") === url ? bytes : undefined
}

const readEntry = (called: string, entry: string, position: number): Result.Result<RingKey, EncryptionKeysUnusable> => {
  const colon = entry.indexOf(":")
  const id = entry.slice(0, Math.max(colon, 0)).trim()
  const bytes = decodeBase64(entry.slice(colon + 1).trim())
  // The text may be a key in the wrong place, so that the sentence names the position only.
  return idShape.test(id) && bytes?.length === keyBytes
    ? Result.succeed({ id, bytes })
    : Result.fail(
        new EncryptionKeysUnusable({
          reason: `${called}: entry ${position} is not an id, a colon and 32 bytes in base64.`
        })
      )
}

/**
 * Reads a ring written as `id:base64,id2:base64`, newest first. `called` is what the caller knows it as. Fails with
 * {@link EncryptionKeysUnusable}.
 */
export const parse = (
  text: Redacted.Redacted<string>,
  called = variable
): Result.Result<EncryptionKeys["Service"], EncryptionKeysUnusable> =>
  Result.gen(function* () {
    const keys: Array<RingKey> = []
    for (const [index, entry] of Redacted.value(text).split(",").entries()) {
      keys.push(yield* readEntry(called, entry, index + 1))
    }
    const byId = new Map(keys.map((key) => [key.id, key]))
    const [newest, ...older] = keys
    if (newest === undefined || byId.size < keys.length) {
      return yield* Result.fail(new EncryptionKeysUnusable({ reason: `${called}: two entries have the same id.` }))
    }
    return { newest, find: (id) => byId.get(id), ids: [newest.id, ...older.map(({ id }) => id)] }
  })

const fileName = "keys.json"

const RingFile = Schema.fromJsonString(Schema.Struct({ [variable]: Schema.String }))
const decodeFile = Schema.decodeUnknownResult(RingFile)

const codeOf = (cause: unknown): unknown => (Predicate.hasProperty(cause, "code") ? cause.code : undefined)

const unusableFile = (path: string) => (cause: unknown) =>
  new EncryptionKeysUnusable({
    reason: `The encryption keys in ${path} cannot be read or made (${codeOf(cause) ?? "it is damaged"}).`
  })

const writeSynced = async (path: string, text: string): Promise<void> => {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the file atomically; where another process was first, its ring stays. */
const generate = async (data_dir: string): Promise<void> => {
  const path = join(data_dir, fileName)
  const id = randomBytes(4).toString("hex")
  const draft = `${path}.${id}`
  await mkdir(data_dir, { recursive: true, mode: 0o700 })
  await writeSynced(draft, `${JSON.stringify({ [variable]: `${id}:${randomBytes(keyBytes).toString("base64")}` })}\n`)
  try {
    await link(draft, path)
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause
  } finally {
    await rm(draft, { force: true })
  }
}

/** The data folder of the embedded database, whose ring lies in it. */
export interface KeyFolder<R = never> {
  readonly path: string
  /** Whether the database has no records, so that a ring may be made for it. It is asked where the folder has none. */
  readonly isUnused: Effect.Effect<boolean, never, R>
}

const lost = (path: string) =>
  new EncryptionKeysUnusable({
    reason: `The encryption keys ${path} are missing. Restore the file from its backup, or give the keys in ${variable}; new ones are made by almoner serve and almoner migrate, for a database without records only.`
  })

/**
 * The ring in `keys.json` of the data folder. A missing file is made once, for its owner only, while there is nothing that
 * another ring may have sealed; an existing one is never overwritten, because everything that its keys sealed would be lost.
 */
export const fromFolder = <R>({
  isUnused,
  path: folder
}: KeyFolder<R>): Effect.Effect<EncryptionKeys["Service"], EncryptionKeysUnusable, R> =>
  Effect.gen(function* () {
    const path = join(folder, fileName)
    const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: unusableFile(path) })
    const read = attempt(() =>
      readFile(path, "utf8").catch((cause) => (codeOf(cause) === "ENOENT" ? null : Promise.reject(cause)))
    )
    const found = yield* read
    if (found === null && !(yield* isUnused)) return yield* lost(path)
    if (found === null) yield* attempt(() => generate(folder))
    const text = found ?? (yield* read) ?? ""
    const ring = Result.flatMap(decodeFile(text), (file) => parse(Redacted.make(file[variable])))
    return yield* Effect.mapError(Effect.fromResult(ring), unusableFile(path))
  })

/** The sources of the ring, of which the first one given is used. */
export interface Source<R = never> {
  /** The value of `ALMONER_ENCRYPTION_KEYS`. */
  readonly keys: Option.Option<Redacted.Redacted<string>>
  /** The folder of the embedded database; none with a database server, which needs a ring that outlives this machine. */
  readonly folder: Option.Option<KeyFolder<R>>
  /** The keys' name to whoever gives them. The environment variable when absent. */
  readonly called?: string
}

/** No keys are given where there is no folder for them. */
export const noKeys = new EncryptionKeysUnusable({
  reason: `${variable} is not set: with a PostgreSQL server the encryption keys must be given, each as id:base64 with 32 random bytes.`
})

/** The configured ring, else the data folder's own. Fails with {@link EncryptionKeysUnusable} when there is neither. */
export const layer = <R = never>({
  called,
  folder,
  keys
}: Source<R>): Layer.Layer<EncryptionKeys, EncryptionKeysUnusable, R> =>
  Layer.effect(
    EncryptionKeys,
    Option.match(keys, {
      onSome: (text) => Effect.fromResult(parse(text, called)),
      onNone: () => Option.match(folder, { onNone: () => Effect.fail(noKeys), onSome: fromFolder })
    })
  )

/** The key of a purpose. Each purpose has one of its own, so that a MAC for one never verifies for another. */
const keyFor = (key: RingKey, purpose: MacPurpose): Buffer =>
  createHmac("sha256", key.bytes).update(`almoner ${purpose}`, "utf8").digest()

const macOf = (key: RingKey, purpose: MacPurpose, text: string): Buffer =>
  createHmac("sha256", keyFor(key, purpose)).update(text, "utf8").digest()

const equals = (mac: Buffer, presented: string): boolean => {
  const bytes = Buffer.from(presented, "base64url")
  // Node reads base64url leniently; only the spelling that `make` produces counts.
  return bytes.length === mac.length && bytes.toString("base64url") === presented && timingSafeEqual(bytes, mac)
}

/** HMAC-SHA-256 with a key of the ring for each purpose. */
export const layerMacs: Layer.Layer<Macs, never, EncryptionKeys> = Layer.effect(
  Macs,
  Effect.map(EncryptionKeys, (ring) =>
    Macs.of({
      keyIds: ring.ids,
      make: (key_id, purpose, text) =>
        Effect.sync(() =>
          Option.map(Option.fromNullishOr(ring.find(key_id)), (key) => macOf(key, purpose, text).toString("base64url"))
        ),
      verify: (key_id, purpose, text, mac) =>
        Effect.sync(() => {
          const key = ring.find(key_id)
          return key !== undefined && equals(macOf(key, purpose, text), mac)
        })
    })
  )
)

const sealAlgorithm = "aes-256-gcm"
const sealVersion = "v1"
const nonceBytes = 12
const tagBytes = 16

const sealSecret = (key: RingKey, secret: string, context: string): string => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(sealAlgorithm, key.bytes, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(context, "utf8"))
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
  return [sealVersion, key.id, nonce.toString("base64url"), sealed.toString("base64url")].join(".")
}

/** The bytes of a base64url text, of which only the spelling that {@link sealSecret} produces is accepted. */
const sealedBytes = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, "base64url")
  return bytes.toString("base64url") === text ? bytes : undefined
}

const openSealed = (key: RingKey, nonceText: string, sealedText: string, context: string): string | undefined => {
  const nonce = sealedBytes(nonceText)
  const sealed = sealedBytes(sealedText)
  if (nonce?.length !== nonceBytes || sealed === undefined || sealed.length < tagBytes) return undefined
  const decipher = createDecipheriv(sealAlgorithm, key.bytes, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context, "utf8"))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const opened = decipher.update(sealed.subarray(0, -tagBytes))
  try {
    return Buffer.concat([opened, decipher.final()]).toString("utf8")
  } catch {
    return undefined
  }
}

/**
 * AES-256-GCM with a random 96-bit nonce and the context as associated data. The text form is `v1.<key
 * id>.<nonce>.<ciphertext and tag>`, the last two in base64url.
 */
export const layerSecretBox: Layer.Layer<SecretBox, never, EncryptionKeys> = Layer.effect(
  SecretBox,
  Effect.gen(function* () {
    const ring = yield* EncryptionKeys
    return SecretBox.of({
      seal: (secret, context) => Effect.sync(() => sealSecret(ring.newest, secret, context)),
      open: (sealed, context) =>
        Effect.suspend(() => {
          const [found, key_id = "", nonce = "", text = "", ...rest] = sealed.split(".")
          const key = found === sealVersion && rest.length === 0 ? ring.find(key_id) : undefined
          const secret = key === undefined ? undefined : openSealed(key, nonce, text, context)
          return secret === undefined ? Effect.fail(new SealBroken({ key_id })) : Effect.succeed(secret)
        })
    })
  })
)
