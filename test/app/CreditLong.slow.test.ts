import { assert, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { Credits } from "../../src/app/payments/Credits.ts"
import type { CreditImport } from "../../src/domain/payments/CreditImport.ts"
import { StatementContent } from "../../src/ports/payments/StatementContent.ts"
import { describeServiceFromStart } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTransfers } from "../support/Transfers.ts"

const heading = "Date,Amount,Description\n"

/** Three days, of which one is a part of a file for itself; each has a payment that came. */
const linesOf = (day: number, more: ReadonlyArray<string> = []) =>
  [
    `2026-01-${day},5.00,GIFT ${day}`,
    ...more,
    ...Array.from({ length: 4_000 }, (_, index) => `2026-01-${day},-1.00,CARD PURCHASE ${index}`)
  ]
    .map((line) => `${line}\n`)
    .join("")

const days = [11, 12, 13]
const whole = heading + days.map((day) => linesOf(day)).join("")

describeServiceFromStart(everyKind, "long statements", (service) => {
  const makeWorld = async () => {
    const world = await makeTransfers(service)
    const { id: integration_id } = world.integration
    /** Imports a file that has, each time that it is read, the next of the contents, and then the last again. */
    const importing = (contents: ReadonlyArray<string>, more: Partial<CreditImport> = {}) => {
      let reading = 0
      const pieces = Stream.suspend(() => {
        const content = contents[Math.min(reading, contents.length - 1)] ?? ""
        reading += 1
        return Stream.fromIterable(content.match(/[\s\S]{1,60000}/gu) ?? [])
      })
      const imported = Credits.use((use) => use.import({ integration_id, content: "a path", ...more }))
      return world.asked(Effect.provideService(imported, StatementContent, () => Effect.succeed(pieces)))
    }
    const held = async () => (await world.balances()).held
    return { ...world, importing, held }
  }

  it("are imported day by day, each line once, and undone as one", async () => {
    const { exceptions, held, importing, undo } = await makeWorld()
    assert.deepInclude(Result.getOrThrow(await importing([whole], { is_dry_run: true })), {
      recorded: 3,
      lines: 12_003
    })
    assert.isEmpty(await exceptions())
    const counts = { lines: 12_003, skipped: 12_000, exceptions: 3, matched: 0 }
    const { import_id, ...imported } = Result.getOrThrow(await importing([whole]))
    assert.deepInclude(imported, { ...counts, recorded: 3, known: 0 })
    assert.deepInclude(Result.getOrThrow(await importing([whole])), { recorded: 0, known: 3, import_id })
    const overlapping = heading + linesOf(12) + linesOf(13) + linesOf(14)
    assert.deepInclude(Result.getOrThrow(await importing([overlapping])), { recorded: 1, known: 2 })
    assert.strictEqual(await held(), "2000")
    assert.deepInclude(Result.getOrThrow(await undo(import_id)), { voided: 3, amount_cents: 1_500 })
    assert.strictEqual(await held(), "500")
  })

  it("are refused before the first day is written where a later one contradicts what is recorded", async () => {
    const { held, importing } = await makeWorld()
    assert.deepInclude(Result.getOrThrow(await importing([heading + linesOf(13, ["2026-01-13,7.00,OTHER"])])), {
      recorded: 2
    })
    const refused = await importing([whole])
    assert.match(Result.isFailure(refused) ? refused.failure.message : "", /does not have them: crd_\w+ of 2026-01-13/u)
    assert.strictEqual(await held(), "1200")
    assert.deepInclude(Result.getOrThrow(await importing([whole], { anyway: true })), { recorded: 2, known: 1 })
  })

  it("lose and double nothing where an import ends between days, and is repeated", async () => {
    const { held, importing } = await makeWorld()
    // The beginning, all of it for its lines, for its id and for what it contradicts; then it ends after the first day.
    const ended = await importing([whole, whole, whole, whole, heading + linesOf(11)])
    assert.match(Result.isFailure(ended) ? ended.failure.message : "", /the file has changed/u)
    assert.strictEqual(await held(), "500")
    assert.deepInclude(Result.getOrThrow(await importing([whole])), { recorded: 2, known: 1 })
    assert.strictEqual(await held(), "1500")
  })
})
