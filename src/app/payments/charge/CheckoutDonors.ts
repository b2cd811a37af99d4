import { type DateTime, Effect, Option } from "effect"
import { incomplete, submittedOf, type TypedDonor } from "../../../domain/giving/CheckoutDonor.ts"
import * as Donor from "../../../domain/giving/Donor.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { parse } from "../../../domain/kernel/Listing.ts"
import { birth } from "../../../domain/kernel/Machine.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { ChangeLog } from "../../access/change/ChangeLog.ts"

/** When, and in which operation, it is found out who gives. */
interface Occasion {
  readonly at: DateTime.Utc
  readonly operation: string
}

/** Finds or makes the donor of a gift. money, section 4: Donor. */
export const makeCheckoutDonors = Effect.gen(function* () {
  const donors = yield* DonorStore
  const changeLog = yield* ChangeLog
  const tokens = yield* Tokens

  /** The donor, locked against archiving and merging; none where that has happened. */
  const held = (organisation_id: OrganisationId, { id }: Donor.Donor) =>
    Effect.map(
      donors.findForShare(organisation_id, id),
      Option.filter(({ archived_at }) => archived_at === null)
    )

  /** The oldest donor of an e-mail address that is not archived, locked. */
  const ofEmail = Effect.fnUntraced(function* (
    organisation_id: OrganisationId,
    email: string
  ): Effect.fn.Return<Option.Option<Donor.Donor>> {
    const query = parse(Donor.listing, [
      ["email", email],
      ["sort", "created_at"],
      ["limit", "1"]
    ])
    const page = yield* Effect.orDie(
      Effect.flatMap(Effect.fromResult(query), (asked) => donors.list(organisation_id, asked))
    )
    const [oldest] = page.data
    if (oldest === undefined) return Option.none()
    const found = yield* held(organisation_id, oldest)
    // One that was archived or merged since it was listed: the next one is the oldest now.
    return Option.isSome(found) ? found : yield* ofEmail(organisation_id, email)
  })

  const make = Effect.fnUntraced(function* (
    organisation_id: OrganisationId,
    typed: TypedDonor,
    { at, operation }: Occasion
  ) {
    const profile = Donor.profileOf(typed)
    const refusal = incomplete(profile)
    if (refusal !== null) return yield* refusal
    const id = yield* tokens.id("donor")
    const { events, state } = birth(
      Donor.machine,
      Donor.births.recorded,
      (): Donor.Donor => ({
        ...profile,
        id,
        organisation_id,
        profile_revision: 1,
        created_at: at,
        updated_at: at,
        archived_at: null
      })
    )
    yield* donors.insert(state)
    yield* changeLog.write({ operation, subject_id: id, at, events })
    return state
  })

  /**
   * The donor of a gift, in the surrounding transaction: that of the link, else the oldest of the e-mail address that
   * was typed, else a new one from the details, with the event `donor.created` of `operation`. Fails with {@link
   * InvalidInput} where the details do not make one.
   */
  const resolve = Effect.fnUntraced(function* (
    organisation_id: OrganisationId,
    linked: Option.Option<Donor.Donor>,
    typed: TypedDonor,
    { at, operation }: Occasion
  ) {
    const ofLink = Option.isSome(linked) ? yield* held(organisation_id, linked.value) : Option.none()
    if (Option.isSome(ofLink)) return ofLink.value
    const email = submittedOf(typed)?.email ?? null
    // Whoever else submits the first gift of this address at the same moment waits, and finds the donor.
    if (email !== null) yield* donors.holdEmail(organisation_id, email)
    const known = email === null ? Option.none() : yield* ofEmail(organisation_id, email)
    return Option.isSome(known) ? known.value : yield* make(organisation_id, typed, { at, operation })
  })

  return { held, resolve } as const
})
