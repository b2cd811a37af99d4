import { type DateTime, Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { differsFromRecord, incomplete, submittedOf, type TypedDonor } from "../../../domain/giving/CheckoutDonor.ts"
import * as Donation from "../../../domain/giving/Donation.ts"
import * as Donor from "../../../domain/giving/Donor.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { type ChargeId, type MandateId, type OrganisationId, RevenueCodeId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { birth } from "../../../domain/kernel/Machine.ts"
import type { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import { noRate } from "../../../domain/payments/Fees.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { makeDonorByEmail } from "../../giving/donor/MergedDonor.ts"
import { type PaymentAccount, takesToken } from "../account/PaymentAccounts.ts"
import { makePlatformFeeLookup } from "../ledger/LedgerWriter.ts"
import { leaseDuration } from "./ChargeWriter.ts"

/** A donor's payment: amount, method and means. */
export interface PaymentMeans {
  readonly submission_id: string
  readonly amount_cents: number
  readonly currency: string
  readonly method: PaymentMethod
  readonly payment_token?: string | null
  /** The claims of the donor's own link, where it was given through one. */
  readonly link_claims?: string | null
}

interface Asked extends Pick<Charge.Charge, "purpose" | "subject_id"> {
  /** The mandate that it saves or is taken by; null where the money is taken once. */
  readonly mandate_id?: Charge.Charge["mandate_id"]
  readonly id: ChargeId
  readonly organisation: Organisation
  readonly taking: PaymentAccount
  readonly paying: PaymentMeans
  readonly at: DateTime.Utc
}

/** Writes new charges, in the surrounding transaction. The processor is not asked yet. */
export const makeChargeCreation = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const box = yield* SecretBox
  const rates = yield* makePlatformFeeLookup

  return Effect.fnUntraced(function* (asked: Asked) {
    const { at, id, mandate_id = null, organisation, paying, purpose, subject_id, taking } = asked
    const { amount_cents, currency, link_claims = null, method, submission_id } = paying
    const token = takesToken(taking, method) ? (paying.payment_token ?? null) : null
    const sealed_token = token === null ? null : yield* box.seal(token, id)
    // Whoever writes it asks the processor next: the worker leaves it alone for as long.
    const look_at = addTime(yield* charges.now, leaseDuration)
    // The money of an own account never passes the platform.
    const platform_rate = taking.integration.is_own ? noRate : yield* rates.of(organisation, at)
    const charge = Charge.newCharge(
      {
        id,
        organisation_id: organisation.id,
        integration_id: taking.integration.id,
        purpose,
        subject_id,
        mandate_id,
        method,
        amount_cents,
        currency,
        submission_id,
        platform_rate,
        sealed_token,
        link_claims,
        look_at
      },
      at
    )
    yield* charges.insert(charge)
    return charge
  })
})

/** When, and in which operation, it is found out who gives. */
interface Occasion {
  readonly at: DateTime.Utc
  readonly operation: string
}

/** Finds or makes the donor of a gift. money, section 4: Donor. */
export const makeCheckoutDonors = Effect.gen(function* () {
  const donors = yield* DonorStore
  const changeLog = yield* ChangeLog
  const findByEmail = yield* makeDonorByEmail
  const tokens = yield* Tokens

  /** The donor, locked against archiving and merging; none where that has happened. */
  const held = (organisation_id: OrganisationId, { id }: Donor.Donor) =>
    Effect.map(
      donors.findForShare(organisation_id, id),
      Option.filter(({ archived_at }) => archived_at === null)
    )

  /** The donor of an e-mail address, locked. */
  const ofEmail = Effect.fnUntraced(function* (
    organisation_id: OrganisationId,
    email: string
  ): Effect.fn.Return<Option.Option<Donor.Donor>> {
    const found = yield* findByEmail(organisation_id, email)
    const locked = Option.isSome(found) ? yield* held(organisation_id, found.value) : found
    // One that was archived or merged since it was read: the next one is the oldest now.
    return Option.isSome(locked) || Option.isNone(found) ? locked : yield* ofEmail(organisation_id, email)
  })

  /** The same, of an address that is held: whoever else submits its first gift at the same moment waits, and finds the donor. */
  const knownBy = (organisation_id: OrganisationId, email: string) =>
    Effect.andThen(donors.holdEmail(organisation_id, email), ofEmail(organisation_id, email))

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
        archived_at: null,
        merged_into_donor_id: null
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
    const known = email === null ? Option.none() : yield* knownBy(organisation_id, email)
    return Option.isSome(known) ? known.value : yield* make(organisation_id, typed, { at, operation })
  })

  return { held, knownBy, resolve } as const
})

const readRevenueCode = Schema.decodeUnknownOption(RevenueCodeId)

/** The revenue code of a page, whose text may be none; null where it is none. */
export const bookedUnder = (revenue_code_id: string | null): RevenueCodeId | null =>
  Option.getOrNull(readRevenueCode(revenue_code_id))

/** The fields of a gift that its page sets. */
type Attributed = Pick<
  Donation.Donation,
  | "id"
  | "source"
  | "donation_form_id"
  | "checkout_link_id"
  | "campaign_id"
  | "submitted_donor"
  | "language"
  | "consent_given"
  | "consent_responses"
> &
  Partial<Pick<Donation.Donation, "subscription_id" | "is_recurring">>

/** A gift to be written, whose donor is locked. */
export interface GiftInput {
  readonly operation: string
  readonly organisation: Organisation
  readonly taking: PaymentAccount
  readonly paying: PaymentMeans
  readonly donor: Donor.Donor
  readonly gift: Attributed
  /** The mandate that its charge saves; null where it is given once. */
  readonly mandate_id?: MandateId | null
  /** Whatever the gift is booked under. */
  readonly booked: { readonly revenue_code: string | null; readonly revenue_code_id: string | null }
  readonly at: DateTime.Utc
}

/** Writes a gift and its charge with the gift's events, in the surrounding transaction. money, section 4: Order. */
export const makeGiftCreation = Effect.gen(function* () {
  const donations = yield* DonationStore
  const changeLog = yield* ChangeLog
  const newCharge = yield* makeChargeCreation
  const tokens = yield* Tokens

  return Effect.fnUntraced(function* (given: GiftInput) {
    const { at, booked, donor, gift, mandate_id = null, operation, organisation, paying, taking } = given
    const charge_id = yield* tokens.id("charge")
    const born = birth(
      Donation.machine,
      Donation.births.submitted,
      (status): Donation.Donation =>
        Donation.bare({
          ...gift,
          organisation_id: organisation.id,
          donor_id: donor.id,
          status,
          amount_cents: paying.amount_cents,
          currency: paying.currency,
          donation_date: at,
          donation_day: dayOf(at, organisation.timezone),
          payment_method: paying.method,
          revenue_code: booked.revenue_code,
          revenue_code_id: bookedUnder(booked.revenue_code_id),
          differs_from_record: differsFromRecord(gift.submitted_donor, donor),
          charge_id,
          created_at: at,
          updated_at: at
        })
    )
    const subject_id = gift.id
    const charge = yield* newCharge({
      id: charge_id,
      organisation,
      taking,
      paying,
      purpose: "donation",
      subject_id,
      mandate_id,
      at
    })
    yield* donations.insert(born.state)
    yield* changeLog.write({ operation, subject_id, at, events: born.events })
    return charge
  })
})
