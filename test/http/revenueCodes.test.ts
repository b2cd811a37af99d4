import { assert, it } from "@effect/vitest"
import { valueAt } from "../support/Answer.ts"
import { anew } from "../support/Late.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenant } from "../support/Tenant.ts"

describeService(everyKind, "revenue codes", (service) => {
  const tenant = anew(() => makeTenant(service))

  /** The paths of one record of each kind that is booked under a code. */
  const booked = async (revenue_code: string) => {
    const donor_id = (await tenant.writer.post("/donors", { first_name: "Ada", email: "a@example.org" })).at("id")
    const gift = { donor_id, donation_type: "MONETARY", amount_cents: 100, donation_date: "2026-01-10", revenue_code }
    const made = [
      ["/donations", await tenant.writer.post("/donations", gift)],
      ["/donations", await tenant.writer.post("/donations", gift, { "idempotency-key": `gift of ${donor_id}` })],
      ["/checkout-links", await tenant.writer.post("/checkout-links", { donor_id, amount_cents: 100, revenue_code })],
      ["/forms", await tenant.writer.post("/forms", { name: "Gala", status: "ACTIVE", revenue_code })]
    ] as const
    return made.map(([list, answer]) => ({ list, path: `${list}/${answer.textAt("id")}`, first: answer }))
  }

  it("are renamed wherever they are shown, and events keep what they said", async () => {
    const records = await booked("Gala 26")
    const id = records[0]?.first.textAt("revenue_code_id")
    const events = async () => (await tenant.reader.get("/events?limit=100")).listAt("data")
    const told = await events()
    const renamed = await tenant.writer.patch(`/revenue-codes/${id}`, { code: "Winter Gala" })
    assert.strictEqual(renamed.status, 200)
    for (const { first, list, path } of records) {
      assert.deepStrictEqual([first.at("revenue_code"), first.at("revenue_code_id")], ["Gala 26", id])
      const { revenue_code, ...rest } = Object((await tenant.reader.get(path)).at(""))
      assert.strictEqual(revenue_code, "Winter Gala", path)
      assert.strictEqual(rest.updated_at, first.at("updated_at"))
      for (const each of (await tenant.reader.get(list)).listAt("data")) {
        assert.strictEqual(valueAt(each, "revenue_code"), "Winter Gala", list)
      }
    }
    assert.deepStrictEqual(await events(), told)
    const gift = records[0]?.path
    const refunded = await tenant.writer.post(`${gift}/refund`, { amount_cents: 1 })
    assert.strictEqual(refunded.at("revenue_code"), "Winter Gala")
    const [newest] = await events()
    assert.deepStrictEqual(
      ["revenue_code", "tracking_code", "revenue_code_id"].map((field) => valueAt(newest, `data.${field}`)),
      ["Winter Gala", "Winter Gala", id]
    )
    const form = records[3]?.path
    assert.strictEqual((await tenant.writer.patch(`${form}`, { title: "Dinner" })).at("revenue_code"), "Winter Gala")
  })
})
