import { type DateTime, Effect, Option } from "effect"
import type { Donor } from "../../domain/giving/Donor.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { DonorReferences } from "../../ports/giving/DonorReferences.ts"
import type { RecordStore } from "../../ports/kernel/RecordStore.ts"
import { newDonor } from "./MoneyRecords.ts"
import { at } from "./Records.ts"
import { lawsOf, same } from "./Suite.ts"

/** A record that names a donor. */
interface Referring {
  readonly id: string
  readonly organisation_id: OrganisationId
  readonly updated_at: DateTime.Utc
}

type StoreOf<A extends Referring> = Pick<RecordStore<A, A["id"], unknown>, "findForUpdate" | "insert"> & DonorReferences

/** Records that follow a donor. */
interface ReferringSubject<A extends Referring, P, R> {
  readonly name: string
  readonly port: Effect.Effect<StoreOf<A>, never, P>
  /** Records of the donor that are not stored yet, one in each state that such a record can be in. */
  readonly make: (donor: Donor) => Effect.Effect<ReadonlyArray<A>, never, R>
}

/** Checks that records follow a donor who is merged into another. */
export const donorReferences = <A extends Referring, P, R>({ make, name, port }: ReferringSubject<A, P, R>) =>
  lawsOf(port).must(
    `${name}: all records of one donor become another's, and nobody else's do`,
    [
      "DonorReferences.reassign MUST give every record of from to to and date its change at",
      "DonorReferences.reassign MUST leave all other records as they are"
    ],
    function* ({ store, id, other }) {
      const [from, to, bystander] = [yield* newDonor(id), yield* newDonor(id), yield* newDonor(id)]
      const namesake = yield* newDonor(other, { id: from.id })
      const stored = (donor: Donor) =>
        Effect.tap(make(donor), (records) => Effect.forEach(records, (each) => Effect.orDie(store.insert(each))))
      const moved = yield* stored(from)
      const kept = (yield* Effect.forEach([to, bystander, namesake], stored)).flat()
      yield* store.reassign(other, (yield* newDonor(other)).id, namesake.id, at(4))
      yield* store.reassign(id, from.id, to.id, at(6))
      const change = { donor_id: to.id, updated_at: at(6) }
      for (const record of [...moved.map((each) => ({ ...each, ...change })), ...kept]) {
        same(yield* store.findForUpdate(record.organisation_id, record.id), Option.some<A>(record))
      }
    }
  )
