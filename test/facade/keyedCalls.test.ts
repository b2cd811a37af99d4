import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { expectTypeOf } from "vitest"
import { Almoner, type Attempt, type Caller, type CallerApi } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { callerIn } from "./Charity.ts"
import { type Host, inTransaction, withHost } from "./Host.ts"

type Open = Omit<Almoner, "within">

const inMemory = async (body: (almoner: Open, caller: Caller) => Promise<void>) => {
  const almoner = await Almoner.open({ backend: memory() })
  try {
    await body(almoner, await callerIn(almoner))
  } finally {
    await almoner.close()
  }
}

const onHost = (body: (host: Host) => Promise<void>) => Effect.runPromise(withHost("pool", body))

const onPostgres = (body: (almoner: Open, caller: Caller) => Promise<void>) =>
  onHost(({ almoner, caller }) => body(almoner, caller))

/** What a call came to, as a host tells outcomes apart. */
const told = async (attempt: ReturnType<ReturnType<CallerApi["keyed"]>["revenueCodes"]["create"]>): Promise<string> => {
  const outcome = await attempt.outcome()
  return outcome.ok ? `made ${outcome.value.id}` : `${outcome.failure._tag}: ${outcome.failure.message}`
}

const differs =
  "IdempotencyConflict: This Idempotency-Key was used with a different body. Use a new key for a new request."

/** Codes that are made, or refused by a rule or by another's. */
const codes = ["A", "B", ""]

const calls = fc.array(fc.record({ key: fc.constantFrom("k1", "k2", "k3"), code: fc.constantFrom(...codes) }), {
  maxLength: 10
})

for (const [name, opened] of [
  ["memory", inMemory],
  ["PostgreSQL", onPostgres]
] as const) {
  describe(`calls under an idempotency key, over ${name}`, () => {
    it("take effect once, and a repetition is answered as the first call was", () =>
      opened(async (almoner, caller) => {
        const mine = almoner.as(caller)
        let run = 0
        await forEveryAsyncWith({ numRuns: 15 }, calls, async (script) => {
          run += 1
          const first = new Map<string, { readonly code: string; readonly answer: string }>()
          const taken = new Map<string, string>()
          for (const { code, key } of script) {
            const text = code === "" ? "" : `${code}${run}`
            const before = first.get(key)
            const answer = await told(mine.keyed(`${key} ${run}`).revenueCodes.create({ code: text }))
            if (before !== undefined) {
              assert.strictEqual(answer, before.code === code ? before.answer : differs)
              continue
            }
            const holder = taken.get(code)
            if (code === "") assert.match(answer, /^InvalidInput: /)
            else if (holder !== undefined) assert.match(answer, new RegExp(`^AlreadyTaken: .*${holder}`))
            else {
              assert.match(answer, /^made rev_/)
              taken.set(code, answer.slice("made ".length))
            }
            first.set(key, { code, answer })
          }
          const { data } = await mine.revenueCodes.list({ limit: 100 })
          const made = data.filter(({ code }) => new RegExp(`^[AB]${run}$`).test(code)).map(({ id }) => id)
          assert.sameMembers(made, [...taken.values()])
        })
      }))

    it("at one moment make one record; the others are told that it is under way, or have its answer", () =>
      opened(async (almoner, caller) => {
        const bound = almoner.as(caller)
        const gift = () => bound.keyed("at once").donors.create({ first_name: "Zoë", email: "zoe@example.org" })
        const outcomes = await Promise.all(Array.from({ length: 8 }, () => gift().outcome()))
        const ids = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value.id] : []))
        const refusals = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.failure]))
        assert.isAtLeast(ids.length, 1)
        assert.lengthOf(new Set(ids), 1)
        for (const refusal of refusals) {
          assert.isTrue(refusal._tag === "IdempotencyConflict" && refusal.reason === "in_flight", refusal._tag)
        }
        assert.strictEqual((await gift()).id, ids[0])
        assert.lengthOf((await bound.donors.list()).data, 1)
      }))

    it("are the same input in whatever order its fields come, and whatever is undefined", () =>
      opened(async (almoner, caller) => {
        const donors = almoner.as(caller).keyed("order").donors
        const absent: object = { email: undefined }
        const made = await donors.create({ first_name: "Zoë", last_name: "García" })
        const again = await donors.create({ last_name: "García", ...absent, first_name: "Zoë" })
        assert.deepStrictEqual(again, made)
      }))

    it("are refused a key that the header could not have", () =>
      opened(async (almoner, caller) => {
        for (const key of ["", "k".repeat(256), 7, null, undefined]) {
          const outcome = await almoner
            .keyed(key as string)
            .donors.create(caller, { first_name: "Ada" })
            .outcome()
          assert.isTrue(!outcome.ok && outcome.failure._tag === "InvalidInput", String(key))
          assert.propertyVal(outcome.ok ? {} : outcome.failure, "param", "idempotency_key")
        }
        const longest = almoner.keyed("\u0000\ud800ł".padEnd(255, "k"))
        const made = await longest.donors.create(caller, { first_name: "Ada" })
        assert.deepStrictEqual(await longest.donors.create(caller, { first_name: "Ada" }), made)
      }))

    it("replay a failure as the error that it was, at the host's call", () =>
      opened(async (almoner, caller) => {
        const { donors } = almoner.as(caller).keyed("refused")
        const refused = async () => {
          const outcome = await donors.create({ first_name: "Ada", phone: 7 as never }).outcome()
          return outcome.ok ? assert.fail("made") : outcome.failure
        }
        const [first, second] = [await refused(), await refused()]
        assert.isTrue(second instanceof Error && second.constructor === first.constructor)
        assert.deepStrictEqual({ ...second, message: second.message }, { ...first, message: first.message })
        assert.include(second.stack, "keyedCalls.test.ts")
      }))
  })
}

describe("calls under an idempotency key, in a host's database", () => {
  it("leave no secret in clear where the answer is kept, and replay it", () =>
    onHost(async ({ almoner, caller, pool }) => {
      const bound = almoner.as(caller).keyed("secret")
      const input = { url: "http://192.0.2.7/hook", event_types: ["donor.created" as const] }
      const endpoint = await bound.webhookEndpoints.create(input)
      const { rows } = await pool.query(
        "SELECT status, convert_from(body, 'UTF8') AS body, sealed_body FROM idempotency_records"
      )
      assert.lengthOf(rows, 1)
      assert.isNull(rows[0].body)
      assert.notInclude(rows[0].sealed_body, endpoint.secret)
      assert.strictEqual((await bound.webhookEndpoints.create(input)).secret, endpoint.secret)
    }))

  it("are of the host's transaction: a rollback frees the key, a commit keeps a refusal, too", () =>
    onHost(async (host) => {
      const { almoner, caller } = host
      const create = (client: Parameters<typeof almoner.within>[0], code: string) =>
        told(almoner.within(client).as(caller).keyed("order 7").revenueCodes.create({ code }))
      const answers: Array<string> = []
      await inTransaction(host, "ROLLBACK", async (client) => {
        answers.push(await create(client, "A"), await create(client, "A"))
      })
      assert.strictEqual(answers[0], answers[1])
      assert.match(answers[0] ?? "", /^made rev_/)
      await inTransaction(host, "COMMIT", async (client) => {
        answers.push(await create(client, ""))
      })
      const outside = almoner.as(caller).keyed("order 7").revenueCodes
      assert.match(answers[2] ?? "", /^InvalidInput: /)
      assert.strictEqual(await told(outside.create({ code: "" })), answers[2])
      assert.strictEqual(await told(outside.create({ code: "A" })), differs)
      assert.lengthOf((await almoner.as(caller).revenueCodes.list()).data, 0)
    }))
})

describe("lists of the face", () => {
  it("give all records, page after page, by their query", () =>
    inMemory(async (almoner, caller) => {
      const mine = almoner.as(caller)
      const made: Array<string> = []
      for (const index of Array(7).keys()) made.unshift((await mine.donors.create({ first_name: `A${index}` })).id)
      await forEveryAsyncWith({ numRuns: 12 }, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (limit, isBound) => {
        const found: Array<string> = []
        const all = isBound ? mine.donors.all({ limit }) : almoner.donors.all(caller, { limit })
        for await (const { id } of all) found.push(id)
        assert.deepStrictEqual(found, made)
      })
      const [donor = ""] = made
      await mine.contactLogs.create(donor, { contact_method: "PHONE" })
      for await (const log of mine.contactLogs.all(donor)) assert.strictEqual(log.donor_id, donor)
      const refused = mine.donors.all({ limit: 0 })
      assert.propertyVal(await refused.next().catch((failure: unknown) => failure), "_tag", "InvalidInput")
    }))

  it("end when their signal aborts", () =>
    inMemory(async (almoner, caller) => {
      const reason = new Error("the page was left")
      const donors = almoner.as(caller).donors
      for (const signal of [AbortSignal.abort(reason), undefined]) {
        const outcome = await donors.list({ limit: 1 }, { signal }).outcome()
        assert.strictEqual(outcome.ok, signal === undefined)
        if (outcome.ok) continue
        assert.deepInclude(outcome.failure, {
          _tag: "AlmonerUnavailable",
          message: "The call was aborted.",
          cause: reason
        })
      }
      const controller = new AbortController()
      const all = donors.all({}, { signal: controller.signal })
      controller.abort(reason)
      assert.propertyVal(await all.next().catch((failure: unknown) => failure), "cause", reason)
    }))
})

describe("the types of the keyed face", () => {
  it("offer what writes, with the refusals of the key", () => {
    type Keyed = ReturnType<CallerApi["keyed"]>
    expectTypeOf<Keyed["donors"]>().not.toHaveProperty("read")
    expectTypeOf<keyof Keyed["events"]>().toEqualTypeOf<"emit">()
    type FailureOf<A> = A extends Attempt<unknown, infer E> ? E : never
    type Refusals = FailureOf<ReturnType<Keyed["donors"]["archive"]>>["_tag"]
    expectTypeOf<"IdempotencyConflict">().toExtend<Refusals>()
    expectTypeOf<CallerApi["apiKeys" & keyof CallerApi]>().toBeNever()
  })
})
