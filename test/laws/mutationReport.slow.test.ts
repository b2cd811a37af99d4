import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { machines } from "../../src/printing/ReferenceMachines.ts"
import { mutantReports, mutantsHeading, mutantsMarkdown } from "../../src/printing/ReferenceMutants.ts"
import * as Mutants from "../../src/testing/Mutants.ts"
import { root } from "../architecture/Checkout.ts"

const leastPercent = 95

const leastPercentOfAll = 97

/** Thousands of mutants: more than the runner's five seconds where the machine has other things to do. */
const timeout = 120_000

describe("the laws that the kit gives to users", () => {
  const reports = mutantReports()

  it("are asked about every machine, and about every row of it", () => {
    assert.deepStrictEqual(
      reports.map(({ machine, rows }, index) => [
        machine,
        rows.map(({ row }) => row).filter((row) => row in (machines[index]?.table ?? {}))
      ]),
      machines.map(({ name, table }) => [name, Object.keys(table)])
    )
  })

  it.each(reports.map((report) => [report.machine, report] as const))("kill the mutants of: %s", (_, report) => {
    assert.isAtLeast(report.percent, leastPercent, JSON.stringify(report.rows, null, 2))
  })

  it("kill nearly all of them together, and of every kind some", () => {
    const [mutants, killed] = [(each: Mutants.Report) => each.mutants, (each: Mutants.Report) => each.killed].map(
      (of) => reports.reduce((sum, each) => sum + of(each), 0)
    )
    assert.isAtLeast((100 * (killed ?? 0)) / (mutants ?? 1), leastPercentOfAll)
    const kinds = new Set(reports.flatMap(({ operators }) => operators.map(({ operator }) => operator)))
    assert.sameMembers([...kinds], [...Mutants.operators])
  })

  it("are told of in docs/mutation.md", { timeout }, () => {
    const document = readFileSync(join(root, "docs/mutation.md"), "utf8")
    const section = document.slice(document.indexOf(`\n${mutantsHeading}\n`) + 1)
    assert.isTrue(section === mutantsMarkdown(reports), 'docs/mutation.md is stale: run "npm run docs"')
  })
})
