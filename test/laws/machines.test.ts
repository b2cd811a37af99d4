import { describe, it } from "@effect/vitest"
import { eachMachine } from "../../src/testing/EachMachine.ts"
import * as Laws from "../../src/testing/Laws.ts"

describe("the machines obey the laws", () => {
  eachMachine((machine, subject) => it(machine.name, () => void Laws.check(machine, subject)))
})
