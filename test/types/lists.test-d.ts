import type { Caller } from "../../src/domain/access/Caller.ts"
import type { Almoner } from "../../src/index.ts"

declare const almoner: Almoner
declare const caller: Caller

/* A list of the promise face takes its own filters, with their values. */

almoner.donations.list(caller, { status: { in: ["CONFIRMED"] }, amount_cents: { gte: 100 }, is_recurring: true })
almoner.donors.list(caller, { created_at: { gte: new Date(0) }, sort: "-last_name", archived: true, search: "ada" })
almoner.contactLogs.list(caller, "dnr_1", { include_notes: false })
almoner.webhookDeliveries.list(caller, { status: "PENDING", limit: 5, starting_after: undefined })

// @ts-expect-error an unknown filter
almoner.donors.list(caller, { colour: "red" })

// @ts-expect-error an unknown value of a filter
almoner.donations.list(caller, { status: "confirmed" })

// @ts-expect-error an operator that the filter does not have
almoner.donors.list(caller, { email: { gte: "a" } })

// @ts-expect-error one value where several are taken
almoner.donations.list(caller, { status: { in: "CONFIRMED" } })

// @ts-expect-error an amount as text
almoner.donations.list(caller, { amount_cents: "100" })

// @ts-expect-error an unknown order
almoner.donors.list(caller, { sort: "email" })

// @ts-expect-error a search where there is none
almoner.donations.list(caller, { search: "ada" })
