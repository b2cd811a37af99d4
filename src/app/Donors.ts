import { Context, DateTime, Effect, Layer, Option } from "effect"
import * as Donor from "../domain/Donor.ts"
import type { DonorId } from "../domain/Ids.ts"
import type { ListQuery } from "../domain/Listing.ts"
import type { Operation } from "../domain/Policy.ts"
import { InvalidInput, NotFound, RecordArchived } from "../domain/Rejection.ts"
import { DonorStore } from "../ports/DonorStore.ts"
import { Tokens } from "../ports/Tokens.ts"
import { Transaction } from "../ports/Transaction.ts"
import { Journal } from "./steps/Journal.ts"
import { permitted } from "./steps/Permission.ts"

const requireName = (donor: Donor.Profile): Effect.Effect<void, InvalidInput> => {
  const param = Donor.missingField(donor)
  return param === null
    ? Effect.void
    : Effect.fail(new InvalidInput({ param, message: `A donor of type ${donor.donor_type} needs ${param}.` }))
}

/** Records donors. decisions, section 4: Donors. */
export class Donors extends Context.Service<Donors>()("almoner/app/Donors", {
  make: Effect.gen(function* () {
    const store = yield* DonorStore
    const journal = yield* Journal
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    /** Records a donor and emits `donor.created`. Fails with {@link InvalidInput} when it has no name at all. */
    const create = Effect.fn("Donors.create")(function* (input: Donor.NewDonor) {
      const caller = yield* permitted("donors.create")
      const profile = Donor.profileOf(input)
      yield* requireName(profile)
      const at = yield* DateTime.now
      const donor: Donor.Donor = {
        ...profile,
        id: yield* tokens.id("donor"),
        organisation_id: caller.organisation.id,
        profile_revision: 1,
        created_at: at,
        updated_at: at,
        archived_at: null
      }
      yield* store.insert(donor)
      yield* journal.write({
        operation: "donors.create",
        subject_id: donor.id,
        at,
        events: [{ type: "donor.created", data: Donor.eventCore(donor) }]
      })
      return donor
    }, transaction.run)

    const read = Effect.fn("Donors.read")(function* (id: DonorId) {
      const caller = yield* permitted("donors.read")
      const found = yield* store.find(caller.organisation.id, id)
      if (Option.isNone(found)) return yield* new NotFound({ record: "donor", id })
      return found.value
    })

    const list = Effect.fn("Donors.list")(function* (query: ListQuery) {
      const caller = yield* permitted("donors.list")
      return yield* store.list(caller.organisation.id, query)
    })

    const findForUpdate = Effect.fnUntraced(function* (operation: Operation, id: DonorId) {
      const caller = yield* permitted(operation)
      const found = yield* store.findForUpdate(caller.organisation.id, id)
      if (Option.isNone(found)) return yield* new NotFound({ record: "donor", id })
      return found.value
    })

    /** Changes fields; a patch that changes nothing emits nothing. Fails with {@link RecordArchived} after archiving. */
    const update = Effect.fn("Donors.update")(function* (id: DonorId, patch: Donor.DonorPatch) {
      const donor = yield* findForUpdate("donors.update", id)
      if (donor.archived_at !== null) return yield* new RecordArchived({ record: "donor", id })
      const at = yield* DateTime.now
      const { changed_fields, donor: next } = Donor.patched(donor, patch, at)
      yield* requireName(next)
      if (changed_fields.length > 0) yield* store.update(next)
      yield* journal.write({
        operation: "donors.update",
        subject_id: id,
        at,
        events:
          changed_fields.length === 0
            ? []
            : [{ type: "donor.updated", data: { ...Donor.eventCore(next), changed_fields } }]
      })
      return next
    }, transaction.run)

    /** Archives a donor. A repetition leaves the record as it is, and is audited and emitted again. */
    const archive = Effect.fn("Donors.archive")(function* (id: DonorId) {
      const donor = yield* findForUpdate("donors.archive", id)
      const at = yield* DateTime.now
      const archived_at = donor.archived_at ?? at
      const archived: Donor.Donor =
        donor.archived_at === null
          ? { ...donor, archived_at, updated_at: at, profile_revision: donor.profile_revision + 1 }
          : donor
      if (donor.archived_at === null) yield* store.update(archived)
      yield* journal.write({
        operation: "donors.archive",
        subject_id: id,
        at,
        events: [{ type: "donor.archived", data: { ...Donor.eventCore(archived), archived_at } }]
      })
      return archived
    }, transaction.run)

    return { create, read, list, update, archive } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
