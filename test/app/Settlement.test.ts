import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Refunds } from "../../src/app/giving/Refunds.ts"
import { Charges } from "../../src/app/payments/Charges.ts"
import { Tariffs } from "../../src/app/payments/Tariffs.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { type PaymentProcessor, ProcessorUnreachable } from "../../src/ports/payments/PaymentProcessors.ts"
import { assertRefused, fieldsOf } from "../support/Answer.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { changedProcessors } from "../support/Processors.ts"
import { everyKind } from "../support/Stores.ts"

const minute = 60_000
const hour = 60 * minute

const given = ["donor.created", "donation.created"]

describe.each(everyKind)("a charge over %s", (_name, stores) => {
  /** How often the processor was told to take the money of each charge; the next ones that it shall not hear of. */
  const confirmations = new Map<string, number>()
  const lose = { requests: 0 }
  const heard = (inner: PaymentProcessor): PaymentProcessor => ({
    ...inner,
    capabilities: {
      ...inner.capabilities,
      bounds: {
        card: { maximum_cents: 900_000, minimum_cents: { AUD: 300 } },
        au_becs_debit: { maximum_cents: 1_000_000, minimum_cents: { AUD: 1_000, NZD: 5_000 } }
      }
    },
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
    return giving.tenant.staff(Charges.use((charges) => charges.look(id)))
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

  it("is no larger than the processor takes at once by its method, and no smaller", async () => {
    const debit = { method: "au_becs_debit", payment_token: numbers.debit } as const
    for (const [given, bound] of [
      [{ amount_cents: 900_001 }, /at most 900000, .* by card\.$/u],
      [{ amount_cents: 299 }, /at least 300, .* in AUD by card\.$/u],
      [{ amount_cents: 1_000_001, ...debit }, /at most 1000000, .* by au_becs_debit\.$/u],
      [{ amount_cents: 999, ...debit }, /at least 1000, .* in AUD by au_becs_debit\.$/u]
    ] as const) {
      const submission = giving.submission(given)
      const refused = await service.run(Effect.flip(Checkouts.use((all) => all.submit(submission))))
      assert.deepInclude(refused, { _tag: "InvalidInput", param: "amount_cents" })
      assert.match(String(refused.message), bound)
      assert.lengthOf(await giving.charges(), 0)
    }
    assert.strictEqual((await giving.submit({ amount_cents: 900_001, ...debit })).status, "PROCESSING")
    const { method_bounds } = await service.run(
      Checkouts.use((all) => all.open({ organisation: giving.tenant.organisation.slug, slug: giving.form.slug }))
    )
    assert.deepInclude(method_bounds, { method: "au_becs_debit", minimum_cents: 1_000, maximum_cents: 1_000_000 })
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

  it("is refunded by the worker: the answer says PENDING, and the processor pays once", async () => {
    const paid = await giving.submit()
    const answer = await giving.tenant.writer.post(`/donations/${paid.donation_id}/refund`, { amount_cents: 2_000 })
    assert.deepStrictEqual([answer.status, answer.at("refund.status")], [200, "PENDING"])
    await giving.balanced()
    const [pending = assert.fail()] = await giving.refundsOf(paid)
    for (const by of ["settle", "fail"] as const) {
      const refused = await giving.tenant.staff(
        Effect.flip(
          Refunds.use((refunds) => (by === "settle" ? refunds.settle(pending.id, {}) : refunds.fail(pending.id)))
        )
      )
      assert.strictEqual(refused._tag, "GuardRefused", by)
    }
    await giving.setAccount({ reach: "ANSWER_LOST" })
    await giving.settle()
    await giving.setAccount({ reach: "REACHED" })
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
    await giving.setAccount({ reach: "ANSWER_LOST" })
    await giving.settle()
    const [{ reference } = assert.fail()] = (await giving.bank(paid)).refunds
    await giving.setBank(paid, { scheduled: [] })
    assert.isNull((await giving.refundsOf(paid))[0]?.processor_reference)
    service.clock.advance(25 * hour)
    await giving.setAccount({ reach: "REACHED" })
    await giving.settle()
    assert.deepInclude((await giving.refundsOf(paid))[0], { status: "PENDING", processor_reference: reference })
    assert.lengthOf((await giving.bank(paid)).refunds, 1)
    await giving.balanced()
  })

  it("that is disputed refuses refunds", async () => {
    const paid = await giving.submit()
    await giving.move(paid, (charge, now) => Bank.dispute(charge, null, now))
    assert.deepInclude((await look(paid)).disputes[0], { status: "OPEN", amount_cents: 5_000 })
    await giving.balanced()
    const refused = await giving.tenant.writer.post(`/donations/${paid.donation_id}/refund`)
    assertRefused(refused, "conflict")
    assert.include(refused.textAt("error.message"), "dispute")
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
