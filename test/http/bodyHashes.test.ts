import { createHash, getHashes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Redacted } from "effect"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import { HttpService } from "../../src/adapters/http/Service.ts"
import type { IdempotencyScope } from "../../src/domain/access/Idempotency.ts"
import { IdempotencyStore, Transaction } from "../../src/ports.ts"
import { type Answer, assertRefused } from "../support/Answer.ts"
import { changePort } from "../support/ChangePort.ts"
import { guardedOperations, pathTo, soundBody, takesKey } from "../support/Declaration.ts"
import { once } from "../support/Late.ts"
import { startService } from "../support/Service.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind, memory } from "../support/Stores.ts"
import { makeTenant } from "../support/Tenant.ts"

const path = "/api/v1/recipient-accounts"
const passphrase = { passphrase: "gravel tiptop outlet zebra unmasked wrong" }

const isReplay = ({ headers }: Answer): boolean => headers.get("Idempotent-Replayed") === "true"

/** The service's own key is `test`, of bytes 7. */
const ringOf = (...ids: ReadonlyArray<string>) => {
  const entry = (id: string) => `${id}:${Buffer.alloc(32, id === "test" ? 7 : 8).toString("base64")}`
  return EncryptionKeys.layer({ keys: Option.some(Redacted.make(ids.map(entry).join(","))), folder: Option.none() })
}

describeService(everyKind, "bodies behind Idempotency-Keys", (service) => {
  const tenant = once(() => makeTenant(service))
  let fresh = 0

  /** The same service after its ring was changed and it was started again. */
  const restarted = (...ids: ReadonlyArray<string>) =>
    service.run(
      Effect.map(HttpService, ({ handle }) => handle).pipe(
        Effect.provide(
          Layer.fresh(HttpService.layer(new Map())).pipe(
            Layer.provide(Layer.fresh(EncryptionKeys.layerMacs)),
            Layer.provide(Layer.orDie(ringOf(...ids)))
          )
        )
      )
    )

  const nextKey = (): string => `body-${fresh++}`

  const sentBy = (key: string, json: unknown) => ({
    key: tenant.writeKey.secret,
    headers: { "idempotency-key": key },
    json
  })

  const post = (key: string, json: unknown) => service.call("POST", path, sentBy(key, json))

  const postTo = async (ids: ReadonlyArray<string>, key: string, json: unknown) =>
    service.callOf(await restarted(...ids), "POST", path, sentBy(key, json))

  it("are known again while the key that they were kept with is in the ring, and never run again after", async () => {
    const key = nextKey()
    const first = await post(key, passphrase)
    assertRefused(first, "validation_failed", "passphrase")
    for (const ids of [["test"], ["newer", "test"], ["newer", "other", "test"]]) {
      const again = await postTo(ids, key, passphrase)
      assert.isTrue(isReplay(again), ids.join())
      assert.deepStrictEqual(again.bytes, first.bytes)
      assertRefused(await postTo(ids, key, { passphrase: "another" }), "idempotency_conflict")
    }
    // What cannot be compared is no other body: whoever took another key for it would give twice.
    assertRefused(await postTo(["newer"], key, passphrase), "conflict")
  })

  it("that were kept before hashes were keyed are known, too", async () => {
    const key = nextKey()
    const scope: IdempotencyScope = {
      organisation_id: tenant.organisation.id,
      api_key_id: tenant.writeKey.id,
      generation: tenant.writeKey.generation,
      method: "POST",
      path,
      key
    }
    const digest = createHash("sha256").update(JSON.stringify(passphrase)).digest("hex")
    const answer = { status: 400, content_type: "application/json", body: Buffer.from("{}") }
    await service.run(
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const transaction = yield* Transaction
        yield* transaction.run(store.keep(scope, digest, answer, { secret: false, now: yield* DateTime.now }))
      })
    )
    const { handle } = await service.run(HttpService)
    const sent = sentBy(key, passphrase)
    const replayed = await service.run(
      handle({
        method: "POST",
        path,
        query: "",
        headers: {
          authorization: `Bearer ${sent.key}`,
          "content-type": "application/json",
          "idempotency-key": key
        },
        clientAddress: "192.0.2.1",
        readBody: () => Effect.succeed({ _tag: "Body", bytes: Buffer.from(JSON.stringify(passphrase)) })
      })
    )
    assert.strictEqual(Buffer.from(replayed.body ?? "").toString("utf8"), "{}")
    assertRefused(await post(key, { passphrase: "another" }), "idempotency_conflict")
  })
})

describe("the stored hash of a body", () => {
  it("is no digest that somebody without the ring could make, whatever the operation", async () => {
    const kept: Array<string> = []
    const watched = changePort(IdempotencyStore, (good) => ({
      keep: (scope, body_hash, answer, options) => {
        kept.push(body_hash)
        return good.keep(scope, body_hash, answer, options)
      }
    }))
    const service = await startService({ stores: Layer.provideMerge(watched, memory) })
    const tenant = await makeTenant(service)
    for (const operation of guardedOperations.filter(takesKey)) {
      const json = soundBody(operation)
      const bytes = Buffer.from(json === undefined ? "" : JSON.stringify(json))
      const headers = { "idempotency-key": `kept-${operation.name}` }
      const before = kept.length
      await tenant.writer.request(operation.method, pathTo(operation), { json, headers })
      for (const algorithm of getHashes().filter((each) => !/shake|RSA/i.test(each))) {
        const digest = createHash(algorithm).update(bytes).digest()
        for (const hash of kept.slice(before)) {
          for (const form of ["hex", "base64", "base64url"] as const) assert.notInclude(hash, digest.toString(form))
        }
      }
    }
    assert.isAbove(kept.length, 20)
    await service.stop()
  })
})
