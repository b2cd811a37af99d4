import { Effect, Option, Schema } from "effect"
import type { Donor } from "../../../domain/giving/Donor.ts"
import { DonorId, type OrganisationId } from "../../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { mergedSentence } from "./MergedDonor.ts"

const isDonorId = Schema.is(DonorId)

const unknown = (donor?: Donor) => {
  const message = `donor_id must be the id of a donor of this organisation that is not archived.${mergedSentence(donor)}`
  return new InvalidInput({ param: "donor_id", message })
}

/** The id of a donor that a body names, of whom it is not known yet whether there is one. */
export const donorIdOfBody = (donor_id: string | null | undefined): Effect.Effect<DonorId, InvalidInput> =>
  isDonorId(donor_id) ? Effect.succeed(donor_id) : Effect.fail(unknown())

/** Finds the donors that bodies name by `donor_id`. */
export const makeDonorLookup = Effect.gen(function* () {
  const donors = yield* DonorStore

  /**
   * The donor, locked against archiving and merging. Fails with {@link InvalidInput} when the organisation has none of
   * this id, or has archived it.
   */
  return Effect.fnUntraced(function* (organisation_id: OrganisationId, donor_id: string | null | undefined) {
    const found = yield* donors.findForShare(organisation_id, yield* donorIdOfBody(donor_id))
    return Option.isSome(found) && found.value.archived_at === null
      ? found.value
      : yield* unknown(Option.getOrUndefined(found))
  })
})
