import { Effect, Option, Schema } from "effect"
import { DonorRecord } from "../../../domain/giving/Donor.ts"
import { PersonalisedFormLink, PersonalisedSetLink } from "../../../domain/giving/PersonalisedLink.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import { asks, PersonalisedLinks, takes } from "../PersonalisedLinks.ts"

const links = operationsOf(PersonalisedLinks)

/** The operations of {@link PersonalisedLinks}. `verify` answers the donor whose token it is, or null. */
export const personalisedLinkOperations = {
  mintForForm: links.forCaller({
    asks: asks.mintForForm,
    keyed: true,
    secret: true,
    takes: takes.mintForForm,
    gives: PersonalisedFormLink,
    run: (use, form, input) => use.mintForForm(form, input)
  }),
  mintForSet: links.forCaller({
    asks: asks.mintForSet,
    keyed: true,
    secret: true,
    takes: takes.mintForSet,
    gives: PersonalisedSetLink,
    run: (use, set, input) => use.mintForSet(set, input)
  }),
  verify: links.forInstallation({
    says: "Find the donor whose personalised link leads to a page; null for a token that is not good there",
    takes: takes.verify,
    gives: Schema.NullOr(DonorRecord),
    run: (use, place, token) => Effect.map(use.verify(place, token), Option.getOrNull)
  })
}
