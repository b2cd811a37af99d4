import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { Refunds } from "../../src/app/giving/Refunds.ts"
import { Charges } from "../../src/app/payments/Charges.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Tariffs } from "../../src/app/payments/Tariffs.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { standardAccount } from "../../src/domain/payments/TestCharge.ts"
import { type PaymentProcessor, ProcessorUnreachable } from "../../src/ports/payments/PaymentProcessors.ts"
import { TestBank } from "../../src/ports/payments/TestBank.ts"
import { assertRefused, fieldsOf } from "../support/Answer.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { changedProcessors } from "../support/Processors.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator } from "../support/Tenant.ts"

const minute = 60_000
const hour = 60 * minute

const given = ["donor.created", "donation.created"]

describe.each(everyKind)("a charge over %s", (_name, stores) => {
  /** How often the processor was told to take the money of each charge; the next ones that it shall not hear of. */
  const confirmations = new Map<string, number>()
  const lose = { requests: 0 }
  const heard = (inner: PaymentProcessor): PaymentProcessor => ({
    ...inner,
    confirm: (charging, token) =>
      Effect.suspend(() => {
        const { id } = charging.charge
        confirmations.set(id, (confirmations.get(id) ?? 0) + 1)
        if (lose.requests === 0) return inner.confirm(charging, token)
        lose.requests -= 1
        return Effect.fail(new ProcessorUnreachable({ reason: "lost" }))
      })
  })
  const service = serviceOver({ stores, processors: changedProcessors(heard) })
  const giving = anew(() => makeGivingSandbox(service))

  const look = async (submitted: Parameters<GivingSandbox["chargeOf"]>[0]) => {
    const { id } = await giving.chargeOf(submitted)
    return service.run(Charges.use((charges) => charges.look(id)).pipe(asOperator(giving.tenant.organisation)))
  }

  /** How the account is reached at the simulated bank. */
  const reach = async (how: "REACHED" | "LOST" | "ANSWER_LOST") => {
    const { organisation } = giving.tenant
    const [{ integration_id } = assert.fail()] = await giving.charges()
    await service.run(
      TestBank.use((bank) => bank.setAccount({ ...standardAccount(organisation.id, integration_id), reach: how }))
    )
  }

  const statuses = async (submitted: Parameters<GivingSandbox["chargeOf"]>[0]) => [
    (await giving.chargeOf(submitted)).status,
    (await giving.giftOf(submitted)).status
  ]

  it("succeeds at once, and is told once, with its fees in the books", async () => {
    await service.run(Tariffs.use((tariffs) => tariffs.set({ plan: "ENTERPRISE", basis_points: 100, fixed_cents: 10 })))
    const paid = await giving.submit()
    assert.deepInclude(paid, { status: "SUCCEEDED", failure_code: null, next_step: null, amount_cents: 5_000 })
    const charge = await giving.chargeOf(paid)
    assert.deepInclude(charge, { processor_fee_cents: 118, sealed_token: null, look_at: null })
    assert.deepStrictEqual(charge.platform_rate, { basis_points: 100, fixed_cents: 10 })
    const gift = await giving.giftOf(paid)
    assert.deepInclude(gift, {
      status: "CONFIRMED",
      source: "PAYMENT_PROCESSOR",
      payment_method: "card",
      revenue_code: "WINTER",
      donation_form_id: giving.form.id,
      charge_id: charge.id,
      consent_given: null,
      differs_from_record: false
    })
    assert.deepStrictEqual(await giving.eventsOf(paid), [...given, "donation.succeeded"])
    await giving.settle()
    assert.deepStrictEqual(await giving.eventsOf(paid), [...given, "donation.succeeded"])
    assert.strictEqual(Bank.leftCents(await giving.bank(paid)), 5_000)
    await giving.balanced()
  })

  it("that is declined fails with the processor's code, and another try is another gift", async () => {
    const declined = await giving.submit({ payment_token: numbers.declined })
    assert.deepInclude(declined, { status: "FAILED", failure_code: "card_declined" })
    assert.deepInclude(await giving.giftOf(declined), { status: "FAILED", failure_code: "card_declined" })
    assert.deepStrictEqual(await giving.eventsOf(declined), [...given, "donation.failed"])
    assert.strictEqual((await giving.bank(declined)).status, "cancelled")
    const paid = await giving.submit()
    assert.notStrictEqual(paid.donation_id, declined.donation_id)
    assert.deepStrictEqual(await statuses(paid), ["SUCCEEDED", "CONFIRMED"])
    await giving.balanced()
  })

  it("that waits for its holder tells the page what to do, and goes as the holder does", async () => {
    const [approved, refused] = [
      await giving.submit({ payment_token: numbers.waits }),
      await giving.submit({ payment_token: numbers.waits })
    ]
    assert.deepInclude(approved, { status: "WAITING", next_step: { _tag: "Approval" }, failure_code: null })
    await giving.move(approved, Bank.approve)
    await giving.move(refused, Bank.decline)
    await giving.settle()
    assert.deepStrictEqual(await statuses(approved), ["SUCCEEDED", "CONFIRMED"])
    assert.deepStrictEqual(await statuses(refused), ["FAILED", "FAILED"])
    const progress = await service.run(Checkouts.use((all) => all.progress(refused.progress_token)))
    assert.deepInclude(progress, { status: "FAILED", failure_code: "authentication_failed", next_step: null })
    await giving.balanced()
  })

  it("that nobody approves is cancelled after its patience, and its gift fails as abandoned", async () => {
    for (const [method, token, hours] of [
      ["card", numbers.waits, 24],
      ["payto", numbers.agreement, 5 * 24]
    ] as const) {
      const waiting = await giving.submit({ method, payment_token: token })
      service.clock.advance(hours * hour - minute)
      await giving.settle()
      assert.deepStrictEqual(await statuses(waiting), ["WAITING", "PENDING"], method)
      service.clock.advance(2 * minute)
      await giving.settle()
      assert.deepStrictEqual(await statuses(waiting), ["CANCELLED", "FAILED"], method)
      assert.strictEqual((await giving.giftOf(waiting)).failure_code, "abandoned")
      assert.strictEqual((await giving.bank(waiting)).status, "cancelled")
    }
    await giving.balanced()
  })

  it("by direct debit and PayTo is processing once, and then settles or is dishonoured", async () => {
    const debits = [
      await giving.submit({ method: "au_becs_debit", payment_token: numbers.debit }),
      await giving.submit({ method: "au_becs_debit", payment_token: numbers.debit })
    ] as const
    const [settles, bounces] = debits
    for (const each of debits) assert.strictEqual(each.status, "PROCESSING")
    await giving.settle()
    await giving.move(settles, Bank.settle)
    await giving.move(bounces, (charge, now) => Bank.dishonour(charge, "refer_to_customer", now))
    await giving.settle()
    assert.deepStrictEqual(await statuses(settles), ["SUCCEEDED", "CONFIRMED"])
    assert.deepStrictEqual(await statuses(bounces), ["FAILED", "FAILED"])
    assert.strictEqual((await giving.giftOf(bounces)).failure_code, "refer_to_customer")
    const told = async (each: typeof settles) =>
      (await giving.eventsOf(each)).filter((type) => type.startsWith("donation"))
    assert.deepStrictEqual(await told(settles), ["donation.created", "donation.processing", "donation.succeeded"])
    assert.deepStrictEqual(await told(bounces), ["donation.created", "donation.processing", "donation.failed"])
    const agreed = await giving.submit({ method: "payto", payment_token: numbers.agreement })
    assert.strictEqual(agreed.status, "WAITING")
    await giving.move(agreed, (charge, now) => Bank.approve({ ...charge, payment_token: "slow@example.com" }, now))
    await giving.balanced()
  })

  it("is tried for fifteen minutes where its processor is not reached, and fails once that has nothing of it", async () => {
    await giving.submit()
    await reach("LOST")
    const [first, second] = [await giving.submit(), await giving.submit()]
    assert.deepInclude(first, { status: "NEW", failure_code: null })
    service.clock.advance(14 * minute)
    await giving.settle()
    assert.deepStrictEqual(await statuses(first), ["NEW", "PENDING"])
    await reach("REACHED")
    await service.run(
      Charges.use((charges) =>
        Effect.flatMap(
          Effect.promise(() => giving.chargeOf(first)),
          ({ id }) => charges.look(id)
        )
      ).pipe(asOperator(giving.tenant.organisation))
    )
    assert.deepStrictEqual(await statuses(first), ["SUCCEEDED", "CONFIRMED"])
    await reach("LOST")
    service.clock.advance(2 * minute)
    await giving.settle()
    // Nothing was fetched yet: silence alone ends nothing.
    assert.deepStrictEqual(await statuses(second), ["NEW", "PENDING"])
    await reach("REACHED")
    await giving.settle()
    assert.deepStrictEqual(await statuses(second), ["CANCELLED", "FAILED"])
    assert.strictEqual((await giving.giftOf(second)).failure_code, "processor_unreachable")
    await giving.balanced()
  })

  it("whose confirmation got no answer is fetched, and not confirmed again where it was heard", async () => {
    const paid = await giving.submit({ payment_token: numbers.answerLost })
    assert.strictEqual(paid.status, "NEW")
    await giving.settle()
    assert.deepStrictEqual(await statuses(paid), ["SUCCEEDED", "CONFIRMED"])
    await giving.balanced()
  })

  it("whose confirmation was never heard is sent again for 23 hours, and then given up", async () => {
    const lost = await giving.submit({ payment_token: numbers.requestLost })
    const [charge] = await giving.charges()
    const before = confirmations.get(`${charge?.id}`) ?? 0
    assert.strictEqual(before, 1)
    service.clock.advance(22.9 * hour)
    await giving.settle()
    assert.deepStrictEqual(await statuses(lost), ["NEW", "PENDING"])
    const sent = confirmations.get(`${charge?.id}`) ?? 0
    assert.isAbove(sent, before)
    service.clock.advance(0.2 * hour)
    await giving.settle()
    assert.deepStrictEqual(await statuses(lost), ["CANCELLED", "FAILED"])
    assert.strictEqual((await giving.giftOf(lost)).failure_code, "abandoned")
    assert.strictEqual(confirmations.get(`${charge?.id}`), sent)
    assert.isNull((await giving.charges()).find(({ id }) => id === charge?.id)?.sealed_token)
    await giving.balanced()
  })

  it("that is submitted again after it was cut off is taken up where it was", async () => {
    const submission = giving.submission({})
    lose.requests = 1
    const first = await giving.submit(submission)
    assert.strictEqual(first.status, "NEW")
    const again = await giving.submit(submission)
    assert.deepStrictEqual([again.status, again.donation_id], ["SUCCEEDED", first.donation_id])
    assert.deepStrictEqual(await giving.eventsOf(again), ["donor.created", "donation.created", "donation.succeeded"])
    await giving.balanced()
  })

  it("of which money comes after its end is an exception, and gives it back beside the gift", async () => {
    const waiting = await giving.submit({ payment_token: numbers.waits })
    service.clock.advance(25 * hour)
    await giving.settle()
    const events = await giving.eventsOf(waiting)
    await giving.setBank(waiting, { status: "succeeded", fee_cents: null })
    await look(waiting)
    await giving.settle()
    assert.deepStrictEqual(await statuses(waiting), ["CANCELLED", "FAILED"])
    assert.deepStrictEqual(await giving.eventsOf(waiting), events)
    const [row, ...rest] = await giving.refundsOf(waiting)
    assert.deepInclude(row, { status: "SUCCEEDED", amount_cents: 5_000, is_beside_gift: true })
    assert.lengthOf(rest, 0)
    const [raised] = await giving.exceptionsOf(waiting)
    assert.deepInclude(raised, { kind: "late_success", status: "OPEN", held_cents: 0 })
    assert.strictEqual(Bank.leftCents(await giving.bank(waiting)), 0)
    await giving.balanced()
  })

  it("whose fee is known late, or is more than the gift, has it in the books once it is", async () => {
    const paid = await giving.submit({ payment_token: numbers.feeLater })
    assert.deepStrictEqual(await statuses(paid), ["SUCCEEDED", "CONFIRMED"])
    assert.isNull((await giving.chargeOf(paid)).processor_fee_cents)
    await giving.balanced()
    await giving.setBank(paid, { fee_cents: 77, scheduled: [] })
    await giving.settle()
    assert.strictEqual((await giving.chargeOf(paid)).processor_fee_cents, 77)
    const dear = await giving.submit({ payment_token: numbers.dearer, amount_cents: 2_500 })
    const [raised] = await giving.exceptionsOf(dear)
    assert.deepInclude(raised, { kind: "fee_exceeds_gift", amount_cents: 100 })
    await giving.balanced()
  })

  it("is refunded by the worker: the answer says PENDING, and the processor pays once", async () => {
    const paid = await giving.submit()
    const answer = await giving.tenant.writer.post(`/donations/${paid.donation_id}/refund`, { amount_cents: 2_000 })
    assert.deepStrictEqual([answer.status, answer.at("refund.status")], [200, "PENDING"])
    await giving.balanced()
    const [pending = assert.fail()] = await giving.refundsOf(paid)
    for (const by of ["settle", "fail"] as const) {
      const refused = await service.run(
        Effect.flip(
          Refunds.use((refunds) => (by === "settle" ? refunds.settle(pending.id, {}) : refunds.fail(pending.id))).pipe(
            asOperator(giving.tenant.organisation)
          )
        )
      )
      assert.strictEqual(refused._tag, "GuardRefused", by)
    }
    await reach("ANSWER_LOST")
    await giving.settle()
    await reach("REACHED")
    await giving.settle()
    const [row] = await giving.refundsOf(paid)
    assert.deepInclude(row, { status: "SUCCEEDED", amount_cents: 2_000, is_beside_gift: false })
    assert.strictEqual(Bank.leftCents(await giving.bank(paid)), 3_000)
    assert.lengthOf((await giving.bank(paid)).refunds, 1)
    assert.deepStrictEqual((await giving.eventsOf(paid)).slice(3), ["donation.refunded"])
    await giving.balanced()
  })

  it("is not refunded again where the answer was lost so long ago that its key may be forgotten", async () => {
    const paid = await giving.submit({ payment_token: numbers.refundWaits })
    await giving.tenant.writer.post(`/donations/${paid.donation_id}/refund`)
    await reach("ANSWER_LOST")
    await giving.settle()
    const [{ reference } = assert.fail()] = (await giving.bank(paid)).refunds
    await giving.setBank(paid, { scheduled: [] })
    assert.isNull((await giving.refundsOf(paid))[0]?.processor_reference)
    service.clock.advance(25 * hour)
    await reach("REACHED")
    await giving.settle()
    assert.deepInclude((await giving.refundsOf(paid))[0], { status: "PENDING", processor_reference: reference })
    assert.lengthOf((await giving.bank(paid)).refunds, 1)
    await giving.balanced()
  })

  it("whose refund comes back counts as given again, and somebody is told", async () => {
    const paid = await giving.submit({ payment_token: numbers.refundWaits })
    await giving.tenant.writer.post(`/donations/${paid.donation_id}/refund`)
    await giving.settle()
    assert.deepStrictEqual(await statuses(paid), ["SUCCEEDED", "REFUNDED"])
    await giving.move(paid, Bank.refundFailed)
    await giving.settle()
    assert.deepStrictEqual(await statuses(paid), ["SUCCEEDED", "CONFIRMED"])
    assert.deepStrictEqual((await giving.eventsOf(paid)).slice(3), ["donation.refunded", "donation.refund_reversed"])
    const [raised = assert.fail()] = await giving.exceptionsOf(paid)
    assert.deepInclude(raised, { kind: "refund_failed", held_cents: 0, amount_cents: 5_000 })
    await giving.balanced()
    const resolved = await service.run(
      PaymentExceptions.use((all) => all.resolve(raised.id, { note: "Paid in cash" })).pipe(
        asOperator(giving.tenant.organisation)
      )
    )
    assert.deepInclude(resolved, { status: "RESOLVED", resolved_by: "SYSTEM test" })
    await giving.balanced()
  })

  it("that is refunded at the processor is refunded here", async () => {
    const paid = await giving.submit()
    await giving.move(paid, (charge, now) => {
      const asked = { refund_id: null, idempotency_key: null, amount_cents: 1_200 }
      return Result.map(Bank.refund(charge, asked, now), (moved) => moved.charge)
    })
    await look(paid)
    assert.deepInclude(await giving.giftOf(paid), { status: "CONFIRMED", refunded_amount_cents: 1_200 })
    await giving.balanced()
  })

  it("that is disputed refuses refunds, and goes as the bank decides, and decides again", async () => {
    const paid = await giving.submit()
    await giving.move(paid, (charge, now) => Bank.dispute(charge, null, now))
    assert.deepInclude((await look(paid)).disputes[0], { status: "OPEN", amount_cents: 5_000 })
    await giving.balanced()
    const refused = await giving.tenant.writer.post(`/donations/${paid.donation_id}/refund`)
    assertRefused(refused, "conflict")
    assert.include(refused.textAt("error.message"), "dispute")
    await giving.move(paid, Bank.disputeLost)
    await giving.settle()
    assert.deepStrictEqual(await statuses(paid), ["SUCCEEDED", "REFUNDED"])
    const [row] = await giving.refundsOf(paid)
    assert.deepInclude(row, { reason: "chargeback", status: "SUCCEEDED", amount_cents: 5_000 })
    await giving.balanced()
    await giving.move(paid, Bank.disputeWon)
    assert.deepInclude((await look(paid)).disputes[0], { status: "WON" })
    assert.deepStrictEqual(await statuses(paid), ["SUCCEEDED", "CONFIRMED"])
    assert.deepStrictEqual((await giving.eventsOf(paid)).slice(3), ["donation.refunded", "donation.refund_reversed"])
    await giving.balanced()
    const won = await giving.submit()
    await giving.move(won, (charge, now) => Bank.dispute(charge, 1_000, now))
    await look(won)
    await giving.move(won, Bank.disputeWon)
    await giving.settle()
    assert.deepStrictEqual(await statuses(won), ["SUCCEEDED", "CONFIRMED"])
    await giving.balanced()
  })

  it("is settled once by several workers at the same moment", async () => {
    const all = []
    for (let count = 0; count < 4; count++) all.push(await giving.submit({ payment_token: numbers.waits }))
    for (const each of all) await giving.move(each, Bank.approve)
    const settleTwice = Effect.all(
      [Settler.use((one) => one.settleDue), giving.settle, giving.settle].map((each) =>
        typeof each === "function" ? Effect.promise(each) : Effect.asVoid(each)
      ),
      { concurrency: "unbounded" }
    )
    await service.run(settleTwice)
    for (const each of all) {
      assert.deepStrictEqual(await statuses(each), ["SUCCEEDED", "CONFIRMED"])
      const told = (await giving.eventsOf(each)).filter((type) => type === "donation.succeeded")
      assert.lengthOf(told, 1)
    }
    await giving.balanced()
  })

  it("ends as its processor says where that has other figures: nothing, and somebody is told once", async () => {
    const waiting = await giving.submit({ payment_token: numbers.waits })
    await giving.setBank(waiting, { amount_cents: 4_999 })
    await look(waiting)
    await look(waiting)
    assert.deepStrictEqual(await statuses(waiting), ["WAITING", "PENDING"])
    assert.deepStrictEqual(fieldsOf(await giving.exceptionsOf(waiting), "kind"), ["mismatch"])
  })

  it("is looked at until a day after it was made through its page's token, and not after", async () => {
    const paid = await giving.submit()
    const progress = (token: string) => service.run(Effect.result(Checkouts.use((all) => all.progress(token))))
    assert.strictEqual((await progress(paid.progress_token))._tag, "Success")
    for (const token of ["", "x", `${paid.progress_token}x`, paid.progress_token.replace("chg_", "chh_")]) {
      assert.strictEqual((await progress(token))._tag, "Failure", token)
    }
    const { created_at } = await giving.chargeOf(paid)
    service.clock.advance(DateTime.toEpochMillis(created_at) + 24 * hour - service.clock.now)
    assert.strictEqual((await progress(paid.progress_token))._tag, "Failure")
  })
})
