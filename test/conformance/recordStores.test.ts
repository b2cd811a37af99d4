import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll } from "vitest"
import { ContactLogStore } from "../../src/ports/giving/ContactLogStore.ts"
import { DonorStore } from "../../src/ports/giving/DonorStore.ts"
import { ChargeStore } from "../../src/ports/payments/ChargeStore.ts"
import { RecommendationSetStore } from "../../src/ports/sharing/RecommendationSetStore.ts"
import type { Stores } from "../../src/testing/Conformance.ts"
import type { KeptBy, StoredRecord } from "../../src/testing/conformance/RecordStores.ts"
import { plain } from "../../src/testing/conformance/Suite.ts"
import { Checks, Generators } from "../../src/testing.ts"
import { faultsOf, faulty } from "./BrokenRecords.ts"

/** A store of records in memory whose faults the kit must find. */
interface Subject {
  readonly name: string
  /** The names of the faults that the kit does not find. */
  readonly missed: Effect.Effect<ReadonlyArray<string>>
}

/** Few cases show most faults; most inputs draw nothing that shows the others. */
const rounds = [8, 250]

/** The fields of records that have more than one value. */
const varying = (records: ReadonlyArray<object>): ReadonlyArray<string> =>
  Object.keys(records[0] ?? {}).filter(
    (field) => new Set(records.map((record) => JSON.stringify(plain(Reflect.get(record, field))))).size > 1
  )

/** The checks that the kit makes of records called `name`, and the faults of their store that none of them finds. */
const subject = <I extends Stores, A extends StoredRecord, S extends KeptBy<A>>(
  name: string,
  port: Context.Service<I, S>,
  arbitrary: fc.Arbitrary<A>,
  checksOf: (given: Checks.DonorSubject) => ReadonlyArray<Checks.Check<Stores>>
): Subject => {
  const checks = rounds
    .flatMap((runs) => checksOf({ runs, serial: true }))
    .filter((each) => each.name.startsWith(`${name} are`) || each.name.startsWith(`${name}:`))
  const faults = faultsOf<A>(varying(fc.sample(arbitrary, { seed: 1, numRuns: 50 })))
  const isMissed = Effect.fnUntraced(function* ([, fault]: (typeof faults)[number]) {
    for (const { check } of checks) {
      if (Exit.isFailure(yield* Effect.exit(Effect.provide(check, faulty(port, fault))))) return false
    }
    return true
  })
  return { name, missed: Effect.map(Effect.filter(faults, isMissed), (all) => all.map(([fault]) => fault)) }
}

/**
 * One suite is that of all of them, and the table of wrong adapters has each field of what each of them answers: these are stores
 * with words, with records that are hidden, with what is unique and leased, and with parts in a table of their own.
 */
const subjects: ReadonlyArray<Subject> = [
  subject("donors", DonorStore, Generators.donor, Checks.donorStore),
  subject("contact logs", ContactLogStore, Generators.contactLog, Checks.contactLogStore),
  subject("charges", ChargeStore, Generators.charge, Checks.chargeStore),
  subject("recommendation sets", RecommendationSetStore, Generators.recommendationSet, Checks.recommendationSetStore)
]

describe("of a store of records each fault of each method is caught:", () => {
  const before = fc.readConfigureGlobal()
  // The first case that fails is enough: nobody reads the smallest one.
  beforeAll(() => fc.configureGlobal({ ...before, endOnFailure: true }))
  afterAll(() => fc.configureGlobal(before))

  for (const { missed, name } of subjects) {
    it.live(name, () => Effect.map(missed, (faults) => assert.deepStrictEqual(faults, [])), 120_000)
  }
})
