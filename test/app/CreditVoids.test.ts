import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { fieldsOf } from "../support/Answer.ts"
import { describeServiceFromStart } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { failureOf, file, instructionsOf, makeTransfers } from "../support/Transfers.ts"

const note = "The bank took it back"
const nothing = { bank: "0", donor: "0", held: "0", organisation: "0", unmatched: "0" }

describeServiceFromStart(everyKind, "payments that never came", (service) => {
  it("leave the bank's account as it was, and come again with another file", async () => {
    const world = await makeTransfers(service)
    const content = file("2026-01-15,25.00,CASH")
    await world.import(content)
    const [cash] = await world.exceptions()
    const resolved = await world.resolve(cash?.id as never, { note, money: "never_came" })
    assert.deepInclude(Result.getOrThrow(resolved), { status: "RESOLVED" })
    assert.deepStrictEqual(await world.balances(), nothing)
    assert.deepInclude(Result.getOrThrow(await world.import(content)), { recorded: 1, known: 0 })
    const again = (await world.exceptions()).find(({ status }) => status === "OPEN")
    const { voided_at } = Result.getOrThrow(await world.void(again?.subject_id ?? ""))
    assert.isNotNull(voided_at)
    assert.deepStrictEqual(await world.balances(), nothing)
    assert.match(failureOf(await world.void(again?.subject_id ?? "")).message, /not voided/)
    const kept = Result.getOrThrow(await world.record({ day: "2026-01-15" as never, amount_cents: 700, text: "x" }))
    const [open] = (await world.exceptions()).filter(({ subject_id }) => subject_id === kept.id)
    await world.resolve(open?.id as never, { note, money: "kept" })
    assert.match(failureOf(await world.void(kept.id)).message, /was decided by exc_/)
  })

  it("are taken from a gift that waits for the rest, and never from one that is paid", async () => {
    const world = await makeTransfers(service)
    const gift = await world.submit()
    const { reference } = instructionsOf(gift)
    const part = await world.record({ day: "2026-01-15" as never, amount_cents: 2_000, text: reference })
    await world.void(Result.getOrThrow(part).id)
    assert.deepStrictEqual(await world.balances(), nothing)
    const { import_id } = Result.getOrThrow(
      await world.import(file(`2026-01-15,60.00,${reference}`, "2026-01-15,9.00,CASH"))
    )
    await world.settle()
    assert.deepInclude(await world.giftOf(gift), { status: "CONFIRMED" })
    const excess = (await world.exceptions()).find(({ kind }) => kind === "overpaid")
    const never = await world.resolve(excess?.id as never, { note, money: "never_came" })
    assert.match(failureOf(never).message, /no whole payment/)
    const before = await world.balances()
    assert.match(failureOf(await world.undo(import_id)).message, /pays chg_\w+\. Refund its gift/)
    assert.deepStrictEqual(await world.balances(), before)
  })

  it("are voided with the whole file that they came with, which may then come again", async () => {
    const world = await makeTransfers(service)
    const gift = await world.submit()
    const content = file(`2026-01-15,20.00,${instructionsOf(gift).reference}`, "2026-01-15,9.00,CASH")
    const { import_id } = Result.getOrThrow(await world.import(content))
    const told = { import_id, voided: 2, amount_cents: 2_900 }
    assert.deepStrictEqual(Result.getOrThrow(await world.undo(import_id, true)), { ...told, is_dry_run: true })
    assert.strictEqual((await world.balances()).bank, "-2900")
    assert.deepStrictEqual(Result.getOrThrow(await world.undo(import_id)), { ...told, is_dry_run: false })
    assert.deepStrictEqual(await world.balances(), nothing)
    assert.deepInclude(failureOf(await world.undo(import_id)), { param: "import_id" })
    assert.deepInclude(Result.getOrThrow(await world.import(content)), { recorded: 2, matched: 1 })
  })

  it("are voided once, by whoever is the first of those at the same moment", async () => {
    const world = await makeTransfers(service)
    const { reference } = instructionsOf(await world.submit())
    for (const round of [1, 2, 3]) {
      const { import_id } = Result.getOrThrow(
        await world.import(file(`2026-01-15,20.00,${reference}`, `2026-01-15,9.0${round},CASH`))
      )
      const ids = (await world.credits()).filter((each) => each.import_id === import_id).map(({ id }) => id)
      const acts = [world.undo(import_id), ...ids.flatMap((id) => [world.void(id), world.void(id)])]
      assert.include(fieldsOf(await Promise.all(acts), "_tag"), "Success")
      await world.undo(import_id)
      assert.deepStrictEqual(await world.balances(), nothing)
    }
  })

  it("keep what is decided about them while a file tells more of them", async () => {
    const world = await makeTransfers(service)
    const charge = await world.chargeOf(await world.submit())
    await world.record({ day: "2026-01-15" as never, amount_cents: 2_000, text: "CASH" })
    const [exception] = await world.open()
    const content = "Date,Amount,Description,Balance\n2026-01-15,20.00,CASH,70.00"
    const acts = [
      world.import(content, { balance_column: "Balance" }),
      world.assign(exception, { charge_ids: [charge] })
    ]
    assert.deepStrictEqual(fieldsOf(await Promise.all(acts), "_tag"), ["Success", "Success"])
    assert.deepInclude((await world.credits())[0], { charge_id: charge, balance_cents: 7_000 })
  })

  it("are among exceptions that are resolved at once, which are shown first", async () => {
    const world = await makeTransfers(service)
    await world.import(file("2026-01-15,25.00,CASH", "2026-01-15,5.00,COIN"))
    const input = { kind: "unmatched_credit", note, money: "never_came" } as const
    const early = await world.resolveAll({ ...input, before: "2026-01-15" as never })
    assert.deepInclude(Result.getOrThrow(early), { count: 0, held: [] })
    world.pass(1)
    const asked = { ...input, before: "2026-01-16" as never }
    const shown = Result.getOrThrow(await world.resolveAll({ ...asked, is_dry_run: true }))
    assert.deepInclude(shown, {
      count: 2,
      held: [{ currency: "AUD", held_cents: 3_000 }],
      has_more: false,
      is_dry_run: true
    })
    assert.strictEqual((await world.balances()).held, "3000")
    assert.deepInclude(failureOf(await world.resolveAll({ ...asked, money: null })), { param: "money" })
    const done = Result.getOrThrow(await world.resolveAll(asked))
    assert.deepStrictEqual(done, { ...shown, is_dry_run: false })
    assert.deepStrictEqual(await world.balances(), nothing)
  })
})
