import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { fieldsOf } from "../support/Answer.ts"
import { numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { makeSharingSandbox } from "../support/SharingSandbox.ts"
import { everyKind } from "../support/Stores.ts"
import { eventsOf } from "../support/Tenant.ts"

describe.each(everyKind)("the distribution of a payment over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const sharing = anew(() => makeSharingSandbox(service))

  it("brings each recipient its part after fees, and tells both sides", async () => {
    const { first, give, giftAt, giving, recipients, setId, shares, shown, statuses, typesAt } = sharing
    const paid = await give([3_000, 2_000])
    const [one, two] = await shares()
    const gift = await giftAt(first.tenant, one?.donation_id ?? null)
    assert.deepInclude(gift, {
      status: "PENDING",
      source: "RECOMMENDATION_SET",
      amount_cents: 3_000,
      recommendation_set_id: setId(),
      allocation_id: one?.id
    })
    assert.strictEqual((await first.tenant.reader.get("/donors")).listAt("data").length, 1)
    await giving.balanced()
    await giving.distribute()
    assert.deepStrictEqual(await statuses(), ["succeeded", "succeeded"])
    const after = await shown()
    assert.strictEqual(after.distribution_status, "SUCCEEDED")
    const { processor_fee_cents } = await giving.chargeOf(paid)
    assert.strictEqual(
      after.allocations.reduce((sum, { net_amount_cents }) => sum + net_amount_cents, 0),
      5_000 - (processor_fee_cents ?? assert.fail())
    )
    assert.deepInclude(await giftAt(first.tenant, one?.donation_id ?? null), {
      status: "CONFIRMED",
      amount_cents: 3_000
    })
    const ours = ["donation.created", "donation.succeeded"]
    for (const { tenant } of recipients) assert.deepStrictEqual(await typesAt(tenant), ["donor.created", ...ours])
    const told = (await eventsOf(giving.tenant)).filter(({ type }) => type.includes("distribution"))
    assert.sameDeepMembers(
      told.map(({ data, type }) => [type, data["allocation_id"], data["amount_cents"], data["donation_id"]]),
      [one, two].map((each, index) => [
        "recommendation_set.distribution_succeeded",
        each?.id,
        after.allocations[index]?.net_amount_cents,
        each?.donation_id
      ])
    )
    const bank = await giving.bank(paid)
    assert.deepStrictEqual(
      bank.transfers.map(({ amount_cents }) => amount_cents).toSorted((a, b) => b - a),
      after.allocations.map(({ net_amount_cents }) => net_amount_cents)
    )
    await giving.distribute()
    assert.lengthOf(await giving.attempts(), 2)
    await giving.balanced()
  })

  it("is refunded by its recommender alone", async () => {
    const { first, give, giftAt, giving, share } = sharing
    await give([3_000, 2_000])
    await giving.distribute()
    const { donation_id } = await share(0)
    const answer = await first.tenant.writer.post(`/donations/${donation_id}/refund`, {})
    assert.strictEqual(answer.status, 409, answer.text)
    assert.strictEqual(answer.textAt("error.code"), "conflict")
    assert.match(answer.textAt("error.message"), /recommending organisation/u)
    assert.deepInclude(await giftAt(first.tenant, donation_id), { status: "CONFIRMED", refunded_amount_cents: 0 })
  })

  it("passes over whom nothing was given", async () => {
    const { give, giving, second, share, shown, statuses, typesAt } = sharing
    await give([5_000, 0])
    assert.deepStrictEqual(await statuses(), ["pending", "succeeded"])
    assert.isNull((await share(1)).donation_id)
    await giving.distribute()
    assert.strictEqual((await shown()).distribution_status, "SUCCEEDED")
    assert.deepStrictEqual(await typesAt(second.tenant), [])
    await giving.balanced()
  })

  it("confirms the gifts of which the fee leaves nothing, without a transfer", async () => {
    const { first, give, giftAt, giving, open, share, shown, typesAt } = sharing
    await give([300, 200], { payment_token: numbers.dearer })
    await giving.settle()
    const after = await shown()
    assert.strictEqual(after.distribution_status, "SUCCEEDED")
    assert.deepStrictEqual(fieldsOf(after.allocations, "net_amount_cents"), [0, 0])
    assert.lengthOf(await giving.attempts(), 0)
    assert.deepInclude(await giftAt(first.tenant, (await share(0)).donation_id), {
      status: "CONFIRMED",
      amount_cents: 300
    })
    assert.notInclude((await typesAt(giving.tenant)).join(), "distribution")
    assert.deepStrictEqual(fieldsOf(await open(), "kind"), ["fee_exceeds_gift"])
    await giving.balanced()
  })

  it("waits for a fee that is known late", async () => {
    const { give, giving, shown, statuses } = sharing
    const paid = await give([3_000, 2_000], { payment_token: numbers.feeLater })
    assert.lengthOf(await giving.attempts(), 0)
    assert.deepStrictEqual(await statuses(), ["pending", "pending"])
    await giving.balanced()
    const bank = await giving.bank(paid)
    await giving.setBank(paid, { scheduled: bank.scheduled.map((each) => ({ ...each, at: bank.created_at })) })
    await giving.settle()
    assert.lengthOf(await giving.attempts(), 2)
    await giving.distribute()
    assert.strictEqual((await shown()).distribution_status, "SUCCEEDED")
    await giving.balanced()
  })

  it("gives up at once on a closed account; what its exception released is not sent again", async () => {
    const { first, give, giving, open, retry, second, setAccount, share, shown, statuses } = sharing
    await setAccount(first, { transfers: "CLOSED" })
    await setAccount(second, { transfers: "CLOSED" })
    await give([3_000, 2_000])
    await giving.distribute()
    assert.deepStrictEqual(await statuses(), ["failed", "failed"])
    assert.strictEqual((await shown()).distribution_status, "FAILED")
    const { id } = await share(0)
    for (const each of await open()) {
      await giving.tenant.staff(
        PaymentExceptions.use((all) => all.resolve(each.id, { note: "Paid back.", money: "returned" }))
      )
    }
    const refused = await retry(id)
    assert.strictEqual(Result.isFailure(refused) ? refused.failure._tag : "taken", "GuardRefused")
    assert.deepStrictEqual(await statuses(), ["failed", "failed"])
    await giving.balanced()
  })

  it("sends nothing while a dispute of the charge is open", async () => {
    const { give, giving, shown, statuses } = sharing
    const paid = await give([3_000, 2_000])
    await giving.move(paid, (charge, now) => Bank.dispute(charge, 100, now))
    await giving.settle()
    await giving.distribute()
    assert.deepStrictEqual(await statuses(), ["pending", "pending"])
    assert.isTrue((await giving.attempts()).every(({ sent_at }) => sent_at === null))
    await giving.move(paid, Bank.disputeWon)
    await giving.settle()
    await giving.distribute()
    assert.strictEqual((await shown()).distribution_status, "SUCCEEDED")
    await giving.balanced()
  })
})
