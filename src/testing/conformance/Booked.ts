import { Effect, Option } from "effect"
import type { RevenueCode } from "../../domain/giving/RevenueCode.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { ListQuery, Page } from "../../domain/kernel/Listing.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { newOrganisation, queryOf, revenueCodeOf } from "./Records.ts"
import { type Check, must, same } from "./Suite.ts"

/** Records that are booked under a revenue code. */
interface Booked {
  readonly id: string
  readonly organisation_id: OrganisationId
  readonly revenue_code: string | null
}

/** A store of such records. */
interface BookedSubject<A extends Booked, E, R> {
  readonly name: string
  readonly port: "CheckoutLinkStore" | "DonationFormStore" | "DonationStore"
  /** Stores a record under the code, as it is spelled at that moment. */
  readonly make: (organisation_id: OrganisationId, code: RevenueCode) => Effect.Effect<A, E, R>
  readonly find: (record: A) => Effect.Effect<Option.Option<A>, never, R>
  readonly findForUpdate: (record: A) => Effect.Effect<Option.Option<A>, never, R>
  readonly update: (record: A) => Effect.Effect<void, E, R>
  readonly list: (organisation_id: OrganisationId, query: ListQuery) => Effect.Effect<Page<A>, unknown, R>
}

/** The check that records show their revenue code as it is spelled now. */
export const bookedUnder = <A extends Booked, E, R>(
  subject: BookedSubject<A, E, R>
): Check<R | RevenueCodeStore | OrganisationStore> =>
  must(
    `${subject.name} show the revenue code that they are booked under as it is spelled now`,
    [`${subject.port} MUST be read as the code that revenue_code_id names is spelled now`],
    () =>
      Effect.gen(function* () {
        const codes = yield* RevenueCodeStore
        const [organisation, other] = [yield* newOrganisation(), yield* newOrganisation()]
        const code = yield* revenueCodeOf(organisation.id, { code: "Gala" })
        yield* codes.insert(code)
        // Another organisation's code of the same id is no code of this one.
        yield* codes.insert({ ...code, organisation_id: other.id, code: "Foreign" })
        const record = yield* subject.make(organisation.id, code)
        for (const text of ["Gala", "Gala 2027", "gala dinner"]) {
          yield* codes.update({ ...code, code: text })
          const shown = { ...record, revenue_code: text }
          same(yield* subject.find(record), Option.some(shown))
          same(yield* subject.findForUpdate(record), Option.some(shown))
          same((yield* subject.list(organisation.id, queryOf())).data, [shown])
        }
        // The text in the written record is ignored: the code's own record has it.
        yield* subject.update({ ...record, revenue_code: "Gala" })
        same(yield* subject.find(record), Option.some({ ...record, revenue_code: "gala dinner" }))
      })
  )
