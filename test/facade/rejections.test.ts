import { assert, describe, it } from "@effect/vitest"
import { Predicate, Schema } from "effect"
import fc from "fast-check"
import * as client from "../../src/client.ts"
import * as library from "../../src/index.ts"
import * as domain from "../../src/internal.ts"
import { memory } from "../../src/memory.ts"
import * as pgliteEntry from "../../src/pglite.ts"
import * as ports from "../../src/ports.ts"
import * as postgresEntry from "../../src/postgres.ts"
import { arbitraryOf } from "../../src/testing/Arbitraries.ts"
import { broken, fake } from "../client/Fake.ts"
import { callerIn } from "./Charity.ts"

type ErrorClass = (abstract new (...args: never) => Error) & { readonly fields?: Readonly<Record<string, unknown>> }

const isErrorClass = (value: unknown): value is ErrorClass =>
  Predicate.isFunction(value) && value.prototype instanceof Error

/** Every class of errors that the entries of the package export, in their namespaces too. */
const classes = [library, domain, ports, client, pgliteEntry, postgresEntry]
  .flatMap((entry): ReadonlyArray<unknown> => Object.values(entry))
  .flatMap((value) => (isErrorClass(value) ? [value] : Object.values(Object(value)).filter(isErrorClass)))

describe("a class of errors", () => {
  it("says in a sentence what happened, whatever its fields are", () => {
    let tried = 0
    for (const one of new Set(classes)) {
      const { name } = one
      // Where the message is a field, whoever makes the error writes the sentence.
      if (!Schema.isSchema(one) || one === library.Rejection.Rejection || Object.hasOwn(one.fields ?? {}, "message"))
        continue
      tried += 1
      for (const error of fc.sample(arbitraryOf(one as unknown as Schema.Schema<Error>), { numRuns: 20, seed: 1 })) {
        // A sentence of its own, written where the error is made.
        if (Predicate.hasProperty(error, "instead") && error.instead !== undefined) continue
        assert.match(error.message, /^\S.*[.?!]$/s, name)
        assert.isAbove(error.message.split(" ").length, 3, name)
      }
    }
    assert.isAbove(tried, 8)
  })
})

describe("an input that JSON would turn into another one", () => {
  it("is refused with its field by the library and by the client, and nothing is changed", async () => {
    await using almoner = await library.Almoner.open({ backend: memory() })
    const caller = await callerIn(almoner)
    const { client: sender, seen } = fake([broken])
    const { id: donor_id } = await almoner.donors.create(caller, { first_name: "Ada" })
    const gift = { donor_id, donation_type: "MONETARY", amount_cents: 5_000, donation_date: "2026-01-01" } as const
    const { id } = await almoner.donations.create(caller, gift)
    const gone = new Date("31/12/2027")
    for (const [path, input] of [
      ["amount_cents", { amount_cents: Number.NaN }],
      ["amount_cents", { amount_cents: Number.POSITIVE_INFINITY }],
      ["amount_cents", { amount_cents: 5n }],
      ["refunded_at", { refunded_at: gone }],
      ["list[1].amount_cents", { list: [{ amount_cents: 1 }, { amount_cents: Number.NaN }] }],
      ["reason", { reason: () => "a method that was not called" }],
      ["reason", { amount_cents: 1, reason: Symbol("s") }],
      ["list[1]", { list: [1, undefined] }]
    ] as const) {
      const refused = await almoner.donations.refund(caller, id, input as never).outcome()
      assert.deepInclude(Object(refused).failure, { _tag: "InvalidInput", param: path })
      const refusal = await sender.donations.refund("don_1", input as never).catch((error: unknown) => error)
      assert.match(String(refusal), /must be what JSON has, not /)
    }
    assert.isEmpty(seen)
    const donor = await almoner.donors.create(caller, { first_name: "Ada", marketing_consent_at: new Date(0) as never })
    const kept = await almoner.donors.update(caller, donor.id, { marketing_consent_at: gone as never }).outcome()
    assert.isFalse(kept.ok)
    assert.deepStrictEqual(await almoner.donors.read(caller, donor.id), donor)
  })
})
