import { Effect } from "effect"
import { Donors } from "../../../app/giving/Donors.ts"
import type { Donor } from "../../../domain/giving/Donor.ts"
import type { ListQuery, Page } from "../../../domain/kernel/Listing.ts"
import type { DonorsGroup } from "../endpoints/giving/donors.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

/** The page with its filters as they were sent. service-spec, Donor. */
const echoed = ({ sent }: ListQuery, page: Page<Donor>) => ({
  ...page,
  filters: {
    search: sent.search,
    email: sent.filters["email"] ?? null,
    donor_type: sent.filters["donor_type"] ?? null,
    created_at: sent.filters["created_at"] ?? null,
    segment: sent.segment,
    sort: sent.sort
  }
})

export const donorsHandlers = Effect.gen(function* () {
  const donors = yield* Donors
  const handlers: HandlersOf<typeof DonorsGroup> = {
    create: { run: ({ payload }) => donors.create(payload) },
    list: { run: ({ list }) => Effect.map(donors.list(list), (page) => echoed(list, page)) },
    read: { run: ({ params }) => donors.read(params.id) },
    update: { run: ({ params, payload }) => donors.update(params.id, payload) },
    archive: { run: ({ params }) => donors.archive(params.id) },
    merge: { run: ({ params, payload }) => donors.merge(params.id, payload) }
  }
  return handlers
})
