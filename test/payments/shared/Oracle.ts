import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { Ledger } from "../../../src/app/payments/Ledger.ts"
import { dayOf } from "../../../src/domain/kernel/CalendarDate.ts"
import { InvoiceId, SubscriptionId } from "../../../src/domain/kernel/Ids.ts"
import { parse } from "../../../src/domain/kernel/Listing.ts"
import type { Charge } from "../../../src/domain/payments/Charge.ts"
import * as Invoice from "../../../src/domain/payments/Invoice.ts"
import type { TestCharge } from "../../../src/domain/payments/TestCharge.ts"
import { DonationStore } from "../../../src/ports/giving/DonationStore.ts"
import { InvoiceStore } from "../../../src/ports/payments/InvoiceStore.ts"
import { MandateStore } from "../../../src/ports/payments/MandateStore.ts"
import { PaymentExceptionStore } from "../../../src/ports/payments/PaymentExceptionStore.ts"
import { SubscriptionStore } from "../../../src/ports/payments/SubscriptionStore.ts"
import { type EventView, eventsOf } from "../../support/Tenant.ts"
import { noticesOf } from "../../support/TestNotices.ts"
import { amountTaken, bankChargeOf, sum } from "../BankCharge.ts"
import { legalOrder, ofDonations } from "../EventLog.ts"
import { assertReconciled } from "../Reconciliation.ts"
import type { House, Houses } from "./Houses.ts"
import { type PaidSet, type PaidShare, paymentsOf } from "./PaymentView.ts"

// What must hold of every history of gifts that are shared and repeated, said again from the promises and from what the bank
// has, and by nothing that decides it.

/** What a recipient's gift is, by what its recommender sees of its part. */
const giftBy = { pending: "PENDING", succeeded: "CONFIRMED", failed: "FAILED", reversed: "REFUNDED" } as const

/** What becomes of a whole payment, by its parts: the first that matches. */
const foldOf = (parts: ReadonlyArray<string>): string => {
  const count = (status: string) => parts.filter((each) => each === status).length
  if (parts.length === 0 || count("pending") > 0) return "PENDING"
  if (count("succeeded") === parts.length) return "SUCCEEDED"
  if (count("succeeded") === 0 && count("reversed") > 0) return "REVERSED"
  return count("failed") === parts.length ? "FAILED" : "PARTIAL"
}

const recipientOf = ({ houses }: Houses, house: House, { recipient_org_account_link_id }: PaidShare): House => {
  const share = house.set.shares.find(({ link }) => link === recipient_org_account_link_id)
  return houses[share?.to ?? -1] ?? assert.fail("nobody's part")
}

/** Both sides of a payment say the same of each part. */
const assertBothSides = async (world: Houses, house: House, paid: PaidSet): Promise<void> => {
  const given = paid.allocations.filter(({ gross_amount_cents }) => gross_amount_cents > 0)
  assert.strictEqual(paid.distribution_status, foldOf(given.map(({ transfer_status }) => transfer_status)))
  for (const share of paid.allocations) {
    const isThere = paid.payment_status === "SUCCEEDED" && share.gross_amount_cents > 0
    assert.strictEqual(share.donation_id !== null, isThere, "a gift where there is money for it, and nowhere else")
    if (share.donation_id === null) continue
    const { donation_id } = share
    const { organisation } = recipientOf(world, house, share).giving.tenant
    const found = await world.service.run(DonationStore.use((store) => store.find(organisation.id, donation_id)))
    const gift = Option.getOrThrow(found)
    assert.strictEqual(gift.status, giftBy[share.transfer_status], `${share.id} is ${share.transfer_status}`)
    assert.strictEqual(gift.amount_cents, share.gross_amount_cents)
    assert.isAtMost(share.net_amount_cents, share.gross_amount_cents)
  }
}

const awayOf = ({ transfers }: TestCharge): number => sum(transfers.filter(({ reversal }) => reversal === undefined))

/** The bank was never asked for more than the donor gave. */
const assertConserved = (theirs: TestCharge | undefined): void => {
  if (theirs === undefined) return
  assert.isAtMost(amountTaken(theirs), 1, "the bank took the money twice")
  // What a bank takes back is the organisation's loss, and comes on top.
  if (theirs.disputes.length > 0) return
  const back = sum(theirs.refunds.filter(({ status }) => status !== "failed"))
  assert.isAtMost(awayOf(theirs) + back, theirs.amount_cents, "more went on and back than was given")
}

/** What holds after every action: the books of all three add up, and both sides of every payment agree. */
export const assertBalanced = async (world: Houses): Promise<void> => {
  const { data } = await world.service.run(Ledger.use(({ check }) => check))
  for (const house of world.houses) {
    const { id } = house.giving.tenant.organisation
    for (const { faults, organisation_id } of data) if (organisation_id === id) assert.deepStrictEqual(faults, [])
    for (const paid of await paymentsOf(house)) await assertBothSides(world, house, paid)
    for (const charge of await house.giving.charges()) assertConserved(await world.service.run(bankChargeOf(charge)))
  }
}

/** The bank does not err, so that nobody is told that it has something else of a charge than we have. */
const assertNoMismatch = async ({ service }: Houses, charges: ReadonlyArray<Charge>): Promise<void> => {
  for (const { id, organisation_id } of charges) {
    const raised = await service.run(PaymentExceptionStore.use((store) => store.ofCharge(organisation_id, id)))
    const about = raised.filter(({ kind, subject_id }) => kind === "mismatch" && subject_id === id)
    assert.strictEqual(about.map(({ reason }) => reason).join(" "), "", "the bank does not err")
  }
}

/** Every transfer of the bank is one of ours, and what has arrived is with the bank, or somebody said that he moved it. */
const assertTransfers = async (world: Houses, { giving }: House, charges: ReadonlyArray<Charge>): Promise<void> => {
  const attempts = await giving.attempts()
  const arrived = new Set<string>(attempts.filter(({ status }) => status === "SUCCEEDED").map(({ id }) => id))
  const theirs = new Set<string>()
  for (const charge of charges) {
    for (const { amount_cents, reversal, transfer_id } of (await world.service.run(bankChargeOf(charge)))?.transfers ??
      []) {
      const ours = attempts.find(({ id }) => id === transfer_id)
      assert.deepInclude(ours, { amount_cents, charge_id: charge.id, status: "SUCCEEDED" })
      theirs.add(transfer_id)
      if (reversal === undefined) continue
      // One that somebody at the bank made is none of ours until it is found.
      const found = attempts.find(({ reversed_id, status }) => reversed_id === transfer_id && status === "SUCCEEDED")
      theirs.add(reversal.reversal_id ?? found?.id ?? `${reversal.reference}, which nobody found`)
    }
  }
  const byHand = attempts.map(({ id }) => id).filter((id) => world.movedByHand.has(id))
  assert.deepStrictEqual([...theirs, ...byHand].toSorted(), [...arrived].toSorted(), "what went on and came back")
  assert.isFalse(
    attempts.some(({ status }) => status === "NEW"),
    "nothing is waited for any more"
  )
}

/** What the recommender is told of each part is what its recipient is told. */
const assertTold = (events: ReadonlyArray<EventView>, gifts: ReadonlyMap<string, ReadonlyArray<string>>): void => {
  const told = new Map<string, string>()
  for (const { data, type } of events) {
    if (!type.startsWith("recommendation_set.distribution_")) continue
    const gift = `${data["donation_id"]}`
    assert.isFalse(told.has(gift), "one end of each series")
    told.set(gift, type)
    const end = type.endsWith("succeeded") ? "succeeded" : "failed"
    assert.include(gifts.get(gift) ?? [], end, `the recipient of ${gift} is told`)
  }
}

const endedStatuses = ["SUCCEEDED", "FAILED", "CANCELLED"]

/** A recurring gift with all that hangs on it. */
const recurringOf = (house: House, subscription_id: string) =>
  Effect.gen(function* () {
    const { id } = house.giving.tenant.organisation
    const subscription = Option.getOrThrow(
      yield* (yield* SubscriptionStore).find(id, SubscriptionId.make(subscription_id))
    )
    const query = yield* Effect.fromResult(
      parse({ filters: { ...Invoice.listing.filters, subscription_id: { kind: "text", description: "whose" } } }, [
        ["limit", "100"],
        ["subscription_id", subscription_id]
      ])
    )
    const { data: invoices } = yield* (yield* InvoiceStore).list(id, query)
    const mandate = Option.getOrThrow(yield* (yield* MandateStore).find(id, subscription.mandate_id))
    return { subscription, invoices, mandate }
  }).pipe(Effect.orDie)

/** Each due day is one invoice, which is paid once or not at all, and of which nobody is told twice. */
const assertRepeated = async (
  world: Houses,
  house: House,
  id: string,
  events: ReadonlyArray<EventView>
): Promise<void> => {
  const { invoices, mandate, subscription } = await world.service.run(recurringOf(house, id))
  const { timezone } = house.giving.tenant.organisation
  const charges = (await house.giving.charges()).filter(({ mandate_id }) => mandate_id === mandate.id)
  const renewals = charges.filter(({ purpose }) => purpose === "invoice")
  assert.lengthOf(new Set(invoices.map(({ due_on }) => due_on)), invoices.length)
  assert.lengthOf(
    new Set(renewals.map(({ created_at }) => dayOf(created_at, timezone))),
    renewals.length,
    "never two charges on one day"
  )
  for (const invoice of invoices) {
    const own = renewals.filter(({ subject_id }) => subject_id === InvoiceId.make(invoice.id))
    const paid = own.filter(({ status }) => status === "SUCCEEDED")
    assert.isAtMost(paid.length, 1, "an invoice is paid once")
    if (paid.length > 0) assert.strictEqual(invoice.status, "PAID")
  }
  const told = events.filter(({ data, type }) => type.startsWith("subscription.") && data["id"] === id)
  const count = (type: string) => told.filter((each) => each.type === `subscription.${type}`).length
  assert.strictEqual(count("created"), 1)
  assert.strictEqual(count("cancelled"), subscription.status === "CANCELLED" ? 1 : 0)
  const failed = told
    .filter(({ type }) => type === "subscription.payment_failed")
    .map(({ data }) => data["donation_id"])
  assert.lengthOf(new Set(failed), failed.length, "each failure is told once")
  const heard = (await noticesOf(world.service, house.giving.tenant.organisation.id)).some(
    ({ reference, status, type }) =>
      type === "mandate.revoked" && reference === mandate.reference && status === "APPLIED"
  )
  if (heard) assert.strictEqual(subscription.status, "CANCELLED", "what was heard to be revoked has ended")
  if (subscription.cancelled_at === null) return
  assert.strictEqual(mandate.status, "REVOKED", "nothing is kept of what has ended")
  for (const { created_at } of renewals) {
    assert.isFalse(DateTime.isGreaterThan(created_at, subscription.cancelled_at), "nothing is charged after the end")
  }
}

/** Asserts after the last look that ours equals theirs, and that everything was told once, on each side. */
export const assertAgreement = async (world: Houses): Promise<void> => {
  const told = await Promise.all(world.houses.map(({ giving }) => eventsOf(giving.tenant)))
  const gifts = new Map(told.flatMap((events) => [...ofDonations(events)]))
  for (const types of gifts.values()) assert.match(types.join(" "), legalOrder)
  for (const [index, house] of world.houses.entries()) {
    const charges = await house.giving.charges()
    for (const charge of charges) {
      const theirs = await world.service.run(bankChargeOf(charge))
      assert.include([...endedStatuses, "PROCESSING"], charge.status)
      const isTheirs = charge.method !== "bank_transfer"
      if (charge.status === "SUCCEEDED" && isTheirs) assert.strictEqual(theirs?.status, "succeeded")
      if (charge.status === "PROCESSING") assert.strictEqual(theirs?.status, "processing")
      const refunds = theirs?.refunds.filter(({ status }) => status === "succeeded") ?? []
      assert.isAtMost(sum(refunds), charge.amount_cents)
    }
    await assertTransfers(world, house, charges)
    await assertNoMismatch(world, charges)
    const events = told[index] ?? assert.fail()
    assertTold(events, gifts)
    const own = world.repeated.filter(({ house: { giving } }) => giving === house.giving)
    for (const id of new Set(own.map(({ answer }) => answer.subscription_id ?? assert.fail()))) {
      await assertRepeated(world, house, id, events)
    }
  }
  await assertReconciled(
    world.service,
    world.houses.map(({ giving }) => giving)
  )
}
