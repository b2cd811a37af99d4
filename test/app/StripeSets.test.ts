import { afterEach, assert, beforeEach, it } from "@effect/vitest"
import { ChargeStore } from "../../src/ports/payments/ChargeStore.ts"
import { fieldsOf } from "../support/Answer.ts"
import type { Service } from "../support/Service.ts"
import { makeSharingSandbox, type SharingSandbox } from "../support/SharingSandbox.ts"
import { describeAtStripe } from "../support/stripe/AtStripe.ts"
import type { StripeDouble } from "../support/stripe/StripeDouble.ts"

const accountAt = (account: string) => ({ processor: "stripe", processor_connect_account_id: account }) as const

const accounts = { own: accountAt("acct_own"), first: accountAt("acct_first"), second: accountAt("acct_second") }

describeAtStripe("a set that is paid at Stripe", (at) => {
  let double: StripeDouble
  let service: Service
  let sharing: SharingSandbox

  beforeEach(async () => {
    ;({ double, service } = at())
    sharing = await makeSharingSandbox(service, accounts)
  })
  afterEach(async () => {
    for (const { processor_connect_account_id } of Object.values(accounts)) double.reopen(processor_connect_account_id)
    await sharing.giving.balanced()
  })

  const give = (more: object = {}) => sharing.give([3_000, 2_000], { payment_token: "pm_card_visa", ...more })

  /** Minor units that the two recipients have got. */
  const arrived = () => [double.arrived("acct_first"), double.arrived("acct_second")] as const
  const arrivedSince = ([first, second]: readonly [number, number]) => {
    const now = arrived()
    return [now[0] - first, now[1] - second]
  }

  const hear = () => at().hear()

  it("is shared out after the fee is known, and given back from where it went", async () => {
    const { giving, setId, shares, statuses, typesAt } = sharing
    const before = arrived()
    double.lateFees(true)
    const paid = await give()
    const { id } = await giving.chargeOf(paid)
    await giving.distribute()
    assert.deepStrictEqual(await statuses(), ["pending", "pending"])
    assert.deepStrictEqual(arrivedSince(before), [0, 0])
    double.lateFees(false)
    double.feesKnown()
    await giving.settle()
    await giving.distribute()
    assert.deepStrictEqual(await statuses(), ["succeeded", "succeeded"])
    const nets = (await shares()).map(({ net_amount_cents }) => net_amount_cents)
    assert.deepStrictEqual(arrivedSince(before), nets)
    assert.strictEqual(double.sharedOut(id), 5_000 - 118)
    await giving.balanced()

    const [payment] = (await giving.tenant.reader.get(`/recommendation-sets/${setId()}/payments`)).listAt("data")
    const refunded = await giving.tenant.writer.post(
      `/recommendation-set-payments/${(payment as { id: string }).id}/refund`,
      {}
    )
    assert.strictEqual(refunded.status, 200, refunded.text)
    await giving.distribute()
    await giving.settle()
    assert.deepStrictEqual(arrivedSince(before), [0, 0])
    assert.strictEqual(double.paidBack(id), 5_000)
    assert.deepStrictEqual(await statuses(), ["reversed", "reversed"])
    const gift = ["donation.created", "donation.succeeded", "donation.refunded"]
    assert.deepStrictEqual(await typesAt(sharing.first.tenant), ["donor.created", ...gift])
  })

  it("costs its organisation more or less where its fee becomes another one, and its recipients nothing", async () => {
    const { giving, shares } = sharing
    const { id, organisation_id } = await giving.chargeOf(await give())
    await giving.distribute()
    const before = await shares()
    for (const [more, fee] of [
      [30, 148],
      [-50, 98]
    ] as const) {
      double.feesKnown(more)
      await service.run(ChargeStore.use((store) => store.lookNow(organisation_id, id)))
      await giving.settle()
      const [charge] = (await giving.charges()).filter((each) => each.id === id)
      assert.strictEqual(charge?.processor_fee_cents, fee)
      await giving.balanced()
    }
    assert.deepStrictEqual(await shares(), before)
  })

  it("goes on to an account that comes back, and not to one that is closed", async () => {
    const { giving, open, statuses } = sharing
    const before = arrived()
    await give()
    double.closeAccount("acct_first")
    double.disable("acct_second")
    await giving.distribute()
    assert.deepStrictEqual(await statuses(), ["failed", "pending"])
    const codes = (await giving.attempts()).map(({ failure_code }) => failure_code)
    assert.includeMembers(codes, ["account_closed", "insufficient_capabilities_for_transfer"])
    assert.deepStrictEqual(fieldsOf(await open(), "kind"), ["transfer_given_up"])
    double.reopen("acct_second")
    await giving.distribute()
    assert.deepStrictEqual(await statuses(), ["failed", "succeeded"])
    const [first, second] = arrivedSince(before)
    assert.strictEqual(first, 0)
    assert.isAbove(second ?? 0, 1_900)
  })

  it("goes on once, whatever becomes of answers and keys", async () => {
    const { giving, shares, statuses } = sharing
    const before = arrived()
    await give()
    double.lose("answers")
    await giving.distribute()
    double.lose(null)
    assert.deepStrictEqual(await statuses(), ["pending", "pending"])
    double.forgetKeys()
    await giving.distribute()
    await giving.distribute()
    assert.deepStrictEqual(await statuses(), ["succeeded", "succeeded"])
    assert.deepStrictEqual(
      arrivedSince(before),
      (await shares()).map(({ net_amount_cents }) => net_amount_cents)
    )
    assert.lengthOf(await giving.attempts(), 2)
  })

  it("is recovered from those who can give it back when the donor's bank takes it", async () => {
    const { giving, open, statuses } = sharing
    const before = arrived()
    const { id } = await giving.chargeOf(await give())
    await giving.distribute()
    double.dispute(id)
    await hear()
    double.loseDispute(id)
    await hear()
    double.reject("acct_second")
    await giving.distribute()
    assert.deepStrictEqual(await statuses(), ["reversed", "succeeded"])
    const [first, second] = arrivedSince(before)
    assert.strictEqual(first, 0)
    assert.isAbove(second ?? 0, 1_900)
    assert.deepStrictEqual(fieldsOf(await open(), "kind"), ["unrecovered"])
  })
})
