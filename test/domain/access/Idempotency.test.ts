import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import {
  decide,
  type IdempotencyRecord,
  isLive,
  isStored,
  type StoredAnswer,
  storableAnswer
} from "../../../src/domain/access/Idempotency.ts"
import { forEvery } from "../../support/Property.ts"

const dayMillis = 86_400_000

const hash = fc.constantFrom("a", "b", "c")
const answer: fc.Arbitrary<StoredAnswer> = fc.record({
  status: fc.integer({ min: 200, max: 499 }),
  content_type: fc.constant("application/json"),
  body: fc.uint8Array()
})
const record: fc.Arbitrary<IdempotencyRecord> = fc.record({
  body_hash: hash,
  answer: fc.option(answer),
  created_at: fc.integer({ min: 0, max: 4e12 }).map((millis) => DateTime.makeUnsafe(millis))
})

const later = (from: IdempotencyRecord, millis: number): DateTime.Utc => DateTime.addDuration(from.created_at, millis)
const within = fc.integer({ min: 0, max: dayMillis - 1 })
const after = fc.integer({ min: dayMillis, max: 100 * dayMillis })

describe("an Idempotency-Key", () => {
  it("that is new runs the operation", () =>
    forEvery(hash, (body_hash) => {
      assert.deepStrictEqual(decide(undefined, [body_hash], DateTime.makeUnsafe(0)), { _tag: "Run" })
    }))

  it("counts for 24 hours from its first use, and not a millisecond longer", () =>
    forEvery(record, hash, within, after, (known, body_hash, young, old) => {
      assert.isTrue(isLive(known, later(known, young)))
      assert.notStrictEqual(decide(known, [body_hash], later(known, young))._tag, "Run")
      assert.isFalse(isLive(known, later(known, old)))
      assert.deepStrictEqual(decide(known, [body_hash], later(known, old)), { _tag: "Run" })
    }))

  it("never runs a second time: replay, conflict of bodies, or an answer that was not kept", () =>
    forEvery(record, hash, within, (known, body_hash, young) => {
      const reservation = decide(known, [body_hash], later(known, young))
      if (body_hash !== known.body_hash) assert.deepStrictEqual(reservation, { _tag: "BodyDiffers" })
      else if (known.answer === null) assert.deepStrictEqual(reservation, { _tag: "AnswerNotKept" })
      else assert.isTrue(reservation._tag === "Replay" && reservation.answer === known.answer)
    }))
})

it("a body that was recorded under an encryption key that is not known here is neither the same nor another one", () => {
  const keyed = (ids: ReadonlyArray<string>) =>
    fc.record({ id: fc.constantFrom(...ids), mac: hash }).map(({ id, mac }) => `${id}.${mac}`)
  forEvery(
    record,
    keyed(["new"]),
    fc.array(keyed(["one", "nex", "newer"])),
    hash,
    within,
    (known, body_hash, ours, plain, young) => {
      const reservation = decide({ ...known, body_hash }, [...ours, plain], later(known, young))
      assert.deepStrictEqual(reservation, { _tag: "InFlight" })
      const sameId = decide({ ...known, body_hash }, [...ours, "new.other"], later(known, young))
      assert.deepStrictEqual(sameId, { _tag: "BodyDiffers" })
    }
  )
})

it("a body is the same by whichever of its hashes it was kept", () => {
  const hashes = fc.array(hash, { maxLength: 3 })
  forEvery(record, hashes, within, (known, body_hashes, young) => {
    const differs = decide(known, body_hashes, later(known, young))._tag === "BodyDiffers"
    assert.strictEqual(differs, !body_hashes.some((each) => each === known.body_hash))
  })
})

describe("an answer", () => {
  it("is stored unless the server failed", () => {
    for (let status = 200; status < 600; status++) assert.strictEqual(isStored(status), status < 500)
  })

  it("is kept whole up to 256 KB and not at all beyond", () => {
    const sized = (bytes: number): StoredAnswer => ({ status: 200, content_type: "", body: new Uint8Array(bytes) })
    for (const bytes of [0, 1, 262_143, 262_144]) {
      const small = sized(bytes)
      assert.strictEqual(storableAnswer(small), small)
    }
    for (const bytes of [262_145, 1_048_576]) assert.isNull(storableAnswer(sized(bytes)))
  })
})
