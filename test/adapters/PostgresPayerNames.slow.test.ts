import { assert, describe } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import { olderPayerNames } from "../../src/adapters/postgres/migrations/0052_older_payer_names.ts"
import { submittedOf } from "../../src/domain/giving/CheckoutDonor.ts"
import { PaymentStore } from "../../src/ports/sharing/PaymentStore.ts"
import { paymentOf, setOf } from "../../src/testing/conformance/MoneyRecords.ts"
import { newOrganisation } from "../../src/testing/conformance/Records.ts"
import { withFresh } from "../support/Steps.ts"
import { databases, storesOn } from "./PostgresStores.ts"

describe.each(databases)("payments to sets of %s that an earlier version stored", (_name, database) => {
  withFresh(storesOn(database)).live("get the names of who was to pay, where they are known", function* () {
    const sql = yield* SqlClient.SqlClient
    const set = yield* setOf((yield* newOrganisation()).id, [])
    const submitted_donor = submittedOf({ first_name: "Ada", last_name: "van Dam", organisation_name: "Müller" })
    const awaited = {
      payment_method_type: "bank_transfer",
      recommendation_set_id: null,
      total_amount_cents: 500,
      submitted_donor
    } as const
    for (const given of [
      awaited,
      { ...awaited, submitted_donor: null },
      { ...awaited, payment_method_type: "card" }
    ] as const)
      yield* (yield* PaymentStore).insert(yield* paymentOf(set, [], given))
    const namesNow = sql`SELECT payer_names FROM /* every organisation */ payments ORDER BY payer_names`
    const written = yield* namesNow
    assert.deepStrictEqual<unknown>(
      written.map(({ payer_names }) => payer_names),
      [["vandam", "muller"], null, null]
    )
    yield* sql`UPDATE payments SET payer_names = NULL`
    yield* olderPayerNames
    assert.deepStrictEqual(yield* namesNow, written)
  })
})
