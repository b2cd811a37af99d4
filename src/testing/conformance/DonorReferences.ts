import { type DateTime, Effect, Option } from "effect"
import type { Donor } from "../../domain/giving/Donor.ts"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { at, donorOf, newOrganisation } from "./Records.ts"
import { type Check, must, same } from "./Suite.ts"

/** Records that name a donor. */
interface Referring<A, R> {
  readonly name: string
  /** Stores records of the donor, one in each state that such a record can be in. */
  readonly store: (donor: Donor) => Effect.Effect<ReadonlyArray<A>, never, R>
  /** Finds a record in any state. */
  readonly find: (record: A) => Effect.Effect<Option.Option<A>, never, R>
  readonly reassign: (
    organisation_id: OrganisationId,
    from: DonorId,
    to: DonorId,
    at: DateTime.Utc
  ) => Effect.Effect<void, never, R>
}

const newDonor = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<Donor> = {}) {
  const donor = yield* donorOf(organisation_id, given)
  yield* (yield* DonorStore).insert(donor)
  return donor
})

/** Checks that records follow a donor who is merged into another. */
export const donorReferences = <A extends { readonly donor_id: unknown; readonly updated_at: DateTime.Utc }, R>(
  subject: Referring<A, R>
): Check<R | DonorStore | OrganisationStore> =>
  must(
    `${subject.name}: all records of one donor become another's, and nobody else's do`,
    [
      "DonorReferences.reassign MUST give every record of from to to and date its change at",
      "DonorReferences.reassign MUST leave all other records as they are"
    ],
    () =>
      Effect.gen(function* () {
        const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
        const [from, to, bystander] = [yield* newDonor(id), yield* newDonor(id), yield* newDonor(id)]
        const namesake = yield* newDonor(other.id, { id: from.id })
        const moved = yield* subject.store(from)
        const kept = (yield* Effect.forEach([to, bystander, namesake], subject.store)).flat()
        yield* subject.reassign(id, from.id, to.id, at(5))
        for (const record of moved) {
          same(yield* subject.find(record), Option.some({ ...record, donor_id: to.id, updated_at: at(5) }))
        }
        for (const record of kept) same(yield* subject.find(record), Option.some(record))
      })
  )
