import { expectTypeOf } from "vitest"
import type { Endpoint, GroupName, Line, OperationName } from "../../src/client/DeclaredTypes.ts"
import type { operations } from "../../src/client/Operations.ts"
import type { Client, Donor } from "../../src/client.ts"
import type { Almoner } from "../../src/index.ts"

declare const client: Client

/* The client's table has a line for each operation that the API declares, and no other: method, path and what it takes. */

expectTypeOf<typeof operations>().toEqualTypeOf<{
  readonly [G in GroupName]: { readonly [N in OperationName<G>]: Line<Endpoint<G, N>> }
}>()

/* An operation takes its ids, then a body or a query, then options. */

client.donors.update("dnr_1", { email: null }, { idempotencyKey: "k", maxRetries: 0 })
client.webhookDeliveries.replay("whd_1", { idempotencyKey: null })
expectTypeOf<Donor["created_at"]>().toBeString()

// @ts-expect-error an unknown operation
client.donors.remove("dnr_1")

// @ts-expect-error a missing id
client.donors.read()

// @ts-expect-error a missing body
client.donors.create()

// @ts-expect-error an unknown field
client.donors.create({ firstname: "Ada" })

// @ts-expect-error a missing field
client.donations.create({ donor_id: "dnr_1", donation_type: "MONETARY", donation_date: "2026-01-10" })

client.donations.create({
  ...({ donor_id: "dnr_1", donation_type: "MONETARY", donation_date: "2026-01-10" } as const),
  // @ts-expect-error an amount as text
  amount_cents: "25.00"
})

// @ts-expect-error a key for a read
client.donors.read("dnr_1", { idempotencyKey: "k" })

/* A list takes what the list of the promise face takes, of which `lists.test-d.ts` says more. */

client.donations.list({
  ...({ external_id: { in: ["a"] }, source: "MANUAL", amount_cents: { gte: 1, in: [5] } } as const),
  ...({ is_recurring: { eq: true }, created_at: { lt: "2026-01-01" }, limit: 5, starting_after: "don_1" } as const)
})
type Lists = "donations" | "donors" | "events" | "webhookDeliveries"
expectTypeOf<{ [G in Lists]: Parameters<Client[G]["list"]>[0] }>().toEqualTypeOf<{
  [G in Lists]: Parameters<Almoner[G]["list"]>[1]
}>()

// @ts-expect-error an operator that is none
client.donations.list({ amount_cents: { over: 100 } })

// @ts-expect-error a flag of another list
client.donors.list({ include_notes: true })

// @ts-expect-error an unknown type of events
client.events.list({ type: "donor.vanished" })

export const iterateLists = async () => {
  for await (const { code } of client.revenueCodes.all({ is_fca: true })) expectTypeOf(code).toBeString()
  for await (const { id } of client.contactLogs.all("log_1", { follow_up_open: true })) expectTypeOf(id).toBeString()
  // @ts-expect-error an iteration without the id of its record
  client.contactLogs.all({ follow_up_open: true })
}

/* An outcome is looked at before its value is had, and a failure has a code of the contract or a reason. */

client.meta
  .whoami()
  .outcome()
  .then((outcome) => {
    if (outcome.ok) return outcome.rate?.remaining
    // @ts-expect-error an unknown code
    if (outcome.failure.name === "AlmonerError" && outcome.failure.code === "teapot") return 0
    // @ts-expect-error a value without a look at the outcome
    expectTypeOf(outcome.value).toBeNever()
    return outcome.failure.name === "AlmonerError" ? outcome.failure.code : outcome.failure.reason
  })
