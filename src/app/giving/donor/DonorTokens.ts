import { Effect, Option } from "effect"
import * as PersonalisedLink from "../../../domain/giving/PersonalisedLink.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"

/** The purpose of the MACs of personalised links. */
export const purpose = "personalised_link"

/** Tells whose token is presented on a page. decisions, section 4: Personalised links. */
export const makeDonorTokens = Effect.gen(function* () {
  const donors = yield* DonorStore
  const macs = yield* Macs

  /**
   * The donor whose token is presented on a page; none when the token is not the service's own, was made for another page,
   * has run out, or was revoked.
   */
  return Effect.fnUntraced(function* (place: PersonalisedLink.LinkPage, token: string) {
    const presented = Option.getOrUndefined(PersonalisedLink.decode(place, token))
    if (presented === undefined) return Option.none()
    const { claims, mac } = presented
    const isOurs = yield* macs.verify(claims.key_id, purpose, PersonalisedLink.canonicalText(claims), mac)
    if (!isOurs) return Option.none()
    const now = yield* organisationNow
    const donor = yield* donors.find(place.organisation_id, claims.donor_id)
    return Option.filter(donor, (found) => Option.isNone(PersonalisedLink.lapseOf(claims, found, now)))
  })
})
