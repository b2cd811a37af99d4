import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { root } from "../architecture/Checkout.ts"
import { live } from "../support/Steps.ts"
import { serviceTrials } from "./ServiceTrials.ts"
import { guardTrials, type Outcome, outcomesOf, storeTrials } from "./Trials.ts"
import { staleIn, tableOf, untoldIn } from "./WrongTable.ts"

// The same cases each time; the smallest that a wrong adapter fails is of no interest.
fc.configureGlobal({ seed: 1, endOnFailure: true })

const outcomes: Array<Outcome> = []

for (const trial of [...storeTrials, ...guardTrials, ...serviceTrials]) {
  live(`${trial.name}: no wrong adapter that is listed as equivalent is caught`, function* () {
    const own = yield* outcomesOf(trial)
    outcomes.push(...own)
    assert.deepStrictEqual(staleIn(own), [])
  })
}

// One that is caught although the table says that it passes is no fault: a slow machine ends a check that a quick one finishes.
it("the table names each wrong adapter that passes", async () => {
  const path = join(root, "docs/conformance.md")
  if (process.env["CONFORMANCE"] === "write") return await expect(tableOf(outcomes)).toMatchFileSnapshot(path)
  assert.deepStrictEqual(untoldIn(readFileSync(path, "utf8"), outcomes), [])
})
