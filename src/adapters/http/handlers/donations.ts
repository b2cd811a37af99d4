import { Effect } from "effect"
import { Donations } from "../../../app/giving/Donations.ts"
import type { DonationsGroup } from "../endpoints/giving/donations.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const donationsHandlers = Effect.gen(function* () {
  const donations = yield* Donations
  const handlers: HandlersOf<typeof DonationsGroup> = {
    create: {
      run: ({ payload }) => donations.record(payload),
      atOnce: ({ payload }, keyed) => donations.recordKeyed(payload, keyed)
    },
    list: { run: ({ list }) => donations.list(list) },
    read: { run: ({ params }) => donations.read(params.id) },
    refund: { run: ({ params, payload }) => donations.refund(params.id, payload) },
    listRefunds: { run: ({ list, params }) => donations.listRefunds(params.id, list) }
  }
  return handlers
})
