import { join } from "node:path"
import { assert, expect, it } from "@effect/vitest"
import { DateTime, Effect, Option, Result } from "effect"
import { ChargeId, IntegrationId, TransferAttemptId } from "../../src/domain/kernel/Ids.ts"
import { differenceOf } from "../../src/domain/payments/Reconciliation.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import type { TestCharge, TestMovement } from "../../src/domain/payments/TestCharge.ts"
import { reverseNewest } from "../../src/domain/payments/TestTransfers.ts"
import type { SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { IntegrationStore, PaymentExceptionStore, ReconciliationStore, TestBank } from "../../src/ports.ts"
import { root } from "../architecture/Checkout.ts"
import { numbers } from "../support/Numbers.ts"
import { type Service, startService } from "../support/Service.ts"
import { makeSharingSandbox, type SharingSandbox } from "../support/SharingSandbox.ts"
import { memory } from "../support/Stores.ts"
import { reconcile } from "./Reconciliation.ts"

type How = "changed" | "missing" | "doubled" | "reversed outside"

/** A change at the processor: its charge as it becomes, and what is beside it then. */
type Change = (charge: TestCharge, now: DateTime.Utc) => TestCharge | readonly [TestCharge, TestCharge]

/** What comes of it: the books follow, or an exception whose reason matches. */
type Row = readonly [record: string, how: How, what: string, gift: keyof Gifts, change: Change, comes: RegExp]

type Gifts = ReturnType<typeof giftsOf>

const day = 86_400_000

const moved = (result: Result.Result<TestCharge, Bank.Refusal>): TestCharge => Result.getOrThrow(result)

/** Changes the lines of a kind on the statement. */
const lines = (
  charge: TestCharge,
  kind: TestMovement["kind"],
  change: (line: TestMovement) => ReadonlyArray<TestMovement>
): TestCharge => ({
  ...charge,
  movements: charge.movements.flatMap((each) => (each.kind === kind ? change(each) : [each]))
})

const more = (line: TestMovement, amount_cents: number): TestMovement => ({
  ...line,
  amount_cents: line.amount_cents === 0 ? 0 : line.amount_cents + amount_cents
})

const again = (line: TestMovement): ReadonlyArray<TestMovement> => [line, { ...line, reference: `${line.reference}_2` }]

/** The line of a fee, which has no amount. */
const ofFee = (charge: TestCharge, change: (line: TestMovement) => ReadonlyArray<TestMovement>): TestCharge =>
  lines(charge, "charge", (line) => (line.amount_cents === 0 ? change(line) : [line]))

const disputed = (charge: TestCharge, change: (each: TestCharge["disputes"][number]) => object): TestCharge => ({
  ...charge,
  disputes: charge.disputes.map((each) => ({ ...each, ...change(each) }))
})

const elsewhere = IntegrationId.make("intg_00000000000000000000000000")
const stranger = ChargeId.make("chg_00000000000000000000000000")
const otherAttempt = TransferAttemptId.make("trf_00000000000000000000000000")

/** What may differ at the processor, of each kind of record that money touches. */
const rows: ReadonlyArray<Row> = [
  [
    "charge",
    "changed",
    "another amount",
    "paid",
    (charge) => ({ ...lines(charge, "charge", (line) => [more(line, 1)]), amount_cents: charge.amount_cents + 1 }),
    /^mismatch: The processor has 5001, and we have 5000/
  ],
  [
    "charge",
    "changed",
    "another currency",
    "paid",
    (charge) => ({ ...charge, currency: "NZD" }),
    /^mismatch: The processor has NZD, and we have AUD/
  ],
  [
    "charge",
    "changed",
    "another amount on the statement alone",
    "paid",
    (charge) => lines(charge, "charge", (line) => [more(line, -1)]),
    /^mismatch: .* taken 4999, and the books 5000/
  ],
  [
    "charge",
    "changed",
    "it was paid after it had failed here",
    "declined",
    (charge, now) => moved(Bank.settle({ ...charge, status: "processing", failure_code: null }, now)),
    /^follows, late_success/
  ],
  [
    "charge",
    "missing",
    "it is gone, with its lines",
    "paid",
    (charge) => ({ ...charge, integration_id: elsewhere, movements: [] }),
    /^mismatch: .*(?:has it no more|taken 0, and the books 5000)/
  ],
  [
    "charge",
    "missing",
    "its lines are gone",
    "paid",
    (charge) => ({ ...charge, movements: [] }),
    /^mismatch: .* taken 0, and the books 5000/
  ],
  [
    "charge",
    "doubled",
    "a second one of the same charge",
    "paid",
    (charge, created_at) => [charge, { ...charge, id: `${charge.id}_2`, idempotency_key: null, created_at }],
    /^mismatch: The processor has a second charge for this one/
  ],
  [
    "charge",
    "doubled",
    "one that nobody here knows",
    "paid",
    (charge, created_at) => [
      charge,
      { ...charge, id: "test_stranger", idempotency_key: null, charge_id: stranger, created_at }
    ],
    /^mismatch: The processor has the charge test_stranger for chg_0+, of which nothing is known here/
  ],
  [
    "charge",
    "reversed outside",
    "it failed after its success",
    "paid",
    (charge) => ({ ...charge, status: "failed", failure_code: "insufficient_funds", movements: [] }),
    /^mismatch: .* taken 0, and the books 5000/
  ],
  [
    "charge",
    "reversed outside",
    "a debit came back after its success",
    "debited",
    (charge, at) => ({
      ...Bank.withMovement(charge, "charge", { amount_cents: -charge.amount_cents, at }),
      status: "failed",
      failure_code: "insufficient_funds"
    }),
    /^mismatch: .* taken 0, and the books 5000/
  ],
  [
    "fee",
    "changed",
    "it is another one",
    "paid",
    (charge) => ({
      ...ofFee(charge, (line) => [{ ...line, fee_cents: line.fee_cents + 35 }]),
      fee_cents: (charge.fee_cents ?? 0) + 35
    }),
    /^follows$/
  ],
  [
    "fee",
    "missing",
    "nobody knows it any more",
    "paid",
    (charge) => ({ ...ofFee(charge, () => []), fee_cents: null }),
    /^mismatch: .* fees of 0, and the books 118/
  ],
  ["fee", "doubled", "its line twice", "paid", (charge) => ofFee(charge, again), /^mismatch: .* fees of 236/],
  [
    "fee",
    "reversed outside",
    "it was given back",
    "paid",
    (charge) => ({ ...ofFee(charge, (line) => [line, { ...line, reference: "back", fee_cents: -118 }]), fee_cents: 0 }),
    /^follows$/
  ],
  [
    "refund",
    "changed",
    "another amount",
    "refunded",
    (charge) => ({
      ...lines(charge, "refund", (line) => [more(line, 1)]),
      refunds: charge.refunds.map((each) => ({ ...each, amount_cents: each.amount_cents - 1 }))
    }),
    /^mismatch: Of the refund .* 1499, and we have 1500/
  ],
  [
    "refund",
    "missing",
    "it is gone, with its line",
    "refunded",
    (charge) => ({ ...lines(charge, "refund", () => []), refunds: [] }),
    /^mismatch: The processor had the refund/
  ],
  [
    "refund",
    "missing",
    "its line is gone",
    "refunded",
    (charge) => lines(charge, "refund", () => []),
    /^mismatch: .* refunded 0, and the books 1500/
  ],
  [
    "refund",
    "doubled",
    "a second one of the same refund",
    "refunded",
    (charge) => ({
      ...lines(charge, "refund", again),
      refunds: charge.refunds.flatMap((each) => [each, { ...each, reference: `${each.reference}_2` }])
    }),
    /^mismatch: .* refunded 3000, and the books 1500/
  ],
  [
    "refund",
    "doubled",
    "one that was made there",
    "refunded",
    (charge, now) =>
      Result.getOrThrow(Bank.refund(charge, { refund_id: null, idempotency_key: null, amount_cents: 700 }, now)).charge,
    /^follows$/
  ],
  [
    "refund",
    "doubled",
    "one of a payment to a set that was made there",
    "shared",
    (charge, now) =>
      Result.getOrThrow(Bank.refund(charge, { refund_id: null, idempotency_key: null, amount_cents: 700 }, now)).charge,
    /^mismatch: The processor paid something back of which nothing is known here/
  ],
  [
    "refund",
    "reversed outside",
    "it came back",
    "refunded",
    (charge, now) => moved(Bank.refundFailed(charge, now)),
    /^follows, refund_failed/
  ],
  [
    "dispute",
    "changed",
    "another amount",
    "disputed",
    (charge) =>
      lines(
        disputed(charge, () => ({ amount_cents: 1_999 })),
        "dispute",
        (line) => [more(line, 1)]
      ),
    /^mismatch: Of the dispute .* 1999, and we have 2000/
  ],
  [
    "dispute",
    "changed",
    "it was decided without us",
    "disputed",
    (charge, now) => moved(Bank.disputeLost(charge, now)),
    /^follows$/
  ],
  [
    "dispute",
    "missing",
    "it is gone, with its line",
    "disputed",
    (charge) => ({ ...lines(charge, "dispute", () => []), disputes: [] }),
    /^mismatch: The processor had the dispute/
  ],
  [
    "dispute",
    "doubled",
    "its line twice",
    "disputed",
    (charge) => lines(charge, "dispute", again),
    /^mismatch: .* disputed 4000/
  ],
  [
    "dispute",
    "doubled",
    "a second one",
    "disputed",
    (charge, now) => moved(Bank.dispute(charge, 1_000, now)),
    /^follows$/
  ],
  [
    "dispute",
    "reversed outside",
    "one that was lost is won",
    "lost",
    (charge, now) => moved(Bank.disputeWon(charge, now)),
    /^follows$/
  ],
  [
    "dispute",
    "reversed outside",
    "one that was won is lost",
    "won",
    (charge, at) =>
      Bank.withMovement(
        disputed(charge, () => ({ status: "lost" })),
        "dispute",
        { amount_cents: -2_000, at }
      ),
    /^follows$/
  ],
  [
    "dispute fee",
    "changed",
    "it is another one",
    "disputed",
    (charge) =>
      lines(
        disputed(charge, () => ({ fee_cents: 3_000 })),
        "dispute",
        (line) => [{ ...line, fee_cents: 3_000 }]
      ),
    /^follows$/
  ],
  [
    "dispute fee",
    "missing",
    "nobody knows it any more",
    "disputed",
    (charge) =>
      lines({ ...charge, disputes: charge.disputes.map(({ fee_cents: _, ...each }) => each) }, "dispute", (line) => [
        { ...line, fee_cents: 0 }
      ]),
    /^mismatch: .* fees of 118, and the books 2618/
  ],
  [
    "dispute fee",
    "doubled",
    "it was taken twice",
    "disputed",
    (charge) => lines(charge, "dispute", (line) => [{ ...line, fee_cents: line.fee_cents * 2 }]),
    /^mismatch: .* fees of 5118, and the books 2618/
  ],
  [
    "dispute fee",
    "reversed outside",
    "it was given back",
    "won",
    (charge, at) =>
      Bank.withMovement(
        disputed(charge, () => ({ fee_cents: 0 })),
        "dispute",
        { amount_cents: 0, fee_cents: -2_500, at }
      ),
    /^follows$/
  ],
  [
    "transfer",
    "changed",
    "another amount",
    "shared",
    (charge) => ({
      ...lines(charge, "transfer", (line) => [more(line, 1)]),
      transfers: charge.transfers.map((each) => ({ ...each, amount_cents: each.amount_cents - 1 }))
    }),
    /^mismatch: .* transferred \d+, and the books/
  ],
  [
    "transfer",
    "missing",
    "it is gone, with its line",
    "shared",
    (charge) => ({ ...lines(charge, "transfer", () => []), transfers: [] }),
    /^mismatch: .* transferred 0, and the books/
  ],
  [
    "transfer",
    "doubled",
    "a second one",
    "shared",
    (charge) => ({
      ...lines(charge, "transfer", again),
      transfers: charge.transfers.flatMap((each) => [
        each,
        { ...each, transfer_id: otherAttempt, reference: `${each.reference}_2` }
      ])
    }),
    /^mismatch: .* transferred \d+, and the books/
  ],
  [
    "transfer",
    "reversed outside",
    "whole",
    "shared",
    (charge, now) => moved(reverseNewest(charge, now)),
    /^follows, transfer_reversed/
  ],
  [
    "transfer",
    "reversed outside",
    "a part of it",
    "shared",
    (charge, at) => Bank.withMovement(charge, "transfer", { amount_cents: 500, at }),
    /^mismatch: .* transferred \d+, and the books/
  ],
  [
    "reversal",
    "changed",
    "another amount",
    "givenBack",
    (charge) => lines(charge, "transfer", (line) => [line.amount_cents > 0 ? more(line, -1) : line]),
    /^mismatch: .* transferred 1, and the books 0/
  ],
  [
    "reversal",
    "missing",
    "it is gone, with its line",
    "givenBack",
    (charge) => ({
      ...lines(charge, "transfer", (line) => (line.amount_cents > 0 ? [] : [line])),
      transfers: charge.transfers.map(({ reversal: _, ...each }) => each)
    }),
    /^mismatch: .* transferred \d+, and the books 0/
  ],
  [
    "reversal",
    "doubled",
    "its line twice",
    "givenBack",
    (charge) => lines(charge, "transfer", (line) => (line.amount_cents > 0 ? again(line) : [line])),
    /^mismatch: .* transferred -\d+, and the books 0/
  ],
  [
    "reversal",
    "reversed outside",
    "the money went to the recipient again",
    "givenBack",
    (charge) => lines(charge, "transfer", (line) => (line.amount_cents > 0 ? [line] : again(line))),
    /^mismatch: .* transferred \d+, and the books 0/
  ]
]

/** A gift in each state in which something of it may come to differ. */
const giftsOf = ({ give, giving, shown }: SharingSandbox) => {
  const posted = async (path: string, body: object) => {
    const answer = await giving.tenant.writer.post(path, body)
    assert.strictEqual(answer.status, 200, answer.text)
    await giving.settle()
  }
  const disputedGift = async () => {
    const gift = await giving.submit()
    await giving.move(gift, (charge, now) => Bank.dispute(charge, 2_000, now))
    await giving.settle()
    return gift
  }
  const decidedGift = async (how: typeof Bank.disputeWon) => {
    const gift = await disputedGift()
    await giving.move(gift, how)
    await giving.settle()
    return gift
  }
  const shared = async () => {
    const gift = await give([2_000, 0])
    await giving.settle()
    await giving.distribute()
    return gift
  }
  return {
    paid: () => giving.submit(),
    declined: () => giving.submit({ payment_token: numbers.declined }),
    debited: async () => {
      const gift = await giving.submit({ method: "au_becs_debit", payment_token: numbers.debit })
      await giving.move(gift, Bank.settle)
      await giving.settle()
      return gift
    },
    refunded: async () => {
      const gift = await giving.submit()
      await posted(`/donations/${gift.donation_id}/refund`, { amount_cents: 1_500 })
      return gift
    },
    disputed: disputedGift,
    lost: () => decidedGift(Bank.disputeLost),
    won: () => decidedGift(Bank.disputeWon),
    shared,
    givenBack: async () => {
      const gift = await shared()
      await posted(`/recommendation-set-payments/${(await shown()).id}/refund`, {})
      await giving.distribute()
      await giving.settle()
      return gift
    }
  }
}

/** What came of a gift whose record differed at the processor. */
const outcomeOf = async (
  service: Service,
  { giving }: SharingSandbox,
  gift: SubmittedCheckout,
  about: ReadonlyArray<string>
) => {
  const { id: organisation_id } = giving.tenant.organisation
  const { reference } = await giving.chargeOf(gift)
  const [position] = await service.run(
    Effect.gen(function* () {
      const found = yield* (yield* IntegrationStore).find(organisation_id, giving.integration_id)
      const { positions } = yield* ReconciliationStore
      return yield* positions(Option.getOrThrow(found), reference === null ? [] : [reference])
    })
  )
  const strange = await Promise.all(
    about.map((subject) => service.run(PaymentExceptionStore.use((store) => store.ofSubject(organisation_id, subject))))
  )
  const told = [
    ...new Map([...(await giving.exceptionsOf(gift)), ...strange.flat()].map((each) => [each.id, each])).values()
  ]
  const follows =
    told.every(({ kind }) => kind !== "mismatch") && position !== undefined && differenceOf(position) === null
  const names = [...(follows ? ["follows"] : []), ...new Set(told.map(({ kind }) => kind))].join(", ")
  return { names, reasons: told.map(({ reason }) => reason).join(" ") }
}

const head = `# Differences

The ways in which the records of a payment processor come to differ from ours, and what \`almoner reconcile\`, which a worker does every hour, makes of each. \`test/payments/processorDifferences.test.ts\` makes each of them at the test processor after the day had been compared, and holds this page to what came; \`npx vitest run test/payments/processorDifferences.test.ts -u\` writes it anew. Where the records here differ among themselves, \`almoner ledger check\` names it ([What is checked](guides/money.md#what-is-checked)).

"Follows" is: the charge, its gift and the books are as the processor has it afterwards. Anything else is an [exception](guides/money.md#what-people-look-at) for a person, which says both figures; nothing was applied then.

| Record | | At the processor | What comes of it |
|---|---|---|---|
`

it("whatever differs at the processor is followed, or told to a person, as the table of differences says", async () => {
  const service = await startService({ stores: memory })
  const sharing = await makeSharingSandbox(service)
  const { giving } = sharing
  const make = giftsOf(sharing)
  const night = async () => {
    service.clock.advance(day)
    await reconcile(service)
  }
  const made: Array<SubmittedCheckout> = []
  for (const [, , , gift] of rows) made.push(await make[gift]())
  await night()
  for (const gift of made)
    assert.deepStrictEqual(await outcomeOf(service, sharing, gift, []), { names: "follows", reasons: "" })
  const strange: Array<ReadonlyArray<string>> = []
  for (const [index, [, , , , change]] of rows.entries()) {
    const gift = made[index] ?? assert.fail()
    const updated_at = DateTime.makeUnsafe(service.clock.now)
    const [first, ...others] = [change(await giving.bank(gift), updated_at)].flat()
    await giving.setBank(gift, { ...first, updated_at })
    for (const each of others) await service.run(TestBank.use((bank) => bank.findOrInsert(each, each.created_at)))
    strange.push(others.map(({ id }) => id))
  }
  const outcomes = () => Promise.all(made.map((gift, index) => outcomeOf(service, sharing, gift, strange[index] ?? [])))
  await night()
  const found = await outcomes()
  const text = found.map(({ names, reasons }) => (reasons === "" ? names : `${names}: ${reasons}`))
  assert.deepStrictEqual(
    rows.flatMap(([record, how, what, , , comes], index) =>
      comes.test(text[index] ?? "") ? [] : [`${record} ${how}, ${what}: ${text[index]}`]
    ),
    []
  )
  await night()
  assert.deepStrictEqual(await outcomes(), found, "each is told once")
  await giving.balanced()
  await service.stop()
  const cells = rows.map(([record, how, what], index) => `| ${record} | ${how} | ${what} | ${found[index]?.names} |`)
  await expect(`${head}${cells.join("\n")}\n`).toMatchFileSnapshot(join(root, "docs/differences.md"))
})
