import { Effect, Option } from "effect"
import type { Donor } from "../../../domain/giving/Donor.ts"
import { RecordArchived } from "../../../domain/kernel/Rejection.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"

/** The sentence of a refusal that names the donor who took over; empty where the donor is not merged, or there is none. */
export const mergedSentence = (donor: Pick<Donor, "id" | "merged_into_donor_id"> | undefined): string =>
  donor === undefined || donor.merged_into_donor_id === null
    ? ""
    : ` ${donor.id} was merged into ${donor.merged_into_donor_id}: use that one.`

/** Fails with {@link RecordArchived} for an archived donor. For one that was merged it names whom it was merged into. */
export const refuseArchivedDonor = (donor: Donor): Effect.Effect<void, RecordArchived> => {
  if (donor.archived_at === null) return Effect.void
  const instead = mergedSentence(donor).trim()
  const advice = instead === "" ? {} : { instead }
  return Effect.fail(new RecordArchived({ record: "donor", id: donor.id, ...advice }))
}

/** Finds who has taken over from donors that were merged, one after the other. */
export const makeSurvivors = Effect.map(DonorStore, (donors) => {
  /** The donor itself, or whom it was merged into in the end; none where that one is archived. */
  const survivorOf = Effect.fnUntraced(function* (donor: Donor): Effect.fn.Return<Option.Option<Donor>> {
    if (donor.archived_at === null) return Option.some(donor)
    if (donor.merged_into_donor_id === null) return Option.none()
    const next = yield* donors.find(donor.organisation_id, donor.merged_into_donor_id)
    return Option.isSome(next) ? yield* survivorOf(next.value) : next
  })
  return survivorOf
})
