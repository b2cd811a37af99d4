import { assert, it } from "@effect/vitest"
import { DateTime, Option, Result } from "effect"
import { Settler } from "../../src/app/payments/Settler.ts"
import { IntegrationStore } from "../../src/ports/access/IntegrationStore.ts"
import { start } from "../support/Service.ts"
import { describeServiceFromStart } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { instructionsOf, makeTransfers } from "../support/Transfers.ts"

const account = { account_name: "Harbour Trust", bsb: "062 000", account_number: "1234-5678" }

const days = (count: number): string =>
  DateTime.formatIsoDateUtc(DateTime.add(DateTime.makeUnsafe(start), { days: count }))

/** A statement with a fee on each of these days, counted from the gift's. */
const statement = (...of: ReadonlyArray<number>): string =>
  `Date,Description,Amount\n${of.map((day) => `${days(day)},Fee,-1.00`).join("\n")}`

describeServiceFromStart(everyKind, "transfers and the statements that cover them", (service) => {
  const work = () => service.run(Settler.use(({ settleDue }) => settleDue))

  const makeWorld = async () => {
    const world = await makeTransfers(service)
    const imported = async (...of: ReadonlyArray<number>) => {
      const { import_id } = Result.getOrThrow(await world.import(statement(...of)))
      await work()
      return import_id
    }
    const gift = await world.submit()
    const status = async () => ((await world.giftOf(gift)) as { readonly status: string }).status
    return { ...world, imported, gift, status }
  }

  it("wait until a statement covers their last day, however late it is, and lapse at once then", async () => {
    const world = await makeWorld()
    const other = await makeTransfers(service)
    world.pass(25)
    Result.getOrThrow(await other.import(statement(14, 20)))
    await world.imported(5, 13)
    await world.settle()
    assert.strictEqual(await world.status(), "PENDING")
    // Quiet days are covered, and not those for which a statement may be missing.
    await world.imported(22, 24)
    await world.settle()
    assert.strictEqual(await world.status(), "PENDING")
    await world.imported(14)
    assert.deepStrictEqual(await world.eventsOf(world.gift), [
      "donation.created",
      "donation.failed bank_transfer_lapsed"
    ])
    assert.isEmpty(await world.exceptions())
  })

  it("are paid by a line of a day in time, also when its statement comes late", async () => {
    const world = await makeWorld()
    world.pass(40)
    const line = `${days(14)},GIFT ${instructionsOf(world.gift).reference},50.00`
    Result.getOrThrow(await world.import(`${statement(3, 20)}\n${line}`))
    await work()
    assert.strictEqual(await world.status(), "CONFIRMED")
    assert.isEmpty(await world.exceptions())
  })

  it("lapse once whoever looks at the same moment, and what came of them is held once", async () => {
    const world = await makeWorld()
    const part = `${days(2)},GIFT ${instructionsOf(world.gift).reference},20.00`
    world.pass(4)
    Result.getOrThrow(await world.import(`${statement(1, 3)}\n${part}`))
    world.pass(41)
    await Promise.all(Array.from({ length: 4 }, () => world.settle()))
    assert.deepStrictEqual(await world.eventsOf(world.gift), [
      "donation.created",
      "donation.failed bank_transfer_lapsed"
    ])
    const told = (await world.exceptions()).map(({ held_cents, kind }) => `${kind} ${held_cents}`)
    assert.deepStrictEqual(told.toSorted(), ["statement_missing 0", "underpaid 2000"])
    assert.deepInclude(await world.balances(), { bank: "-2000", held: "2000", unmatched: "0" })
  })

  it("are covered and paid by a statement of any integration that has their account", async () => {
    const world = await makeWorld()
    const second = await world.make({ label: "The same account" })
    const stranger = await world.make({ label: "Another", bank_account: { ...account, account_number: "8765-4321" } })
    const paid = await world.submit()
    const line = `${days(5)},GIFT ${instructionsOf(paid).reference},50.00`
    world.pass(16)
    Result.getOrThrow(await world.import(`${statement(4, 14)}\n${line}`, { integration_id: stranger.id }))
    await world.settle()
    assert.strictEqual(await world.status(), "PENDING")
    Result.getOrThrow(await world.import(`${statement(4, 14)}\n${line}`, { integration_id: second.id }))
    await world.settle()
    assert.strictEqual(await world.status(), "FAILED")
    assert.deepInclude(await world.giftOf(paid), { status: "CONFIRMED" })
    assert.deepInclude(Result.getOrThrow(await world.import(`${statement(4, 14)}\n${line}`)), { known: 1, recorded: 0 })
  })

  it("lapse thirty days after their last day where no statement covers it, and somebody is told", async () => {
    const world = await makeWorld()
    world.pass(43.9)
    await world.settle()
    assert.strictEqual(await world.status(), "PENDING")
    world.pass(0.2)
    await world.settle()
    assert.strictEqual(await world.status(), "FAILED")
    const [told, ...none] = await world.exceptions()
    assert.isEmpty(none)
    assert.deepInclude(told, { kind: "statement_missing", amount_cents: 5_000, held_cents: 0 })
  })

  it("are covered no further than by the imports that are not undone", async () => {
    const world = await makeWorld()
    world.pass(10)
    const [first, second] = [await world.imported(1, 6), await world.imported(2, 9)]
    const until = async () => {
      const find = IntegrationStore.use((store) => store.find(world.tenant.organisation.id, world.integration.id))
      return Option.getOrThrow(await service.run(find)).statement_until
    }
    assert.strictEqual(await until(), days(9))
    Result.getOrThrow(await world.undo(second))
    assert.strictEqual(await until(), days(6))
    Result.getOrThrow(await world.undo(first))
    assert.isNull(await until())
    world.pass(10)
    const whole = await world.imported(1, 19)
    assert.strictEqual(await world.status(), "FAILED")
    const late = await world.submit()
    Result.getOrThrow(await world.undo(whole))
    world.pass(20)
    await world.settle()
    assert.deepInclude(await world.giftOf(late), { status: "PENDING" })
  })
})
