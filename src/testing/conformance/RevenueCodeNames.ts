import { Effect, Option } from "effect"
import type { RevenueCode } from "../../domain/giving/RevenueCode.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import type { RecordStore } from "../../ports/kernel/RecordStore.ts"
import { newOrganisation, queryOf, revenueCodeOf } from "./Records.ts"
import { lawsOf, same } from "./Suite.ts"

const { must } = lawsOf(RevenueCodeStore)

/** Records that are booked under a revenue code. */
interface Booked {
  readonly id: string
  readonly organisation_id: OrganisationId
  readonly revenue_code: string | null
}

/** A store of such records. */
interface BookedSubject<A extends Booked, P, R> {
  readonly name: string
  /** The port's name, whose sentence promises it. */
  readonly sentenceOf: "CheckoutLinkStore" | "DonationFormStore" | "DonationStore"
  readonly port: Effect.Effect<RecordStore<A, A["id"], unknown>, never, P>
  /** Stores a record under the code, as it is spelled at that moment. */
  readonly make: (organisation_id: OrganisationId, code: RevenueCode) => Effect.Effect<A, never, R>
}

/** The check that records show their revenue code as it is spelled now. */
export const bookedUnder = <A extends Booked, P, R>(subject: BookedSubject<A, P, R>) =>
  must(
    `${subject.name} show the revenue code that they are booked under as it is spelled now`,
    [`${subject.sentenceOf} MUST be read as the code that revenue_code_id names is spelled now`],
    function* ({ store: codes }) {
      const store = yield* subject.port
      const [organisation, other] = [yield* newOrganisation(), yield* newOrganisation()]
      const code = yield* revenueCodeOf(organisation.id, { code: "Gala" })
      yield* codes.insert(code)
      // Another organisation's code of the same id is no code of this one.
      yield* codes.insert({ ...code, organisation_id: other.id, code: "Foreign" })
      const record = yield* subject.make(organisation.id, code)
      for (const text of ["Gala", "Gala 2027", "gala dinner"]) {
        yield* codes.update({ ...code, code: text })
        const shown = { ...record, revenue_code: text }
        same(yield* store.find(organisation.id, record.id), Option.some(shown))
        same(yield* store.findForUpdate(organisation.id, record.id), Option.some(shown))
        same((yield* store.list(organisation.id, queryOf())).data, [shown])
      }
      // The text in the written record is ignored: the code's own record has it.
      yield* Effect.orDie(store.update({ ...record, revenue_code: "Gala" }))
      same(yield* store.find(organisation.id, record.id), Option.some({ ...record, revenue_code: "gala dinner" }))
    }
  )
