import { assert, describe, it } from "@effect/vitest"
import type { EnteredAmount } from "../../src/domain/sharing/Checkout.ts"
import { linkedRecipient, makeGivingSandbox } from "../support/GivingSandbox.ts"
import { serviceOver } from "../support/Late.ts"
import { type Recipient, setAccountOf } from "../support/SharingSandbox.ts"
import { everyKind } from "../support/Stores.ts"

interface Share {
  readonly net_amount_cents: number
  readonly transfer_status: string
  readonly donation_id: string
}

const many = 20

/** The recipient whose account is closed, and the one whose account is disabled for a while. */
const [closed, disabled] = [3, 7]

const gross = (index: number): number => 500 + 100 * index

describe.each(everyKind)(`a payment to ${many} recipients over %s`, (_name, stores) => {
  const service = serviceOver({ stores })

  it("reaches all but the one whose account is closed, and one when it is back", async () => {
    const giving = await makeGivingSandbox(service)
    const { reader, writer } = giving.tenant
    const recipients: Array<Recipient> = []
    for (let count = 0; count < many; count += 1) recipients.push(await linkedRecipient(service, giving))
    const set = await writer.post("/recommendation-sets", {
      name: "Harvest",
      amount_mode: "FIXED",
      allocations: recipients.map(({ link }, index) => ({
        recipient_org_account_link_id: link,
        amount_cents: gross(index)
      }))
    })
    assert.strictEqual(set.status, 201, set.text)
    const at = (index: number) => recipients[index] ?? assert.fail()
    await setAccountOf(service, at(closed), { transfers: "CLOSED" })
    await setAccountOf(service, at(disabled), { transfers: "REFUSED" })
    const amounts = recipients.map((_, index) => gross(index))
    const total = amounts.reduce((sum, each) => sum + each, 0)
    const paid = await giving.submit({
      slug: null,
      url_key: set.textAt("url_key"),
      allocations: (set.at("allocations") as ReadonlyArray<EnteredAmount>).map(({ id }, index) => ({
        id,
        amount_cents: gross(index)
      })),
      amount_cents: total
    })
    assert.strictEqual(paid.status, "SUCCEEDED")
    const shown = async () => {
      const page = await reader.get(`/recommendation-sets/${set.textAt("id")}/payments`)
      const [payment] = page.at("data") as ReadonlyArray<{
        distribution_status: string
        allocations: ReadonlyArray<Share>
      }>
      return payment ?? assert.fail("no payment")
    }
    const statuses = async () => (await shown()).allocations.map(({ transfer_status }) => transfer_status)
    const others = (found: ReadonlyArray<string>) => found.filter((_, index) => index !== closed && index !== disabled)

    await giving.distribute()
    await giving.distribute()
    const first = await statuses()
    assert.deepStrictEqual([first[closed], first[disabled]], ["failed", "pending"])
    assert.deepStrictEqual(new Set(others(first)), new Set(["succeeded"]))
    await giving.balanced()
    await setAccountOf(service, at(disabled), { transfers: "ACCEPTED" })
    await giving.distribute()
    const { allocations, distribution_status } = await shown()
    assert.strictEqual(distribution_status, "PARTIAL")
    assert.strictEqual(allocations[disabled]?.transfer_status, "succeeded")
    await giving.balanced()

    const { processor_fee_cents } = await giving.chargeOf(paid)
    const nets = allocations.map(({ net_amount_cents }) => net_amount_cents)
    assert.strictEqual(
      nets.reduce((sum, each) => sum + each, 0),
      total - (processor_fee_cents ?? assert.fail())
    )
    const sent = (await giving.bank(paid)).transfers.map(({ amount_cents }) => amount_cents)
    const arrived = nets.filter((_, index) => index !== closed)
    const byAmount = (all: ReadonlyArray<number>) => all.toSorted((a, b) => a - b)
    assert.deepStrictEqual(byAmount(sent), byAmount(arrived))
    for (const [index, { tenant }] of recipients.entries()) {
      const gift = await tenant.reader.get(`/donations/${allocations[index]?.donation_id}`)
      assert.strictEqual(gift.textAt("status"), index === closed ? "FAILED" : "CONFIRMED")
      assert.strictEqual(gift.at("amount_cents"), gross(index))
      // What is listed where nothing else is said is what has come.
      assert.lengthOf((await tenant.reader.get("/donations")).listAt("data"), index === closed ? 0 : 1)
    }
    const told = (await reader.get("/events?limit=100")).at("data") as ReadonlyArray<{ type: string }>
    const count = (type: string) => told.filter((each) => each.type === `recommendation_set.${type}`).length
    assert.deepStrictEqual([count("distribution_succeeded"), count("distribution_failed")], [many - 1, 1])
  })
})
