import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, expect, it } from "@effect/vitest"
import type { Machine } from "../../src/domain/kernel/Machine.ts"
import { eachMachine } from "../../src/testing/EachMachine.ts"
import type { Subject } from "../../src/testing/Laws.ts"
import { root } from "../architecture/Checkout.ts"
import type { AnyMachine, AnySubject } from "./independent/AnyMachine.ts"
import { type Score, scoreOf } from "./independent/IndependentMutants.ts"
import {
  documentWith,
  leastPercent,
  leastPercentOfAll,
  machinesIn,
  percentOf,
  totalOf
} from "./independent/ScoreTable.ts"

/** How many mutants of each machine are tried: so many, `all`, or `write` to write the table of all. */
const { MUTANTS: asked = "30" } = process.env
const most = asked === "all" || asked === "write" ? Number.POSITIVE_INFINITY : Number(asked)

/** All mutants of the largest machine take half an hour. */
const timeout = 3_600_000

/** What operators see of a machine: its types are of no use to them. */
const erased = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  subject: Subject<State, Command>
) => ({ machine: machine as unknown as AnyMachine, subject: subject as unknown as AnySubject })

describe("the laws notice mistakes of operators that do not know them", { timeout }, () => {
  const scores: Array<Score> = []

  for (const { machine, subject } of eachMachine(erased)) {
    it(machine.name, () => {
      const score = scoreOf(machine, subject, most)
      scores.push(score)
      assert.isAtLeast(percentOf(score), leastPercent, score.alive.join("\n"))
    })
  }

  it("nearly all of them", () => {
    assert.isAtLeast(percentOf(totalOf(scores)), leastPercentOfAll)
  })

  it("and docs/mutation.md says how many of each machine", async () => {
    const path = join(root, "docs/mutation.md")
    const document = readFileSync(path, "utf8")
    if (asked === "write") return await expect(documentWith(document, scores)).toMatchFileSnapshot(path)
    assert.sameMembers(
      machinesIn(document),
      scores.map(({ machine }) => machine)
    )
  })
})
