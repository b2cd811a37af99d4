import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Credits } from "../../src/app/payments/Credits.ts"
import type { NewStatementMapping } from "../../src/domain/access/StatementMapping.ts"
import { describeServiceFromStart } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { failureOf, file, instructionsOf, makeTransfers } from "../support/Transfers.ts"

describeServiceFromStart(everyKind, "files of bank statements", (service) => {
  it("lose nothing of a day that is cut between two, and double nothing that comes in another form", async () => {
    const world = await makeTransfers(service)
    const importing = async (...args: Parameters<typeof world.import>) => Result.getOrThrow(await world.import(...args))
    const held = async () => (await world.balances()).held
    const first = file("2026-01-12,5.00,Zoë", "2026-01-13,50.00,GIFT")
    assert.deepInclude(await importing(first), { recorded: 2 })
    const again = file("2026-01-13,50.00,GIFT", "2026-01-14,7.00,other")
    assert.match(failureOf(await world.import(again)).message, /line 2, as crd_\w+.*is_further/)
    assert.deepInclude(await importing(again, { is_further: true }), { recorded: 2, known: 0 })
    assert.deepInclude(await importing(again, { is_further: true }), { recorded: 0, known: 2 })
    assert.strictEqual(await held(), "11200")
    const folded = file(
      "2026-01-14,7.00,OTHER",
      "2026-01-13,50.00,ＧＩＦＴ",
      "2026-01-13,50.00, gift",
      "2026-01-12,5.00,zoe\u0308"
    )
    assert.deepInclude(await importing(folded), { recorded: 0, known: 4 })
    const lacking = failureOf(await world.import(file("2026-01-12,5.00,Zoë", "2026-01-14,7.00,other")))
    assert.match(lacking.message, /does not have them: crd_\w+ of 2026-01-13, crd_\w+ of 2026-01-13\..*anyway/)
    assert.deepInclude(failureOf(await world.import(file("2026-01-14,7.00,another"))), { param: "content" })
    assert.strictEqual(await held(), "11200")
    assert.deepInclude(await importing(file("2026-01-14,7.00,another"), { anyway: true }), { recorded: 1 })
    assert.strictEqual(await held(), "11900")
  })

  it("know a line that a person recorded, and a person is told of one that came with a file", async () => {
    const world = await makeTransfers(service)
    const gift = await world.submit()
    const { reference } = instructionsOf(gift)
    const line = { day: "2026-01-15" as never, amount_cents: 5_000 }
    assert.isTrue(Result.isSuccess(await world.record({ ...line, text: `Ada ${reference}` })))
    const content = file(`2026-01-15,50.00,DIRECT CREDIT ADA ${reference}`, "2026-01-14,20.00,CASH")
    assert.deepInclude(Result.getOrThrow(await world.import(content)), { recorded: 1, known: 1 })
    const cash = { day: "2026-01-14" as never, amount_cents: 2_000, text: "Cash of the fair" }
    assert.match(failureOf(await world.record(cash)).message, /crd_\w+ is of this day and amount\. Give 2/)
    assert.isTrue(Result.isSuccess(await world.record({ ...cash, number: 2 })))
    await world.settle()
    assert.deepInclude(await world.balances(), { bank: "-9000", held: "4000", organisation: "5000" })
  })

  it("are told apart by the bank's ids and balances, and keep how the account's bank writes", async () => {
    const world = await makeTransfers(service)
    const { id: integration_id } = world.integration
    const mapping = (given: NewStatementMapping | null) =>
      world.tenant.staff(
        Credits.use((use) =>
          given === null ? use.readMapping(integration_id) : use.setMapping({ integration_id, ...given })
        )
      )
    assert.deepInclude(await mapping(null), { day_column: "Date", day_format: "YYYY-MM-DD" })
    const lines = ["15/01/2026,50.00,GIFT,100.00,b", "15/01/2026,50.00,GIFT,150.00,a"]
    const cut = lines.map((line) => `Date,Amount,Description,Balance,Id\n${line}\n`)
    const given = { day_format: "DD/MM/YYYY", balance_column: "Balance" } as const
    for (const content of cut) {
      assert.deepInclude(Result.getOrThrow(await world.import(content, given)), { recorded: 1, known: 0 })
    }
    assert.deepInclude(await mapping(null), given)
    assert.deepInclude(Result.getOrThrow(await world.import(cut[1] ?? "")), { recorded: 0, known: 1 })
    const departing = failureOf(await world.import(cut[0] ?? "", { id_column: "Id" }))
    assert.deepInclude(departing, { param: "id_column" })
    assert.match(departing.message, /mapping/)
    assert.deepInclude(await mapping({ ...given, id_column: "Id" }), { id_column: "Id", balance_column: "Balance" })
    // Ids are learned of lines that are known by their balances, and then decide by themselves.
    const whole = `Date,Amount,Description,Balance,Id\n${lines.join("\n")}\n`
    assert.deepInclude(Result.getOrThrow(await world.import(whole)), { recorded: 0, known: 2 })
    const moved = whole.replaceAll("GIFT", "OTHER").replaceAll(",100.00,b", ",1.00,b")
    assert.deepInclude(Result.getOrThrow(await world.import(moved)), { recorded: 0, known: 2 })
    const changed = failureOf(await world.import(moved.replace("50.00,OTHER,1.00", "51.00,OTHER,1.00")))
    assert.match(changed.message, /another amount: line 2, as crd_/)
    const conflict = { integration_id, bank: "westpac", direction_column: "Way" } as const
    const refused = await world.tenant.staff(Effect.flip(Credits.use((use) => use.setMapping(conflict))))
    assert.deepInclude(refused, { param: "direction_column" })
    const settings = await mapping({ bank: "westpac" })
    assert.deepInclude(settings, { text_columns: ["Narrative"], credit_column: "Credit Amount" })
    assert.notProperty(settings, "amount_column")
    assert.strictEqual((await world.balances()).held, "10000")
  })

  it("tell of money that went with the reference of a paid gift, once", async () => {
    const world = await makeTransfers(service)
    const [paid, waiting] = [await world.submit(), await world.submit(2_000)]
    const { reference } = instructionsOf(paid)
    await world.import(file(`2026-01-14,50.00,${reference}`))
    await world.settle()
    const back = [`2026-01-15,-50.00,RETURN ${reference}`, `2026-01-15,-20.00,${instructionsOf(waiting).reference}`]
    for (const exceptions of [1, 0]) {
      assert.deepInclude(Result.getOrThrow(await world.import(file(...back))), { skipped: 2, recorded: 0, exceptions })
    }
    const [told, ...others] = await world.exceptions()
    assert.isEmpty(others)
    assert.deepInclude(told, { kind: "mismatch", amount_cents: 5_000, held_cents: 0 })
    assert.match(told?.reason ?? "", /2026-01-15, 5000 left the account/)
  })
})
