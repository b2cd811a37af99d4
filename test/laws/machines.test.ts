import { describe, it } from "@effect/vitest"
import { eachMachine } from "../../src/testing/EachMachine.ts"
import * as Laws from "../../src/testing/Laws.ts"
import { cases } from "../support/Rounds.ts"

/** Machines whose states take long to draw. */
const dear = new Set(["Checkout link", "Disclosure", "Introduction", "Recommendation set", "Subscription"])

describe("the machines obey the laws", () => {
  eachMachine((machine, subject) =>
    it(machine.name, () => {
      Laws.check(machine, { ...subject, runs: dear.has(machine.name) ? cases(100) : 100 })
    })
  )
})
