import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { soughtWordsOf } from "../../src/domain/giving/SearchWords.ts"
import { DonorStore } from "../../src/ports/giving/DonorStore.ts"
import { donorOf, newOrganisation, queryOf } from "../../src/testing/conformance/Records.ts"
import { fieldsOf } from "../support/Answer.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { withLayer } from "../support/Steps.ts"
import { storesOn } from "./PostgresStores.ts"

withLayer(storesOn(layerFresh), { excludeTestServices: true })("rows", ({ effect }) => {
  for (const instant of ["0001-01-01T00:00:00.001Z", "2026-03-29T01:59:59.999Z", "9999-12-31T23:59:59.999Z"]) {
    effect(`keep the instant ${instant}, inserted and updated`, function* () {
      const donors = yield* DonorStore
      const { id } = yield* newOrganisation()
      const marketing_consent_at = DateTime.makeUnsafe(instant)
      const donor = yield* donorOf(id, { marketing_consent_at })
      yield* donors.insert(donor)
      assert.deepStrictEqual(Option.getOrThrow(yield* donors.find(id, donor.id)), donor)
      yield* donors.update({ ...donor, updated_at: marketing_consent_at })
      const after = Option.getOrThrow(yield* donors.find(id, donor.id))
      assert.strictEqual(DateTime.formatIso(after.updated_at), DateTime.formatIso(marketing_consent_at))
    })
  }

  effect("keep and find the longest names there are, whatever they grow to when they are folded", function* () {
    const donors = yield* DonorStore
    const { id } = yield* newOrganisation()
    // One character that folding makes eighteen of, and one of four bytes.
    const names = ["\ufdfa".repeat(255), "\u{20000}".repeat(127), "\u{10ffff}".repeat(127)]
    for (const last_name of names) {
      const donor = yield* donorOf(id, { first_name: null, last_name })
      yield* donors.insert(donor)
      assert.deepStrictEqual(Option.getOrThrow(yield* donors.find(id, donor.id)), donor)
      const page = yield* donors.list(id, queryOf({ words: soughtWordsOf(last_name) }))
      assert.deepStrictEqual(fieldsOf(page.data, "id"), [donor.id])
    }
  })

  effect("that do not read as records are defects, which name the fields and none of the values", function* () {
    const sql = yield* SqlClient.SqlClient
    const donors = yield* DonorStore
    const { id } = yield* newOrganisation()
    const donor = yield* donorOf(id, { last_name: "C4nary" })
    yield* donors.insert(donor)
    yield* sql`UPDATE donors SET donor_type = 'c4nary' WHERE id = ${donor.id}`
    const exit = yield* Effect.exit(donors.find(id, donor.id))
    assert.include(String(exit), "donor_type")
    assert.notInclude(String(exit).toLowerCase(), "c4nary")
  })
})
