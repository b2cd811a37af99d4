import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Ledger } from "../../src/app/payments/Ledger.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import type { Refund } from "../../src/domain/giving/Refund.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import type { Dispute } from "../../src/domain/payments/Dispute.ts"
import { type LedgerEntry, listing } from "../../src/domain/payments/Ledger.ts"
import type { TestCharge } from "../../src/domain/payments/TestCharge.ts"
import { DisputeStore, LedgerStore, PaymentExceptionStore, RefundStore } from "../../src/ports.ts"
import { eventsOf } from "../support/Tenant.ts"
import type { World } from "./Action.ts"
import { amountTaken, bankChargeOf, sum } from "./BankCharge.ts"
import { legalOrder, ofDonations } from "./EventLog.ts"
import { correctionsOf, followingFaults, mailsOf } from "./Receipts.ts"

// What must hold of every history, said again from the promises and from what the bank has, and by nothing that decides it.

/** Asserts that the books of this history add up now: those of others are theirs, also where they went wrong before. */
export const assertBalanced = async ({ giving, service }: World): Promise<void> => {
  const { data } = await service.run(Ledger.use(({ check }) => check))
  for (const { faults, organisation_id } of data) {
    if (organisation_id === giving.tenant.organisation.id) assert.deepStrictEqual(faults, [])
  }
}

/** A charge with all that hangs on it here and at the bank. */
interface Seen {
  readonly charge: Charge
  readonly theirs: TestCharge | undefined
  readonly refunds: ReadonlyArray<Refund>
  readonly disputes: ReadonlyArray<Dispute>
  readonly raised: ReadonlyArray<{ readonly kind: string; readonly amount_cents: number; readonly status: string }>
}

const seen = ({ service }: World, charge: Charge): Promise<Seen> => {
  const { id, organisation_id } = charge
  return service.run(
    Effect.gen(function* () {
      return {
        charge,
        theirs: yield* bankChargeOf(charge),
        refunds: yield* (yield* RefundStore).ofCharge(organisation_id, id),
        disputes: yield* (yield* DisputeStore).ofCharge(organisation_id, id),
        raised: yield* (yield* PaymentExceptionStore).ofCharge(organisation_id, id)
      }
    })
  )
}

/** What a charge must be, by what the bank says, once there is nothing more to wait for. */
const statusesBy: Readonly<Record<TestCharge["status"], ReadonlyArray<Charge["status"]>>> = {
  created: [],
  waiting: [],
  processing: ["PROCESSING"],
  // Money that came after the end is beside the gift.
  succeeded: ["SUCCEEDED", "FAILED", "CANCELLED"],
  failed: [],
  cancelled: ["FAILED", "CANCELLED"]
}

const refundsBy = { pending: "PENDING", succeeded: "SUCCEEDED", failed: "FAILED" } as const
const disputesBy = { open: "OPEN", won: "WON", lost: "LOST" } as const

/** Every refund and dispute of the bank is one of ours, with its amount and its state; and it has every one of ours. */
const assertParts = ({ disputes, raised, refunds, theirs }: Seen): void => {
  const ours = refunds.filter(({ reason }) => reason !== "chargeback")
  const known = new Set<string>()
  for (const { amount_cents, reference, refund_id, status } of theirs?.refunds ?? []) {
    const row = ours.find(({ id, processor_reference }) => id === refund_id || processor_reference === reference)
    // One that failed before we heard of it moved nothing.
    if (row === undefined && status === "failed" && refund_id === null) continue
    assert.deepInclude(row, { amount_cents, status: refundsBy[status] }, `the refund ${reference}`)
    assert.isFalse(known.has(`${row?.id}`), "one refund of ours was paid twice")
    known.add(`${row?.id}`)
  }
  for (const { id, status } of ours) {
    if (!known.has(id)) assert.strictEqual(status, "FAILED", "a refund that the bank never made")
  }
  for (const { amount_cents, reference, status } of theirs?.disputes ?? []) {
    const dispute = disputes.find((each) => each.reference === reference)
    assert.deepInclude(dispute, { amount_cents, status: disputesBy[status] }, `the dispute ${reference}`)
  }
  assert.lengthOf(disputes, theirs?.disputes.length ?? 0)
  assert.isFalse(
    raised.some(({ kind }) => kind === "mismatch"),
    "the bank does not err"
  )
}

/** What a dispute that was lost took of its gift, and what of it was more than the gift had. */
const uncovered = ({ disputes, refunds }: Seen): number =>
  disputes
    .filter(({ status }) => status === "LOST")
    .reduce((total, { amount_cents, refund_id }) => {
      const covered = refunds.find(({ id }) => id === refund_id)
      return total + amount_cents - (covered?.amount_cents ?? 0)
    }, 0)

interface Gift {
  readonly status: string
  readonly amount_cents: number
  readonly refunded_amount_cents: number
}

/** The gift has what the bank still has of it. */
const assertMoney = (found: Seen, gift: Gift): void => {
  const { charge, raised, refunds, theirs } = found
  const back = refunds.filter(({ status }) => status !== "FAILED")
  const beside = back.filter(({ is_beside_gift }) => is_beside_gift)
  assert.strictEqual(gift.amount_cents, charge.amount_cents)
  if (charge.status !== "SUCCEEDED") {
    assert.include(charge.status === "PROCESSING" ? ["PENDING"] : ["FAILED"], gift.status)
    assert.strictEqual(gift.refunded_amount_cents, 0)
    const isLate = theirs?.status === "succeeded"
    assert.strictEqual(raised.filter(({ kind }) => kind === "late_success").length, isLate ? 1 : 0)
    return
  }
  assert.strictEqual(theirs?.status, "succeeded")
  const lost = sum((theirs?.disputes ?? []).filter(({ status }) => status === "lost"))
  const paidBack = sum((theirs?.refunds ?? []).filter(({ status }) => status !== "failed"))
  const more = uncovered(found)
  assert.strictEqual(gift.refunded_amount_cents, paidBack + lost - sum(beside) - more, "what was given back")
  assert.strictEqual(gift.status, gift.refunded_amount_cents === gift.amount_cents ? "REFUNDED" : "CONFIRMED")
  const told = sum(raised.filter(({ kind }) => kind === "unrecovered"))
  assert.isAtLeast(told, more + sum(beside), "somebody is told of what the organisation bears")
  // What is more than a gift has to give back comes of several that took of it at once, and of nothing else.
  if (more + sum(beside) > 0)
    assert.isAbove((theirs?.refunds.length ?? 0) + refunds.length + (theirs?.disputes.length ?? 0), 1)
}

/** The events of a gift come at most once each, in the order of the contract, and say what became of it. */
const assertTold = ({ charge, refunds }: Seen, gift: Gift, types: ReadonlyArray<string>): void => {
  assert.match(types.join(" "), legalOrder)
  const count = (type: string) => types.filter((each) => each === type).length
  assert.strictEqual(count("succeeded"), gift.status === "CONFIRMED" || gift.status === "REFUNDED" ? 1 : 0)
  assert.strictEqual(count("failed"), gift.status === "FAILED" ? 1 : 0)
  if (charge.method === "card") assert.strictEqual(count("processing"), 0)
  const ofGift = refunds.filter(({ is_beside_gift }) => !is_beside_gift)
  assert.strictEqual(count("refunded"), ofGift.length > 0 ? 1 : 0)
  assert.strictEqual(count("refund_reversed"), ofGift.some(({ status }) => status === "FAILED") ? 1 : 0)
}

const entriesOf = ({ giving, service }: World): Promise<ReadonlyArray<LedgerEntry>> =>
  service.run(
    Effect.gen(function* () {
      const ledger = yield* LedgerStore
      const all: Array<LedgerEntry> = []
      for (let more = true; more; ) {
        const after = all.at(-1)?.id
        const limit = ["limit", "100"] as const
        const query = parse(listing, after === undefined ? [limit] : [limit, ["starting_after", after] as const])
        const page = yield* Effect.flatMap(Effect.fromResult(query), (asked) =>
          ledger.list(giving.tenant.organisation.id, asked)
        )
        all.push(...page.data)
        more = page.has_more
      }
      return all
    })
  )

/**
 * A gift that is transferred: what came with its name before it ended paid it or is set aside, and nothing else. What is
 * right does not depend on how it was imported.
 */
const assertTransfer = ({ lines }: World, { charge, raised }: Seen, gift: Gift): void => {
  const came = sum(Array.from(lines.values()).filter(({ charge_id }) => charge_id === charge.id))
  const aside = sum(raised)
  assert.strictEqual(gift.amount_cents, charge.amount_cents)
  assert.strictEqual(gift.refunded_amount_cents, 0)
  assert.notInclude(["NEW", "PROCESSING"], charge.status)
  if (charge.status === "SUCCEEDED") {
    assert.strictEqual(gift.status, "CONFIRMED")
    assert.strictEqual(came, charge.amount_cents + aside, "what came paid the gift, or is set aside")
  } else if (charge.status === "WAITING") {
    assert.strictEqual(gift.status, "PENDING")
    assert.isBelow(came, charge.amount_cents, "all of it came")
    assert.strictEqual(aside, 0)
  } else {
    assert.strictEqual(gift.status, "FAILED")
    assert.strictEqual(came, aside, "what came for a gift that failed is set aside")
  }
}

/** A link is completed by its one gift that was paid, and by no other. */
const assertLinks = async ({ gifts, giving, links }: World, charges: ReadonlyArray<Charge>): Promise<void> => {
  for (const { code, id } of links) {
    const pages = new Set(
      gifts.flatMap(({ submission }) => (submission.code === code ? [submission.submission_id] : []))
    )
    const paid = charges.filter(({ status, submission_id }) => pages.has(submission_id) && status === "SUCCEEDED")
    assert.isAtMost(paid.length, 1, "a link is paid once")
    const link = await giving.tenant.reader.get(`/checkout-links/${id}`)
    assert.strictEqual(link.at("donation_id"), paid[0]?.subject_id ?? null, link.text)
  }
}

/** The books say what the bank has: what came from donors and stayed, what it took for itself, and what is disputed. */
const assertBooks = async (world: World, all: ReadonlyArray<Seen>): Promise<void> => {
  const entries = await entriesOf(world)
  const balance = (account: LedgerEntry["to_account"]) =>
    sum(entries.filter(({ to_account }) => to_account === account)) -
    sum(entries.filter(({ from_account }) => from_account === account))
  const bank = all.flatMap(({ theirs }) => (theirs === undefined ? [] : [theirs]))
  const taken = bank.filter(({ status }) => status === "succeeded")
  const back = sum(bank.flatMap(({ refunds }) => refunds.filter(({ status }) => status === "succeeded")))
  const disputed = (status: string) =>
    sum(bank.flatMap(({ disputes }) => disputes.filter((each) => each.status === status)))
  // Staff gave money back by hand where they said so.
  const byHand = sum(entries.filter(({ cause, to_account }) => cause === "exception" && to_account === "donor"))
  assert.strictEqual(
    -balance("donor"),
    sum(taken) - back - disputed("lost") - byHand,
    "what donors gave, and kept given"
  )
  assert.strictEqual(balance("disputed"), disputed("open"), "what is disputed")
  const fees = all.reduce(
    (total, { charge, theirs }) => total + (charge.status === "SUCCEEDED" ? (theirs?.fee_cents ?? 0) : 0),
    0
  )
  const disputeFees = bank
    .flatMap(({ disputes }) => disputes)
    .reduce((total, { fee_cents }) => total + (fee_cents ?? 0), 0)
  assert.strictEqual(
    -balance("bank"),
    sum(Array.from(world.lines.values())),
    "what came to the account, each line once"
  )
  assert.strictEqual(balance("processor_fees"), fees + disputeFees, "what the processor took")
}

/** Whether a charge pays the recipients of a set, and no gift. */
const isOfSet = ({ subject_id }: Charge): boolean => !subject_id.startsWith("don_")

/** A payment to a set has at the bank what it has here. */
const assertSetPayment = (found: Seen): void => {
  const { charge, theirs } = found
  if (theirs === undefined) assert.include(["FAILED", "CANCELLED"], charge.status)
  else assert.include(statusesBy[theirs.status], charge.status)
  assertParts(found)
}

/** A gift that arrived has one receipt, and one more for each time that what was given back of it changed. */
const assertReceipts = (mails: ReadonlyArray<string>, { charge, refunds }: Seen, gift: Gift): void => {
  const count = (template: string) => mails.filter((each) => each === `${template} ${charge.subject_id}`).length
  assert.strictEqual(count("receipt"), gift.status === "CONFIRMED" || gift.status === "REFUNDED" ? 1 : 0)
  assert.strictEqual(count("receipt_correction"), correctionsOf(refunds))
  assert.deepStrictEqual(followingFaults(charge, mails), [])
}

/** Asserts after the last look that ours equals theirs, and that everything was told once. */
export const assertAgreement = async (world: World): Promise<void> => {
  const { giving, service } = world
  const charges = await giving.charges()
  const told = ofDonations(await eventsOf(giving.tenant))
  const mails = await service.run(mailsOf(giving.tenant.organisation.id))
  const all: Array<Seen> = []
  for (const charge of charges) {
    const found = await seen(world, charge)
    all.push(found)
    if (isOfSet(charge)) {
      assertSetPayment(found)
      continue
    }
    const { body } = { body: await giving.tenant.reader.get(`/donations/${charge.subject_id}`) }
    assert.strictEqual(body.status, 200, body.text)
    const gift: Gift = {
      status: body.textAt("status"),
      amount_cents: Number(body.at("amount_cents")),
      refunded_amount_cents: Number(body.at("refunded_amount_cents"))
    }
    assert.isAtMost(amountTaken(found.theirs), 1, "the bank took the money twice")
    assertReceipts(mails, found, gift)
    if (charge.method === "bank_transfer") {
      assertTransfer(world, found, gift)
      assertTold(found, gift, told.get(charge.subject_id) ?? [])
      continue
    }
    const how = `${charge.status}, and the bank: ${JSON.stringify(found.theirs)}`
    if (found.theirs === undefined) assert.include(["FAILED", "CANCELLED"], charge.status)
    else assert.include(statusesBy[found.theirs.status], charge.status, how)
    assertParts(found)
    assertMoney(found, gift)
    assertTold(found, gift, told.get(charge.subject_id) ?? [])
  }
  await assertBooks(world, all)
  await assertLinks(world, charges)
  for (const { answer, submission } of world.gifts) {
    const own = charges.filter(({ submission_id }) => submission_id === submission.submission_id)
    assert.lengthOf(own, answer === null ? Math.min(1, own.length) : 1)
    if (answer === null) continue
    const { created_at } = own[0] ?? assert.fail("the gift is gone")
    const isOpen = service.clock.now - DateTime.toEpochMillis(created_at) < 24 * 3_600_000
    if (!isOpen) continue
    const { status } = await service.run(Checkouts.use((checkouts) => checkouts.progress(answer.progress_token)))
    assert.strictEqual(status, own[0]?.status)
  }
  const count = charges.filter((charge) => !isOfSet(charge)).length + world.booked.length
  assert.strictEqual([...told.keys()].length, count, "each gift is told of, and no other")
}
