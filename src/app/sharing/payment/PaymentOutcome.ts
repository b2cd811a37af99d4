import { type DateTime, Effect, Option, Result, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { type OrganisationId, PaymentId } from "../../../domain/kernel/Ids.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import * as Payment from "../../../domain/sharing/Payment.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { actingIn } from "../../access/caller/CallerContext.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import type { ChargeMove } from "../../kernel/reaction/Reactions.ts"
import { makeCheckoutDonors } from "../../payments/charge/ChargeCreation.ts"
import { makeChargeback } from "../refund/ReturnedMoney.ts"
import { makeDistribution } from "../transfer/Distribution.ts"
import { type Recipient, recipientsOf } from "./RecipientGifts.ts"

const operation = "charges.settle"

const settler = { type: "SYSTEM", id: "settler" } as const

const readPayment = Schema.decodeUnknownOption(PaymentId)

/** Who gave: at the recommending organisation, and at each recipient's. */
interface Givers {
  readonly giver: Payment.Payment["donor_id"]
  readonly recipients: ReadonlyMap<OrganisationId, Recipient>
}

interface Held extends Givers {
  readonly payment: Payment.Payment
}

/** The command by which a payment becomes what its charge is; null where that changes nothing of it. */
const commandOf = (payment: Payment.Payment, { at, failure_code, status }: ChargeMove): Payment.Command | null => {
  if (!Rule.holds(Payment.inFlight, payment)) return null
  switch (status) {
    case "NEW":
    case "PROCESSING":
      return null
    case "WAITING":
      return payment.payment_method_type === "bank_transfer" && payment.payment_status === "PENDING"
        ? { _tag: "AwaitFunds", at }
        : null
    case "SUCCEEDED":
      return { _tag: "Succeed", at }
    case "FAILED":
    case "CANCELLED": {
      const hasLapsed = failure_code === "bank_transfer_lapsed" && payment.payment_status === "AWAITING_FUNDS"
      return hasLapsed ? { _tag: "Lapse", at } : { _tag: "Fail", at, failure_code: failure_code ?? "cancelled" }
    }
  }
}

/** Has the payments of sets follow their charges. money, sections 4 and 6. */
export const makePaymentOutcome = Effect.gen(function* () {
  const donors = yield* makeCheckoutDonors
  const donorStore = yield* DonorStore
  const changeLog = yield* ChangeLog
  const organisations = yield* OrganisationStore
  const payments = yield* PaymentStore
  const attempts = yield* TransferAttemptStore
  const { begin, donorAt, give } = yield* makeDistribution
  const takeBack = yield* makeChargeback

  /** The donor: that of the link, archived meanwhile or not, or whoever was typed. Locked, as long as that takes. */
  const giverOf = Effect.fnUntraced(function* ({ link_donor_id, ...payment }: Payment.Payment, at: DateTime.Utc) {
    if (link_donor_id !== null) {
      yield* donorStore.findForShare(payment.organisation_id, link_donor_id)
      return link_donor_id
    }
    // The details were found to make a donor when they were submitted.
    const { id } = yield* Effect.orDie(
      donors.resolve(payment.organisation_id, Option.none(), payment.submitted_donor ?? {}, { at, operation })
    )
    return id
  })

  /**
   * The donor at every recipient. The organisations are gone through in an order that all payments share: two that lock
   * the donors of the same ones wait for each other, and never both.
   */
  const giversOf = Effect.fnUntraced(function* (payment: Payment.Payment, { at, request_id }: ChargeMove) {
    const own = payment.organisation_id
    const recipients = new Map<OrganisationId, Recipient>()
    let giver: Payment.Payment["donor_id"] = null
    for (const id of [...new Set([own, ...recipientsOf(payment)])].toSorted(compareCodePoints)) {
      if (id === own) giver = yield* giverOf(payment, at)
      if (recipientsOf(payment).includes(id)) {
        recipients.set(id, yield* donorAt(id, payment, { at, operation, request_id }))
      }
    }
    const givers: Givers = { giver, recipients }
    return givers
  })

  /**
   * The payment, locked, and its donors. A merge locks its donors before their payments, and so does this: one that was
   * merged while they were waited for is looked up again.
   */
  const held = Effect.fnUntraced(function* (
    organisation_id: OrganisationId,
    id: PaymentId,
    move: ChargeMove
  ): Effect.fn.Return<Option.Option<Held>, never, CurrentCaller> {
    const seen = yield* payments.find(organisation_id, id)
    if (Option.isNone(seen)) return Option.none()
    const isPaid = move.status === "SUCCEEDED" && Rule.holds(Payment.inFlight, seen.value)
    const known: Givers = { giver: seen.value.donor_id, recipients: new Map() }
    const givers = isPaid ? yield* giversOf(seen.value, move) : known
    const again = yield* payments.find(organisation_id, id)
    const isSame = Option.exists(again, ({ link_donor_id }) => link_donor_id === seen.value.link_donor_id)
    if (!isSame) return yield* held(organisation_id, id, move)
    const payment = yield* payments.findForUpdate(organisation_id, id)
    return Option.map(payment, (found) => ({ payment: found, ...givers }))
  })

  const settle = Effect.fnUntraced(function* (organisation: Organisation, id: PaymentId, move: ChargeMove) {
    const found = yield* held(organisation.id, id, move)
    if (Option.isNone(found)) return
    const { giver, payment, recipients } = found.value
    const { at, charge_id, chargeback, fees, request_id, status } = move
    const occasion = { at, operation, request_id }
    const command = commandOf(payment, move)
    const known = command?._tag === "Succeed" && giver !== null ? Payment.withDonor(payment, giver, at) : payment
    const decided = command === null ? Result.succeed(null) : decide(Payment.machine, known, command)
    // A charge's effect is legal for its payment: a refusal is an error of the program.
    const decision = yield* Effect.orDie(Effect.fromResult(decided))
    const state = decision?.state ?? known
    const paid = command?._tag === "Succeed" ? yield* give({ charge_id, payment: state }, recipients, occasion) : state
    const isNew = status === "SUCCEEDED" && fees !== null && paid.transfers_begun_at === null
    const begun = isNew ? yield* begin({ charge_id, payment: Payment.withFees(paid, fees, at) }, occasion) : paid
    // Whatever kept a transfer from being sent, such as a dispute, may have ended.
    if (begun.transfers_begun_at !== null) yield* attempts.lookNow(organisation.id, id)
    const after = chargeback === null ? begun : yield* takeBack({ payment: begun, charge_id }, chargeback, occasion)
    if (after === payment) return
    yield* payments.update(after)
    yield* changeLog.write({ operation, subject_id: id, at, events: decision?.events ?? [] })
  })

  /** Applies the consequences of a charge's change for its payment; the caller has locked the charge. */
  return Effect.fnUntraced(function* (move: ChargeMove) {
    const id = readPayment(move.subject_id)
    const organisation = Option.isSome(id) ? yield* organisations.find(move.organisation_id) : Option.none()
    if (Option.isNone(id) || Option.isNone(organisation)) return
    yield* settle(organisation.value, id.value, move).pipe(actingIn(organisation.value, settler, move.request_id))
  })
})
