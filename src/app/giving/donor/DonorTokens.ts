import { type DateTime, Effect, Option } from "effect"
import type { Donor } from "../../../domain/giving/Donor.ts"
import * as PersonalisedLink from "../../../domain/giving/PersonalisedLink.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"

const purpose = "personalised_link"

/** Makes donors' own tokens for pages, and tells whose token is presented on one. decisions, section 4: Personalised links. */
export const makeDonorTokens = Effect.gen(function* () {
  const donors = yield* DonorStore
  const macs = yield* Macs

  /**
   * The donor whose token is presented on a page; none when the token is not the service's own, was made for another page,
   * has run out, or was revoked.
   */
  const donorOf = Effect.fnUntraced(function* (place: PersonalisedLink.LinkPage, token: string) {
    const presented = Option.getOrUndefined(PersonalisedLink.decode(place, token))
    if (presented === undefined) return Option.none()
    const { claims, mac } = presented
    const isOurs = yield* macs.verify(claims.key_id, purpose, PersonalisedLink.canonicalText(claims), mac)
    if (!isOurs) return Option.none()
    const now = yield* organisationNow
    const donor = yield* donors.find(place.organisation_id, claims.donor_id)
    return Option.filter(donor, (found) => Option.isNone(PersonalisedLink.lapseOf(claims, found, now)))
  })

  /** A donor's token for a page, and what it says. Nothing of it is stored. */
  const tokenOf = Effect.fnUntraced(function* (place: PersonalisedLink.LinkPage, donor: Donor, at: DateTime.Utc) {
    const [newestKey] = macs.keyIds
    const claims = PersonalisedLink.claim(place, donor, newestKey, at)
    const mac = yield* macs.make(newestKey, purpose, PersonalisedLink.canonicalText(claims))
    return { claims, token: PersonalisedLink.encode(claims, Option.getOrThrow(mac)) }
  })

  return { donorOf, tokenOf } as const
})
