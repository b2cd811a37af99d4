import { Effect, Option, Schema } from "effect"
import { DonorRecord } from "../../../domain/giving/Donor.ts"
import { DonationFormId, RecommendationSetId } from "../../../domain/kernel/Ids.ts"
import {
  NewPersonalisedLink,
  PersonalisedFormLink,
  PersonalisedSetLink,
  Place
} from "../../../domain/sharing/PersonalisedLink.ts"
import { body, id, operationsOf, value } from "../../access/steps/Operation.ts"
import { asks, PersonalisedLinks } from "../PersonalisedLinks.ts"

const links = operationsOf(PersonalisedLinks)

/** The operations of {@link PersonalisedLinks}. `verify` answers the donor whose token it is, or null. */
export const personalisedLinkOperations = {
  mintForForm: links.forCaller({
    asks: asks.mintForForm,
    keyed: true,
    takes: [id(DonationFormId, "donation form"), body(NewPersonalisedLink, PersonalisedFormLink)],
    gives: PersonalisedFormLink,
    run: (use, form, input) => use.mintForForm(form, input)
  }),
  mintForSet: links.forCaller({
    asks: asks.mintForSet,
    keyed: true,
    takes: [id(RecommendationSetId, "recommendation set"), body(NewPersonalisedLink, PersonalisedSetLink)],
    gives: PersonalisedSetLink,
    run: (use, set, input) => use.mintForSet(set, input)
  }),
  verify: links.forInstallation({
    takes: [body(Place), value("token", Schema.String)],
    gives: Schema.NullOr(DonorRecord),
    run: (use, place, token) => Effect.map(use.verify(place, token), Option.getOrNull)
  })
}
