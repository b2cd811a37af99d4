import { Effect, Option, Schema } from "effect"
import { KeyStatus, keyIdOf, ResealCount, statusOf, Trial } from "../../domain/access/KeyUsage.ts"
import { type SealedSecret, SealedStore } from "../../ports/access/SealedStore.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { Macs } from "../../ports/kernel/Macs.ts"
import { SecretBox } from "../../ports/kernel/SecretBox.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { Service } from "../kernel/service/Service.ts"
import { operationsOf } from "./operation/Operation.ts"
import * as Row from "./operation/OperationRow.ts"

/** Secrets of each key that are tried: one may be damaged although the key is right. */
const samplesOfKey = 3

/** Secrets that are resealed in one transaction. */
const slice = 100

const operations = Row.table("sealed_secrets", {
  trial: Row.keeper("Try whether the encryption keys open the sealed secrets", [], Trial),
  status: Row.keeper(
    "Show the encryption keys, newest first, and how many of the secrets in use each of them sealed",
    [],
    Schema.Array(KeyStatus)
  ),
  reseal: Row.keeper(
    "Seal with the newest key what older keys of the ring sealed; it may be cut off and done again",
    [],
    ResealCount
  )
})

/**
 * The secrets that are sealed with the encryption keys, over all organisations. For operators. decisions, section 4:
 * Server keys.
 */
export class SealedSecrets extends Service<SealedSecrets>()("almoner/app/SealedSecrets", function* () {
  const store = yield* SealedStore
  const box = yield* SecretBox
  const transaction = yield* Transaction
  const ring = (yield* Macs).keyIds
  const [newest, ...older] = ring

  const opened = ({ id, sealed }: SealedSecret) => Effect.option(box.open(sealed, id))

  /** Tries the ring on the sealed secrets. */
  const trial: Effect.Effect<Trial> = Effect.gen(function* () {
    const opens = new Map<string, boolean>()
    for (const sample of yield* store.samples(samplesOfKey)) {
      const key_id = keyIdOf(sample.sealed)
      opens.set(key_id, opens.get(key_id) === true || Option.isSome(yield* opened(sample)))
    }
    const ids = [...opens.keys()]
    return {
      opened: ids.filter((id) => opens.get(id) === true),
      differing: ids.filter((id) => opens.get(id) === false && ring.includes(id)),
      lacking: ids.filter((id) => !ring.includes(id))
    }
  })

  /** Every key of the ring, and every other key that something in use was made with. */
  const status: Effect.Effect<ReadonlyArray<KeyStatus>> = Effect.gen(function* () {
    return statusOf(ring, yield* store.usage(yield* realNow))
  })

  const resealOne = Effect.fnUntraced(function* (secret: SealedSecret) {
    const text = yield* opened(secret)
    if (Option.isNone(text)) return { resealed: 0, unopened: 1 }
    // A secret that was changed meanwhile is sealed with the newest key already.
    const isReplaced = yield* store.replace(secret, yield* box.seal(text.value, secret.id))
    return { resealed: isReplaced ? 1 : 0, unopened: 0 }
  })

  const resealSlice = Effect.fnUntraced(function* (after: SealedSecret | null) {
    const found = yield* store.sealedWith(older, yield* realNow, after, slice)
    return { last: found.at(-1), done: yield* Effect.forEach(found, resealOne) }
  }, transaction.run)

  /**
   * Reseals with the newest key what the ring's older keys sealed, slice by slice: where it is interrupted, the next
   * run continues, and everything else works with either key meanwhile. Tokens and passphrases are not sealed, and
   * stay with their keys.
   */
  const reseal: Effect.Effect<ResealCount> = Effect.gen(function* () {
    let [resealed, unopened] = [0, 0]
    for (let after: SealedSecret | null | undefined = null; after !== undefined; ) {
      const { done, last }: Effect.Success<ReturnType<typeof resealSlice>> = yield* resealSlice(after)
      for (const each of done) {
        resealed += each.resealed
        unopened += each.unopened
      }
      after = last
    }
    yield* Effect.logInfo(`Sealed ${resealed} secrets anew with the key ${newest}; ${unopened} could not be opened`)
    return { resealed, unopened }
  })

  return { trial, status, reseal } as const
}) {}

/** The operations of {@link SealedSecrets}. */
export const sealedSecretOperations = operationsOf(SealedSecrets, operations)
