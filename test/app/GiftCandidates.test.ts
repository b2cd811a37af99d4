import { assert, beforeEach, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { Credits } from "../../src/app/payments/Credits.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { dayOf } from "../../src/domain/kernel/CalendarDate.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import * as PaymentException from "../../src/domain/payments/PaymentException.ts"
import { serviceOver } from "../support/Late.ts"
import { start } from "../support/Service.ts"
import { makeSharingSandbox } from "../support/SharingSandbox.ts"
import { everyKind } from "../support/Stores.ts"
import { file, instructionsOf, makeTransfers } from "../support/Transfers.ts"

describe.each(everyKind)("gifts that are offered for a payment, over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  beforeEach(() => {
    service.clock.now = start
  })

  const makeWorld = async () => {
    const world = await makeTransfers(service)
    const query = Effect.orDie(Effect.fromResult(parse(PaymentException.listing, [["kind", "unmatched_credit"]])))
    const listed = async () =>
      (await world.tenant.staff(PaymentExceptions.use((use) => Effect.flatMap(query, use.list)))).data
    /** Who is offered for a line, and why. */
    const offered = async (text: string, amount: string, day = "2026-01-15") => {
      Result.getOrThrow(await world.import(file(`${day},${amount},${text}`), { anyway: true }))
      const [newest] = await listed()
      const { id } = newest ?? assert.fail("nothing was raised")
      const shown = await world.tenant.staff(PaymentExceptions.use((use) => use.read(id)))
      assert.deepStrictEqual(shown, newest)
      return shown.candidates.map(({ donor_name, reasons, status }) => [donor_name, reasons.join(" "), status])
    }
    const person = (first_name: string, last_name: string, amount_cents: number) =>
      world.submit(amount_cents, {
        first_name,
        last_name,
        email: `${Buffer.from(first_name + last_name).toString("hex")}@example.org`
      })
    return { ...world, listed, offered, person }
  }

  it("are those of its references, its donor's name and its amount, the best first, and nobody else's", async () => {
    const world = await makeWorld()
    const other = await makeWorld()
    await other.person("Zoë", "Müller", 5_000)
    await world.person("Zoë", "Müller", 5_000)
    await world.person("Noor", "van den Berg", 7_000)
    await world.person("小明", "王", 8_000)
    const leeds = await world.person("Ann", "Leeds", 5_000)
    assert.deepStrictEqual(await world.offered("OSKO Z MUELLER", "50.00"), [
      ["Zoë Müller", "name amount", "WAITING"],
      ["Ann Leeds", "amount", "WAITING"]
    ])
    assert.deepStrictEqual(await world.offered("VAN DEN BERG N", "1.00"), [["Noor van den Berg", "name", "WAITING"]])
    assert.deepStrictEqual(await world.offered("转账 王小明", "1.00"), [["小明 王", "name", "WAITING"]])
    assert.deepStrictEqual(await world.offered("DEPOSIT LEE", "3.00"), [])
    const { reference } = instructionsOf(leeds)
    const berg = instructionsOf(await world.person("Bo", "Berg", 9_000)).reference
    const both = await world.offered(`${reference} ${berg}`, "70.00")
    const named = both.slice(0, 2).map(([name, why]) => `${name}: ${why}`)
    assert.deepStrictEqual(named.toSorted(), ["Ann Leeds: reference", "Bo Berg: reference"])
    assert.deepStrictEqual(both[2], ["Noor van den Berg", "amount", "WAITING"])
  })

  it("are those of a set's payer too, and what a gift waits for that has a part of its money", async () => {
    const sharing = await makeSharingSandbox(service, { own: { methods: ["bank_transfer"] } })
    const { giving, open } = sharing
    const transfer = { method: "bank_transfer", payment_token: null } as const
    const donor = { email: "zoe@example.org", first_name: "Zoë", last_name: "Müller" }
    const offered = async (text: string, amount_cents: number) => {
      const day = dayOf(DateTime.makeUnsafe(service.clock.now), giving.tenant.organisation.timezone)
      const line = { integration_id: giving.integration_id, day, amount_cents, text }
      await giving.tenant.staff(Credits.use((use) => use.record(line)))
      const held = (await open()).filter(({ held_cents }) => held_cents === amount_cents)
      return held.flatMap(({ candidates }) =>
        candidates.map(({ donor_name, reasons, received_cents }) => [donor_name, reasons.join(" "), received_cents])
      )
    }
    await sharing.give([2_000, 3_000], { ...transfer, donor })
    assert.deepStrictEqual(await offered("OSKO Z MUELLER", 700), [["Zoë Müller", "name", 0]])
    const gift = await giving.submit({ ...transfer, amount_cents: 9_000, donor: { ...donor, last_name: "Dam" } })
    assert.deepStrictEqual(await offered(instructionsOf(gift).reference, 1_500), [])
    assert.deepStrictEqual(await offered("DEPOSIT", 7_500), [["Zoë Dam", "amount", 1_500]])
  })

  it("are no longer those that are paid, and those that have just lapsed until they are given anew", async () => {
    const world = await makeWorld()
    const paid = await world.person("Ann", "Lee", 5_000)
    await world.person("Bo", "Lee", 6_000)
    Result.getOrThrow(await world.import(file(`2026-01-15,50.00,${instructionsOf(paid).reference}`)))
    await world.settle()
    world.pass(45)
    await world.settle()
    assert.deepStrictEqual(await world.offered("LEE", "60.00", "2026-02-28"), [["Bo Lee", "name amount", "CANCELLED"]])
    const [held] = await world.listed()
    const [candidate] = held?.candidates ?? []
    const charge_ids = [candidate?.charge_id ?? assert.fail("nobody is offered")]
    Result.getOrThrow(await world.resolve(held?.id ?? assert.fail(), { note: "It is Bo's", charge_ids }))
    await world.settle()
    assert.deepStrictEqual(await world.offered("BO LEE", "60.00", "2026-02-28"), [])
    await world.person("Bo", "Lee", 6_000)
    world.pass(200)
    await world.settle()
    assert.deepStrictEqual(await world.offered("LEE", "60.00", "2026-09-10"), [["Bo Lee", "name amount", "CANCELLED"]])
    world.pass(61)
    const [last] = await world.listed()
    assert.deepStrictEqual(last?.candidates, [])
  })
})
