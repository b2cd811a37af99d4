import { type DateTime, Effect } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { birth } from "../../../domain/kernel/Machine.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { breakdownOf, noRate } from "../../../domain/payments/Fees.ts"
import * as Payment from "../../../domain/sharing/Payment.ts"
import type { RecommendationSet } from "../../../domain/sharing/RecommendationSet.ts"
import * as Transfer from "../../../domain/sharing/Transfer.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { RecipientAccountStore } from "../../../ports/sharing/RecipientAccountStore.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { Reactions } from "../../kernel/reaction/Reactions.ts"
import type { PaymentAccount } from "../../payments/account/PaymentAccounts.ts"
import { makeChargeCreation, type PaymentMeans } from "../../payments/charge/ChargeCreation.ts"
import { makePlatformFeeLookup } from "../../payments/ledger/LedgerWriter.ts"

interface Given {
  readonly operation: string
  readonly organisation: Organisation
  readonly taking: PaymentAccount
  readonly paying: PaymentMeans
  readonly set: RecommendationSet
  /** The amount of each recipient, in the order of the set. */
  readonly amounts_cents: ReadonlyArray<number>
  readonly giver: Pick<
    Payment.Payment,
    "link_donor_id" | "submitted_donor" | "language" | "consent_given" | "consent_responses" | "campaign_id"
  >
  /** The address by which the recipients know the donor. */
  readonly email: string | null
  readonly at: DateTime.Utc
}

/** Writes a payment to a set with its charge, in the surrounding transaction. money, section 4: Order. */
export const makePaymentCreation = Effect.gen(function* () {
  const payments = yield* PaymentStore
  const links = yield* RecipientAccountStore
  const changeLog = yield* ChangeLog
  const newCharge = yield* makeChargeCreation
  const rates = yield* makePlatformFeeLookup
  const tokens = yield* Tokens
  const reactions = yield* Reactions

  const transfersOf = Effect.fnUntraced(function* (
    { allocations, organisation_id }: RecommendationSet,
    gross: ReadonlyArray<number>,
    net: ReadonlyArray<number>
  ) {
    const named = allocations.map((each) => each.recipient_org_account_link_id)
    const found = new Map((yield* links.findManyForShare(organisation_id, named)).map((link) => [link.id, link]))
    const transfers: Array<Transfer.Transfer> = []
    for (const [index, { recipient_org_account_link_id }] of allocations.entries()) {
      const link = found.get(recipient_org_account_link_id)
      // A set's recipients are deactivated, and never gone.
      if (link === undefined) return yield* Effect.die(new Error(`the link ${recipient_org_account_link_id} is gone`))
      const id = yield* tokens.id("paymentAllocation")
      const { state } = birth(
        Transfer.machine,
        Transfer.births.submitted,
        (transfer_status): Transfer.Transfer => ({
          id,
          recipient_org_account_link_id,
          recipient_organisation_id: link.recipient_organisation_id,
          gross_amount_cents: gross[index] ?? 0,
          net_amount_cents: net[index] ?? 0,
          transfer_status,
          donation_id: null,
          failure_code: null,
          processor_reference: null,
          series: 1,
          retry_count: 0,
          succeeded_at: null,
          failed_at: null,
          reversed_at: null
        })
      )
      transfers.push(state)
    }
    return transfers
  })

  /** Fails with {@link InvalidInput} where what the donor may give a recipient does not permit what all its parts come to. */
  const allowed = (
    { at, email, paying }: Given,
    { gross_amount_cents, recipient_org_account_link_id, recipient_organisation_id }: Transfer.Transfer,
    all: ReadonlyArray<Transfer.Transfer>
  ) => {
    if (gross_amount_cents === 0) return Effect.void
    const theirs = all.filter((each) => each.recipient_organisation_id === recipient_organisation_id)
    return reactions.giftAsked({
      organisation_id: recipient_organisation_id,
      donor: email === null ? null : { email },
      amount_cents: theirs.reduce((sum, each) => sum + each.gross_amount_cents, 0),
      currency: paying.currency,
      source: "RECOMMENDATION_SET",
      revenue_code_id: null,
      recipient_account_link_id: recipient_org_account_link_id,
      at
    })
  }

  return Effect.fnUntraced(function* (given: Given) {
    const { amounts_cents, at, giver, operation, organisation, paying, set, taking } = given
    const platform = yield* rates.of(organisation, at)
    // The processor's fee is not known before it has the money: until then the net amounts are what the tariff leaves.
    const estimate = breakdownOf(amounts_cents, { platform, processor: noRate })
    const allocations = yield* transfersOf(set, amounts_cents, estimate.net_amounts_cents)
    // Whoever gives at a recipient is held there: in the one order of all payments.
    const inOrder = allocations.toSorted((a, b) =>
      compareCodePoints(a.recipient_organisation_id, b.recipient_organisation_id)
    )
    yield* Effect.forEach(inOrder, (each) => allowed(given, each, allocations), { discard: true })
    const id = yield* tokens.id("payment")
    const born = birth(
      Payment.machine,
      Payment.births.submitted,
      (payment_status): Payment.Payment => ({
        ...giver,
        id,
        organisation_id: organisation.id,
        recommendation_set_id: set.id,
        donor_id: null,
        payment_status,
        currency: paying.currency,
        total_amount_cents: estimate.total_amount_cents,
        ask_total_cents: null,
        payment_method_type: paying.method,
        platform_fee_cents: estimate.platform_fee_cents,
        processor_fee_cents: estimate.processor_fee_cents,
        allocations,
        processor_reference: null,
        failure_code: null,
        succeeded_at: null,
        failed_at: null,
        transfers_begun_at: null,
        created_at: at,
        updated_at: at
      })
    )
    const charge_id = yield* tokens.id("charge")
    const charge = yield* newCharge({
      id: charge_id,
      organisation,
      taking,
      paying,
      purpose: "payment",
      subject_id: id,
      at
    })
    yield* payments.insert(born.state)
    yield* changeLog.write({ operation, subject_id: id, at, events: [] })
    return charge
  })
})
