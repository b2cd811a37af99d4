import { Effect, Option } from "effect"
import { type Donor, listing } from "../../../domain/giving/Donor.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { parse } from "../../../domain/kernel/Listing.ts"
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

/** Finds the donor itself, or whom it was merged into in the end; none where that one is archived. */
export const makeSurvivors = Effect.map(DonorStore, (donors) => {
  const survivorOf = Effect.fnUntraced(function* (donor: Donor): Effect.fn.Return<Option.Option<Donor>> {
    if (donor.archived_at === null) return Option.some(donor)
    if (donor.merged_into_donor_id === null) return Option.none()
    const next = yield* donors.find(donor.organisation_id, donor.merged_into_donor_id)
    return Option.isSome(next) ? yield* survivorOf(next.value) : next
  })
  return survivorOf
})

/** Finds donors by their e-mail address. */
export const makeDonorByEmail = Effect.gen(function* () {
  const donors = yield* DonorStore
  const survivorOf = yield* makeSurvivors
  const listed = (organisation_id: OrganisationId, email: string, more: ReadonlyArray<readonly [string, string]>) =>
    Effect.fromResult(parse(listing, [["email", email], ["sort", "created_at"], ...more])).pipe(
      Effect.flatMap((asked) => donors.list(organisation_id, asked)),
      Effect.map(({ data }) => data),
      Effect.orDie
    )

  /**
   * The oldest donor of an address that is not archived, else whom the oldest merged one of the address was merged into. Of
   * those who are archived a page is looked at.
   */
  return Effect.fnUntraced(function* (organisation_id: OrganisationId, email: string) {
    const page = yield* listed(organisation_id, email, [
      ["archived", "true"],
      ["limit", `${Limits.pageMaximum}`]
    ])
    const isWhole = page.length < Limits.pageMaximum
    const living = isWhole ? page : yield* listed(organisation_id, email, [["limit", "1"]])
    const oldest = living.find(({ archived_at }) => archived_at === null)
    if (oldest !== undefined) return Option.some(oldest)
    for (const each of page) {
      const survivor = yield* survivorOf(each)
      if (Option.isSome(survivor)) return survivor
    }
    return Option.none<Donor>()
  })
})
