import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { describeServiceFromStart } from "../support/ServiceSuite.ts"
import { bankAccount, camtOf, csvOf, ofx2Of, ofxOf, type WrittenLine } from "../support/StatementFiles.ts"
import { everyKind } from "../support/Stores.ts"
import { instructionsOf, makeTransfers } from "../support/Transfers.ts"

const lineOf = (day: number, cents: number, text = `GIFT ${day}`): WrittenLine => ({
  ...{ day: `2026-01-${day}`, cents, text },
  id: `FT2601${day}${text}`.replaceAll(" ", "")
})

describeServiceFromStart(everyKind, "statements as CAMT.053 and OFX", (service) => {
  it.each([
    ["camt053", camtOf],
    ["ofx", ofxOf],
    ["ofx", ofx2Of]
  ])("count each line once, in files that come twice or overlap, as %s", async (_form, write) => {
    const world = await makeTransfers(service, { bank_account: bankAccount })
    const importing = async (...args: Parameters<typeof world.import>) => Result.getOrThrow(await world.import(...args))
    const refused = async (...args: Parameters<typeof world.import>) => {
      const result = await world.import(...args)
      return Result.isFailure(result) ? result.failure.message : assert.fail("it was not refused")
    }
    const gift = await world.submit()
    const paying = lineOf(12, 50_00, `ADA ${instructionsOf(gift).reference}`)
    const first = [lineOf(11, 5_00), paying, lineOf(12, -4_00, "FEE")]
    const counted = { recorded: 2, known: 0, skipped: 1, matched: 1, exceptions: 1 }
    assert.deepInclude(await importing(write(first)), counted)
    assert.deepInclude(await importing(write(first)), { recorded: 0, known: 2 })
    const second = [paying, lineOf(12, 7_00), lineOf(13, 9_00)]
    assert.deepInclude(await importing(write(second)), { recorded: 2, known: 1 })
    assert.deepInclude(await importing(csvOf([...first, lineOf(12, 7_00), lineOf(13, 9_00)])), {
      known: 4,
      recorded: 0
    })
    assert.match(await refused(write([{ ...lineOf(13, 9_00), id: "another-id" }])), /with other ids: crd_\w+/u)
    assert.match(await refused(write(first), { day_column: "Day" }), /day_column must be left out/u)
    assert.match(await refused(write(first).slice(0, -9)), /Nothing was imported/u)
    assert.match(await refused(write(first), { format: "csv" }), /^Line|must be the number of a column/u)
    assert.match(await refused("%PDF-1.7"), /it is a PDF/u)
    for (const qif of [
      "!Type:Bank\nD01/15/2026\nT50.00\n^\n",
      "\uFEFF!Account\nNMain\n^\n",
      "!Option:AutoSwitch\n!Account\n"
    ]) {
      assert.match(await refused(qif), /it is QIF\. Export the statement as CSV, CAMT\.053 or OFX at the bank\.$/u)
    }
    await world.settle()
    assert.deepInclude(await world.giftOf(gift), { status: "CONFIRMED" })
    assert.deepInclude(await world.balances(), { bank: "-7100", held: "2100", organisation: "5000" })
  })
})
