import { Effect, Option, Schema } from "effect"
import { DonorId, type OrganisationId } from "../../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"

const isDonorId = Schema.is(DonorId)

/** Finds the donors that bodies name by `donor_id`. */
export const makeGivenDonor = Effect.gen(function* () {
  const donors = yield* DonorStore

  /**
   * The donor, locked against archiving and merging. Fails with {@link InvalidInput} when the organisation has none of
   * this id, or has archived it.
   */
  return Effect.fnUntraced(function* (organisation_id: OrganisationId, donor_id: string) {
    const found = isDonorId(donor_id) ? yield* donors.findForShare(organisation_id, donor_id) : Option.none()
    if (Option.isSome(found) && found.value.archived_at === null) return found.value
    const message = "donor_id must be the id of a donor of this organisation that is not archived."
    return yield* new InvalidInput({ param: "donor_id", message })
  })
})
