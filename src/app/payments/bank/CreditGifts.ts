import { type DateTime, Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { CreditId, type DonationId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { arrivalOf } from "../../../domain/payments/BankTransfer.ts"
import type { Resolution } from "../../../domain/payments/ExceptionResolution.ts"
import type { PaymentException } from "../../../domain/payments/PaymentException.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { manualGift } from "../../giving/donation/ManualGift.ts"
import { makeDonorLookup } from "../../giving/donor/DonorLookup.ts"

const readCredit = Schema.decodeUnknownOption(CreditId)

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

/**
 * Books money of a bank account as a manual gift of the day on which it came, in the surrounding transaction and under
 * the lock of the exception that holds it. money, section 3: Bank transfer.
 */
export const makeCreditGifts = Effect.gen(function* () {
  const credits = yield* CreditStore
  const donations = yield* DonationStore
  const givenDonor = yield* makeDonorLookup
  const changeLog = yield* ChangeLog

  /** The money on a bank account that is held, and the day on which it came; none where it came elsewhere. */
  const heldMoney = Effect.fnUntraced(function* (exception: PaymentException, { timezone }: Organisation) {
    const { charge_id, kind, organisation_id, subject_id } = exception
    const credit = readCredit(subject_id)
    if (Option.isSome(credit)) {
      return Option.map(yield* credits.find(organisation_id, credit.value), ({ day, id }) => ({ day, credit_id: id }))
    }
    if (kind !== "underpaid" || charge_id === null) return Option.none()
    const parts = yield* credits.ofCharge(organisation_id, charge_id)
    const arrival = arrivalOf(exception.amount_cents, parts, timezone)
    const last = parts.find(({ day }) => day === arrival?.on) ?? parts.at(-1)
    return arrival === null || last === undefined ? Option.none() : Option.some({ day: arrival.on, credit_id: last.id })
  })

  return Effect.fnUntraced(function* (
    operation: string,
    organisation: Organisation,
    exception: PaymentException,
    { donation_id: id, donor_id }: Pick<Resolution, "donor_id"> & { readonly donation_id: DonationId },
    at: DateTime.Utc
  ) {
    const money = yield* heldMoney(exception, organisation)
    if (Option.isNone(money) || exception.held_cents === 0) {
      return yield* invalid("as_gift", "as_gift must not be given: it holds no money that came to a bank account.")
    }
    if (exception.held_cents > Limits.donationMaximumCents) {
      const message = `as_gift must not be given: a gift has at most ${Limits.donationMaximumCents}. Record several by hand.`
      return yield* invalid("as_gift", message)
    }
    const donor = yield* givenDonor(organisation.id, donor_id)
    const { currency, held_cents: amount_cents } = exception
    const { credit_id, day } = money.value
    const said = { id, donor_id: donor.id, amount_cents, currency, credit_id, payment_method: "bank_transfer" } as const
    const { events, state } = manualGift(organisation, { at, day }, said)
    yield* donations.insert(state)
    yield* changeLog.write({ operation, subject_id: id, at, events })
  })
})
