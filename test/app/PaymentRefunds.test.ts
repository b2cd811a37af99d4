import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import type { PaymentAllocationId } from "../../src/domain/kernel/Ids.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { fieldsOf } from "../support/Answer.ts"
import { numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { makeSharingSandbox, type SharingSandbox } from "../support/SharingSandbox.ts"
import { everyKind } from "../support/Stores.ts"

describe.each(everyKind)("money back of a shared payment over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const sharing = anew(() => makeSharingSandbox(service))

  const ask = async (body: object = {}, key?: string) => {
    const { id } = await sharing.shown()
    const path = `/recommendation-set-payments/${id}/refund`
    return sharing.giving.tenant.writer.post(path, body, key === undefined ? {} : { "idempotency-key": key })
  }
  const only = (...ids: ReadonlyArray<PaymentAllocationId>) => ({ allocation_ids: ids })
  const refused = async (body: object, expected: RegExp) => {
    const answer = await ask(body)
    assert.strictEqual(answer.status, 409, answer.text)
    assert.strictEqual(answer.textAt("error.code"), "conflict")
    assert.match(answer.textAt("error.message"), expected)
  }
  /** Has the workers do all that is due, and the books balance after each of them. */
  const work = async () => {
    const { giving } = sharing
    await giving.balanced()
    await giving.distribute()
    await giving.balanced()
    await giving.settle()
    await giving.balanced()
  }
  const backCents = async (paid: Parameters<SharingSandbox["giving"]["bank"]>[0]) =>
    (await sharing.giving.bank(paid)).refunds
      .filter(({ status }) => status === "succeeded")
      .reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  const kinds = async () => (await sharing.open()).map(({ kind }) => kind).toSorted()
  const lose = async (paid: Parameters<SharingSandbox["giving"]["bank"]>[0], cents: number | null = null) => {
    await sharing.giving.move(paid, (charge, now) => Bank.dispute(charge, cents, now))
    await sharing.giving.settle()
    await sharing.giving.balanced()
    await sharing.giving.move(paid, Bank.disputeLost)
    await sharing.giving.settle()
    await sharing.giving.balanced()
  }

  it("goes back part by part, each once, however often it is asked for", async () => {
    const { first, give, giftAt, giving, second, share, shown, statuses } = sharing
    const paid = await give([3_000, 2_000])
    await work()
    const [one, two] = [await share(0), await share(1)]
    const keyed = await ask(only(one.id), "key-1")
    assert.strictEqual(keyed.status, 200, keyed.text)
    assert.strictEqual((await ask(only(one.id), "key-1")).text, keyed.text)
    await refused(only(one.id), /taken back from its recipient already/u)
    await work()
    assert.deepStrictEqual(await statuses(), ["reversed", "succeeded"])
    assert.strictEqual((await shown()).distribution_status, "PARTIAL")
    assert.strictEqual(await backCents(paid), 3_000)
    assert.deepInclude(await giftAt(second.tenant, two.donation_id), { status: "CONFIRMED" })
    const rivals = await Promise.all([ask(), ask(), ask(only(two.id))])
    assert.deepStrictEqual(rivals.map(({ status }) => status).toSorted(), [200, 409, 409])
    await work()
    assert.deepStrictEqual(await statuses(), ["reversed", "reversed"])
    assert.strictEqual(await backCents(paid), 5_000)
    assert.lengthOf((await giving.bank(paid)).refunds, 2)
    assert.deepInclude(await giftAt(first.tenant, one.donation_id), { status: "REFUNDED" })
    assert.lengthOf(await kinds(), 0)
  })

  it("is refused while a transfer or a dispute has not ended, for others' parts, and for what is nobody's", async () => {
    const { give, giving, second, setAccount, share } = sharing
    await setAccount(second, { transfers: "REFUSED" })
    const paid = await give([3_000, 2_000])
    await giving.distribute()
    await refused({}, /on its way to its recipient/u)
    const wrong = await ask(only("pal_01jqz6x8h4e5vb9m2k7ncw3t5d" as PaymentAllocationId))
    assert.strictEqual(wrong.status, 400, wrong.text)
    assert.strictEqual(wrong.textAt("error.param"), "allocation_ids")
    await giving.move(paid, (charge, now) => Bank.dispute(charge, 100, now))
    await giving.settle()
    await refused(only((await share(0)).id), /examining a dispute/u)
    await giving.move(paid, Bank.disputeWon)
    await giving.settle()
    assert.strictEqual((await ask(only((await share(0)).id))).status, 200)
    await work()
    assert.strictEqual(await backCents(paid), 3_000)
  })

  it("gives back at once what was held of a transfer that was given up, and what the fees left nothing of", async () => {
    const { first, give, giftAt, giving, retry, setAccount, share, statuses } = sharing
    await setAccount(first, { transfers: "CLOSED" })
    const paid = await give([3_000, 0])
    await work()
    assert.deepStrictEqual(await kinds(), ["transfer_given_up"])
    assert.strictEqual((await ask()).status, 200)
    assert.lengthOf(await kinds(), 0)
    await work()
    assert.strictEqual(await backCents(paid), 3_000)
    assert.deepStrictEqual(await statuses(), ["failed", "succeeded"])
    assert.isTrue(Result.isFailure(await retry((await share(0)).id)))
    await refused(only((await share(1)).id), /Nothing was given toward this recipient/u)
    const small = await give([300, 200], { payment_token: numbers.dearer })
    await giving.settle()
    assert.strictEqual((await ask()).status, 200)
    await work()
    assert.strictEqual(await backCents(small), 500)
    assert.deepStrictEqual(await statuses(), ["reversed", "reversed"])
    assert.deepInclude(await giftAt(first.tenant, (await share(0)).donation_id), { status: "REFUNDED" })
  })

  it("follows a chargeback where the fees left nothing of it, and comes back where that is won after all", async () => {
    const { first, give, giftAt, giving, share, statuses } = sharing
    const small = await give([300, 200], { payment_token: numbers.dearer })
    await giving.settle()
    assert.deepStrictEqual(await statuses(), ["succeeded", "succeeded"])
    const { donation_id } = await share(0)
    await lose(small)
    assert.deepStrictEqual(await statuses(), ["reversed", "reversed"])
    assert.deepInclude(await giftAt(first.tenant, donation_id), { status: "REFUNDED", refunded_amount_cents: 300 })
    await giving.move(small, Bank.disputeWon)
    await giving.settle()
    await giving.balanced()
    assert.deepStrictEqual(await statuses(), ["succeeded", "succeeded"])
    assert.deepInclude(await giftAt(first.tenant, donation_id), { status: "CONFIRMED", refunded_amount_cents: 0 })
  })

  it("what an exception was resolved about by hand is not given back a second time", async () => {
    const { first, give, giving, open, setAccount } = sharing
    await setAccount(first, { transfers: "CLOSED" })
    await give([3_000, 0])
    await work()
    for (const { id } of await open()) {
      await giving.tenant.staff(
        PaymentExceptions.use((all) => all.resolve(id, { note: "Kept, as agreed.", money: "kept" }))
      )
    }
    await refused({}, /Nothing of this payment is left/u)
    await giving.balanced()
  })

  it("what came back and was decided about by hand goes back no second time, and is not held again", async () => {
    const { give, giving, open, statuses } = sharing
    const paid = await give([3_000, 2_000])
    await work()
    await lose(paid)
    await work()
    await giving.move(paid, Bank.disputeWon)
    await giving.settle()
    service.clock.advance(60_000)
    const [decided = assert.fail()] = await open()
    const left = (await sharing.shares()).find(({ id }) => id !== decided.subject_id) ?? assert.fail()
    await giving.tenant.staff(
      PaymentExceptions.use((all) => all.resolve(decided.id, { note: "Paid back.", money: "returned" }))
    )
    await refused(only(decided.subject_id as PaymentAllocationId), /came back from its recipient/u)
    await lose(paid)
    await work()
    await giving.move(paid, Bank.disputeWon)
    await giving.settle()
    assert.deepStrictEqual(fieldsOf(await open(), "subject_id"), [left.id])
    assert.strictEqual((await ask()).status, 200)
    await work()
    assert.strictEqual(await backCents(paid), left.gross_amount_cents)
    assert.deepStrictEqual(await statuses(), ["reversed", "reversed"])
    await refused({}, /Nothing of this payment is left/u)
  })

  it("tells a person when a recipient's account refuses to give it back, after the seventh time", async () => {
    const { first, give, giftAt, giving, setAccount, share, statuses } = sharing
    const paid = await give([3_000, 2_000])
    await work()
    await setAccount(first, { transfers: "REFUSED" })
    assert.strictEqual((await ask()).status, 200)
    for (let count = 1; count <= 6; count += 1) await giving.distribute()
    assert.lengthOf(await kinds(), 0)
    await work()
    assert.deepStrictEqual(await kinds(), ["refund_failed"])
    assert.deepStrictEqual(await statuses(), ["succeeded", "reversed"])
    assert.strictEqual(await backCents(paid), 2_000)
    assert.deepInclude(await giftAt(first.tenant, (await share(0)).donation_id), { status: "CONFIRMED" })
    await setAccount(first, { transfers: "ACCEPTED" })
    assert.strictEqual((await ask()).status, 200)
    await work()
    assert.deepStrictEqual(await statuses(), ["reversed", "reversed"])
    assert.strictEqual(await backCents(paid), 5_000)
  })

  it("a whole payment that was charged back comes back from every recipient who can give it", async () => {
    const { first, give, giftAt, giving, second, setAccount, share, shown, statuses } = sharing
    const paid = await give([3_000, 2_000])
    await work()
    await setAccount(second, { transfers: "CLOSED" })
    await lose(paid)
    assert.deepStrictEqual(await statuses(), ["succeeded", "succeeded"])
    await work()
    assert.deepStrictEqual(await statuses(), ["reversed", "succeeded"])
    assert.strictEqual((await shown()).distribution_status, "PARTIAL")
    assert.deepInclude(await giftAt(first.tenant, (await share(0)).donation_id), { status: "REFUNDED" })
    assert.deepInclude(await giftAt(second.tenant, (await share(1)).donation_id), { status: "CONFIRMED" })
    const [exception, ...others] = await sharing.open()
    assert.lengthOf(others, 0)
    const { id, net_amount_cents } = await share(1)
    assert.deepInclude(exception, {
      kind: "unrecovered",
      subject_id: id,
      amount_cents: net_amount_cents,
      held_cents: 0
    })
    await refused({}, /Only 0 are left/u)
    assert.strictEqual(await backCents(paid), 0)
    assert.lengthOf(await giving.refundsOf(paid), 0)
  })

  it("what was charged back and won after all is held, and goes out again with new gifts", async () => {
    const { first, give, giftAt, giving, open, retry, share, shown, statuses, typesAt } = sharing
    const paid = await give([3_000, 2_000])
    await work()
    await lose(paid)
    await work()
    assert.strictEqual((await shown()).distribution_status, "REVERSED")
    const before = await share(0)
    assert.isTrue(Result.isFailure(await retry(before.id)))
    await giving.move(paid, Bank.disputeWon)
    await giving.settle()
    await work()
    assert.deepStrictEqual(await kinds(), ["transfer_given_up", "transfer_given_up"])
    assert.deepStrictEqual(
      (await open()).map(({ held_cents }) => held_cents).toSorted(),
      (await sharing.shares()).map(({ net_amount_cents }) => net_amount_cents).toSorted()
    )
    assert.isTrue(Result.isSuccess(await retry(before.id)))
    await work()
    const after = await share(0)
    assert.notStrictEqual(after.donation_id, before.donation_id)
    assert.deepStrictEqual(await statuses(), ["succeeded", "reversed"])
    assert.deepInclude(await giftAt(first.tenant, before.donation_id), { status: "REFUNDED" })
    assert.deepInclude(await giftAt(first.tenant, after.donation_id), { status: "CONFIRMED", refunded_amount_cents: 0 })
    assert.deepStrictEqual((await typesAt(first.tenant)).slice(1), [
      ...["donation.created", "donation.succeeded", "donation.refunded"],
      ...["donation.created", "donation.succeeded"]
    ])
    assert.strictEqual((await ask()).status, 200)
    await work()
    assert.strictEqual(await backCents(paid), 5_000)
    assert.deepStrictEqual(await statuses(), ["reversed", "reversed"])
    assert.lengthOf(await kinds(), 0)
  })

  it("a part that was charged back stays with the recipients", async () => {
    const { give, statuses } = sharing
    const paid = await give([3_000, 2_000])
    await work()
    await lose(paid, 1_500)
    await work()
    assert.deepStrictEqual(await statuses(), ["succeeded", "succeeded"])
    assert.deepStrictEqual(await kinds(), ["unrecovered"])
    await refused({}, /Only 3500 are left/u)
  })

  it("what had not gone out when the payment was charged back does not go out", async () => {
    const { first, give, giftAt, giving, retry, second, setAccount, share, statuses } = sharing
    await setAccount(first, { transfers: "REFUSED" })
    await setAccount(second, { transfers: "CLOSED" })
    const paid = await give([3_000, 2_000])
    await work()
    assert.deepStrictEqual(await statuses(), ["pending", "failed"])
    await lose(paid)
    await work()
    assert.deepStrictEqual(await statuses(), ["failed", "failed"])
    assert.lengthOf(await kinds(), 0)
    assert.deepInclude(await giftAt(first.tenant, (await share(0)).donation_id), { status: "FAILED" })
    await setAccount(first, { transfers: "ACCEPTED" })
    await giving.move(paid, Bank.disputeWon)
    await giving.settle()
    await work()
    assert.deepStrictEqual(await kinds(), ["transfer_given_up", "transfer_given_up"])
    assert.isTrue(Result.isSuccess(await retry((await share(0)).id)))
    await work()
    assert.deepStrictEqual(await statuses(), ["succeeded", "failed"])
  })

  it("a dispute that is won before a recipient gave anything back leaves it there", async () => {
    const { first, give, giving, setAccount, statuses } = sharing
    const paid = await give([3_000, 0])
    await work()
    await setAccount(first, { transfers: "REFUSED" })
    await lose(paid)
    await giving.distribute()
    await giving.move(paid, Bank.disputeWon)
    await giving.settle()
    await setAccount(first, { transfers: "ACCEPTED" })
    await work()
    assert.deepStrictEqual(await statuses(), ["succeeded", "succeeded"])
    assert.lengthOf(await kinds(), 0)
    assert.include(fieldsOf(await giving.attempts(), "failure_code"), "dispute_won")
  })
})
