import { Effect, Option, Schema } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import type { Requirement } from "../../domain/access/Policy.ts"
import * as DonationForm from "../../domain/giving/DonationForm.ts"
import { DonorRecord } from "../../domain/giving/Donor.ts"
import * as PersonalisedLink from "../../domain/giving/PersonalisedLink.ts"
import {
  LinkPage,
  NewPersonalisedLink,
  PersonalisedFormLink,
  PersonalisedSetLink
} from "../../domain/giving/PersonalisedLink.ts"
import { DonationFormId, RecommendationSetId } from "../../domain/kernel/Ids.ts"
import { publicUrl } from "../../domain/kernel/PublicAddress.ts"
import { TakesNoPayment } from "../../domain/kernel/Rejection.ts"
import { statusAt } from "../../domain/sharing/RecommendationSet.ts"
import { givingPath } from "../../domain/sharing/RecommendationSetDraft.ts"
import { DonationFormStore } from "../../ports/giving/DonationFormStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { PublicUrlTemplate } from "../../ports/kernel/PublicUrlTemplate.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { RecommendationSetStore } from "../../ports/sharing/RecommendationSetStore.ts"
import { requireScope, type WithRequirement } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, id, operationsOf, value } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { makeDonorLookup } from "../giving/donor/DonorLookup.ts"
import { makeDonorTokens } from "../giving/donor/DonorTokens.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound, refuseArchived } from "../kernel/store/RecordChecks.ts"

interface Page {
  readonly organisation: Organisation
  readonly target: PersonalisedLink.Target
  readonly path: string
}

const operations = Row.table("forms", {
  mintForForm: Row.withName(
    "forms.mint_link",
    Row.change(
      "Mint a donor's own link to a form",
      [id(DonationFormId, "donation form"), body(NewPersonalisedLink, PersonalisedFormLink)],
      PersonalisedFormLink,
      { secret: true }
    )
  ),
  mintForSet: Row.withName(
    "recommendation_sets.mint_link",
    Row.change(
      "Mint a donor's own link to a recommendation set",
      [id(RecommendationSetId, "recommendation set"), body(NewPersonalisedLink, PersonalisedSetLink)],
      PersonalisedSetLink,
      { secret: true }
    )
  ),
  verify: Row.keeper(
    "Find the donor whose personalised link leads to a page; null for a token that is not good there",
    [body(LinkPage), value("token", Schema.String)],
    Schema.NullOr(DonorRecord)
  )
})

/**
 * Makes donors' own links to pages, and verifies links that are presented. None is stored: any change of the donor's
 * profile revokes its links. decisions, section 4: Personalised links.
 */
export class PersonalisedLinks extends Service<PersonalisedLinks>()("almoner/app/PersonalisedLinks", function* () {
  const forms = yield* DonationFormStore
  const sets = yield* RecommendationSetStore
  const { donorOf, tokenOf } = yield* makeDonorTokens
  const givenDonor = yield* makeDonorLookup
  const template = yield* PublicUrlTemplate
  const changeLog = yield* ChangeLog
  const transaction = yield* Transaction

  const mint = Effect.fnUntraced(function* (
    { requires }: WithRequirement<Requirement>,
    { organisation, path, target }: Page,
    input: PersonalisedLink.NewPersonalisedLink
  ) {
    const donor = yield* givenDonor(organisation.id, input.donor_id)
    const at = yield* organisationNow
    const { claims, token } = yield* tokenOf({ organisation_id: organisation.id, target }, donor, at)
    yield* changeLog.write({ operation: requires.name, subject_id: target.id, at, events: [] })
    const page = publicUrl(template, organisation.slug, path)
    return PersonalisedLink.commonRecordOf(claims, PersonalisedLink.urlOf(page, token))
  })

  /**
   * A donor's own link to a form. Fails with {@link RecordArchived} when the form is archived, and with
   * {@link InvalidInput} (`donor_id`) when the donor is unknown or archived.
   */
  const mintForForm = Effect.fn("PersonalisedLinks.mintForForm")(function* (
    id: DonationFormId,
    input: PersonalisedLink.NewPersonalisedLink
  ) {
    const { organisation } = yield* requireScope(operations.mintForForm)
    const form = yield* forms.find(organisation.id, id).pipe(orNotFound("donation form", id))
    yield* refuseArchived("donation form", form)
    const page: Page = { organisation, target: { kind: "donation_form", id }, path: DonationForm.pagePath(form) }
    return { ...(yield* mint(operations.mintForForm, page, input)), form_id: id }
  }, transaction.run)

  /**
   * A donor's own link to a recommendation set. Fails as {@link mintForForm} does, and with {@link TakesNoPayment} when the
   * set is deactivated, expired or archived.
   */
  const mintForSet = Effect.fn("PersonalisedLinks.mintForSet")(function* (
    id: RecommendationSetId,
    input: PersonalisedLink.NewPersonalisedLink
  ) {
    const { organisation } = yield* requireScope(operations.mintForSet)
    const set = yield* sets.find(organisation.id, id).pipe(orNotFound("recommendation set", id))
    const status = statusAt(set, yield* organisationNow)
    if (status !== "ACTIVE") return yield* new TakesNoPayment({ record: "recommendation set", id, status })
    const page: Page = { organisation, target: { kind: "recommendation_set", id }, path: givingPath(set) }
    return { ...(yield* mint(operations.mintForSet, page, input)), recommendation_set_id: id }
  }, transaction.run)

  /** The donor whose token is presented on a page; none when the token is worth nothing there. */
  const verify = Effect.fn("PersonalisedLinks.verify")(function* (place: PersonalisedLink.LinkPage, token: string) {
    return yield* donorOf(place, token)
  })

  return yield* serviceInOrganisationTime(operations, { mintForForm, mintForSet, verify })
}) {}

/** The operations of {@link PersonalisedLinks}. `verify` answers the donor whose token it is, or null. */
export const personalisedLinkOperations = operationsOf(PersonalisedLinks, operations, {
  verify: { run: (use, place, token) => Effect.map(use.verify(place, token), Option.getOrNull) }
})
