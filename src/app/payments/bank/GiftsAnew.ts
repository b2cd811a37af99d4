import { type DateTime, Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import * as Donation from "../../../domain/giving/Donation.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { type ChargeId, DonationId, type OrganisationId, PaymentId } from "../../../domain/kernel/Ids.ts"
import { birth } from "../../../domain/kernel/Machine.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { type Charge, chargedAnew, unpaid } from "../../../domain/payments/Charge.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { makeCheckoutLinkChange } from "../../giving/link/CheckoutLinkChange.ts"
import { Reactions } from "../../kernel/reaction/Reactions.ts"

const readDonation = Schema.decodeUnknownSync(DonationId)
const readPayment = Schema.decodeUnknownSync(PaymentId)

const services = Effect.all({
  changeLog: ChangeLog,
  changeLink: makeCheckoutLinkChange,
  charges: ChargeStore,
  donations: DonationStore,
  donors: DonorStore,
  reactions: Reactions,
  tokens: Tokens
})

type Services = Effect.Success<typeof services>

interface Occasion {
  readonly operation: string
  readonly at: DateTime.Utc
}

/** A gift whose donor is locked: one that a merge moves meanwhile is read again. */
const heldGift = Effect.fnUntraced(function* (
  services: Services,
  organisation_id: OrganisationId,
  id: DonationId
): Effect.fn.Return<Donation.Donation> {
  const gift = yield* services.donations.find(organisation_id, id)
  if (Option.isNone(gift)) return yield* Effect.die(new Error(`There is no gift ${id}`))
  yield* services.donors.findForShare(organisation_id, gift.value.donor_id)
  const again = yield* services.donations.find(organisation_id, id)
  const isSame = Option.exists(again, ({ donor_id }) => donor_id === gift.value.donor_id)
  return isSame ? gift.value : yield* heldGift(services, organisation_id, id)
})

/** Has the gift's link wait for it again, where the link is not paid, ended or begun otherwise since. */
const beginLink = (
  { changeLink }: Services,
  organisation: Organisation,
  { checkout_link_id, id: donation_id }: Donation.Donation,
  { at, operation }: Occasion
) =>
  checkout_link_id === null
    ? Effect.void
    : Effect.ignore(
        Effect.flatMap(changeLink.take(organisation, checkout_link_id), (held) =>
          changeLink.settle(operation, { ...held, at }, [{ _tag: "Begin", at, donation_id, is_bank_transfer: true }])
        )
      )

/** Writes the gift of an ended charge again: its donor, form, link, campaign and consent are those of the gift that failed. */
const giftAnew = Effect.fnUntraced(function* (
  services: Services,
  organisation: Organisation,
  ended: Charge,
  charge_id: ChargeId,
  occasion: Occasion
) {
  const { at, operation } = occasion
  const failed = yield* heldGift(services, organisation.id, readDonation(ended.subject_id))
  const id = yield* services.tokens.id("donation")
  const { events, state } = birth(
    Donation.machine,
    Donation.births.submitted,
    (status): Donation.Donation => ({
      ...Donation.anewOf(failed, id, at),
      status,
      charge_id,
      donation_date: at,
      donation_day: dayOf(at, organisation.timezone)
    })
  )
  yield* beginLink(services, organisation, state, occasion)
  yield* services.donations.insert(state)
  yield* services.changeLog.write({ operation, subject_id: id, at, events })
  return id
})

const paymentAnew = Effect.fnUntraced(function* (services: Services, ended: Charge, { at, operation }: Occasion) {
  const id = yield* services.tokens.id("payment")
  const { organisation_id, subject_id } = ended
  const lapsed_id = readPayment(subject_id)
  yield* services.reactions.paymentAnew({ organisation_id, lapsed_id, id, at })
  yield* services.changeLog.write({ operation, subject_id: id, at, events: [] })
  return id
})

const anew = Effect.fnUntraced(function* (
  services: Services,
  organisation: Organisation,
  ended: Charge,
  occasion: Occasion
): Effect.fn.Return<Charge, never, CurrentCaller> {
  const { charges, tokens } = services
  const known = yield* charges.ofSubmission(organisation.id, ended.id)
  if (Option.isSome(known)) return yield* open(services, organisation, known.value.id, occasion)
  const id = yield* tokens.id("charge")
  const subject_id =
    ended.purpose === "payment"
      ? yield* paymentAnew(services, ended, occasion)
      : yield* giftAnew(services, organisation, ended, id, occasion)
  const charge = chargedAnew(ended, { id, subject_id, look_at: yield* charges.now }, occasion.at)
  yield* Effect.orDie(charges.insert(charge))
  return charge
})

const open = Effect.fnUntraced(function* (
  services: Services,
  organisation: Organisation,
  id: ChargeId,
  occasion: Occasion
): Effect.fn.Return<Charge, never, CurrentCaller> {
  const found = yield* services.charges.findForUpdate(organisation.id, id)
  if (Option.isNone(found)) return yield* Effect.die(new Error(`There is no charge ${id}`))
  return holds(unpaid, found.value) ? yield* anew(services, organisation, found.value, occasion) : found.value
})

/**
 * The charge for a gift whose charge ended without its money, which is there after all: what failed stays as it is told, and the gift
 * is given anew, once. docs/decisions/0075.
 */
export const makeGiftsAnew = Effect.map(
  services,
  (services) => (organisation: Organisation, ended: Charge, occasion: Occasion) =>
    anew(services, organisation, ended, occasion)
)
