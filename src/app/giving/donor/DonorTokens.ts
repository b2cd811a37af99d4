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

  /** The donor of claims that hold; none where they have run out, or were revoked. */
  const holderOf = Effect.fnUntraced(function* (claims: PersonalisedLink.Claims) {
    const now = yield* organisationNow
    const donor = yield* donors.find(claims.organisation_id, claims.donor_id)
    return Option.filter(donor, (found) => Option.isNone(PersonalisedLink.lapseOf(claims, found, now)))
  })

  /** The token of claims; none where their key is no longer on the ring. */
  const signed = (claims: PersonalisedLink.Claims) =>
    Effect.map(
      macs.make(claims.key_id, purpose, PersonalisedLink.canonicalText(claims)),
      Option.map((mac) => PersonalisedLink.encode(claims, mac))
    )

  /**
   * The donor whose token is presented on a page; none when the token is not the service's own, was made for another page,
   * has run out, or was revoked.
   */
  const donorOf = Effect.fnUntraced(function* (place: PersonalisedLink.LinkPage, token: string) {
    const presented = Option.getOrUndefined(PersonalisedLink.decode(place, token))
    if (presented === undefined) return Option.none()
    const { claims, mac } = presented
    const isOurs = yield* macs.verify(claims.key_id, purpose, PersonalisedLink.canonicalText(claims), mac)
    return isOurs ? yield* holderOf(claims) : Option.none()
  })

  /** A donor's token for a page, and what it says. Nothing of it is stored. */
  const tokenOf = Effect.fnUntraced(function* (place: PersonalisedLink.LinkPage, donor: Donor, at: DateTime.Utc) {
    const [newestKey] = macs.keyIds
    const claims = PersonalisedLink.claim(place, donor, newestKey, at)
    return { claims, token: Option.getOrThrow(yield* signed(claims)) }
  })

  /**
   * The token that was presented on a page, from the text of its claims: no other, and for no longer. None where it would be
   * accepted no more.
   */
  const presentedAgain = Effect.fnUntraced(function* (place: PersonalisedLink.LinkPage, claims_text: string) {
    const claims = PersonalisedLink.readClaims(place, claims_text)
    const holder = Option.isSome(claims) ? yield* holderOf(claims.value) : Option.none()
    return Option.isSome(claims) && Option.isSome(holder) ? yield* signed(claims.value) : Option.none()
  })

  return { donorOf, presentedAgain, tokenOf } as const
})
