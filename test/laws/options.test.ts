import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Introduction } from "../../src/domain.ts"
import {
  arbitraryOf,
  Checks,
  Histories,
  Interleavings,
  Laws,
  Models,
  Mutants,
  Subjects,
  subjectOf
} from "../../src/testing.ts"

const { machine } = Introduction
const subject = Subjects.introductions
const model = { machine, commands: fc.constant(null), open: () => assert.fail("nothing is to be opened") }

const askers = {
  "Laws.check": (runs: number) => Laws.check(machine, { ...subject, runs }),
  "Mutants.report": (runs: number) => Mutants.report(machine, { ...subject, runs }),
  "Models.run": (runs: number) => Reflect.apply(Models.run, undefined, [{ ...model, runs }]),
  "Interleavings.oneEffect": (runs: number) =>
    Interleavings.oneEffect(() => assert.fail("nothing is to be made"), { runs }),
  "Checks.revenueCodeStore": (runs: number) => Checks.revenueCodeStore({ runs })
}

/** What is thrown, or what a promise fails with. */
const refusalOf = async (ask: () => unknown): Promise<unknown> => {
  try {
    await ask()
  } catch (cause) {
    return cause
  }
  return assert.fail("nothing was refused")
}

describe("a number of cases that cannot be tried is refused, by", () => {
  for (const [name, ask] of Object.entries(askers)) {
    it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(`${name}: %d`, async (runs) => {
      const refusal = await refusalOf(() => ask(runs))
      assert.instanceOf(refusal, RangeError)
      assert.match(String(refusal), /runs is .*whole number from 1/)
    })
  }
})

describe("a suite names what its subject lacks:", () => {
  const missing = {
    macs: "layer",
    mailTransport: "layer",
    rateLimiter: "layer",
    secretBox: "layer",
    statementContent: "layer",
    transaction: "records",
    webhookAddresses: "layer",
    webhookTransport: "layer"
  } as const
  for (const [suite, member] of Object.entries(missing)) {
    it(suite, () => {
      const checksOf = (subject: unknown) => Reflect.apply(Reflect.get(Checks, suite), undefined, [subject])
      const told = new RegExp(`option ${member} of Checks.${suite} is missing`)
      assert.throws(() => checksOf({}), RangeError, told)
      assert.throws(() => checksOf({ [member]: "x" }), RangeError, `option ${member} of Checks.${suite} must be`)
      for (const nothing of [undefined, null, "x"]) assert.throws(() => checksOf(nothing), RangeError, suite)
    })
  }
})

describe("what is nothing that a tool can use is told by its name:", () => {
  const wrong = [undefined, null, {}, "x", -1, 1.5, Number.NaN]
  const doors: Readonly<Record<string, readonly [option: string, ask: (given: unknown) => unknown]>> = {
    "Laws.check": ["machine", (given) => Reflect.apply(Laws.check, undefined, [given, subject])],
    "Laws.lawBrokenBy": ["machine", (given) => Reflect.apply(Laws.lawBrokenBy, undefined, [given, subject])],
    "Laws.hostileCommands": ["schema", (given) => Reflect.apply(Laws.hostileCommands, undefined, [given, {}])],
    "Mutants.of": ["machine", (given) => Reflect.apply(Mutants.of, undefined, [given, subject])],
    "Mutants.report": ["machine", (given) => Reflect.apply(Mutants.report, undefined, [given, subject])],
    "Histories.of": ["machine", (given) => Reflect.apply(Histories.of, undefined, [given, subject])],
    "Models.run": ["machine", (given) => Reflect.apply(Models.run, undefined, [given])],
    "Interleavings.oneEffect": ["make", (given) => Reflect.apply(Interleavings.oneEffect, undefined, [given])],
    subjectOf: ["machine", (given) => Reflect.apply(subjectOf, undefined, [given, { rows: "" }])],
    arbitraryOf: ["schema", (given) => Reflect.apply(arbitraryOf, undefined, [given])]
  }
  for (const [name, [option, ask]] of Object.entries(doors)) {
    it.each(wrong)(`${name}: %s`, async (given) => {
      const refusal = await refusalOf(() => ask(given))
      assert.instanceOf(refusal, RangeError)
      assert.deepInclude(Object(refusal), { _tag: "InvalidOption", option })
      assert.match(String(refusal), new RegExp(`option ${option} of ${name} (?:must be|is missing)`))
    })
  }

  it.each([undefined, null, "x", Number.NaN])("a subject that is %s", async (given) => {
    for (const ask of [Laws.check, Laws.lawBrokenBy, Mutants.of, Mutants.report, Histories.of]) {
      assert.deepInclude(Object(await refusalOf(() => Reflect.apply(ask, undefined, [machine, given]))), {
        _tag: "InvalidOption",
        option: "subject"
      })
    }
  })
})

describe("what is said of something that a machine has not is refused, and what it has is named:", () => {
  const nothing = () => ({})

  it("a command", () => {
    const expect = { ...subject.expect, Acept: subject.expect?.Accept }
    assert.throws(() => Laws.check(machine, { ...subject, expect }), /Acept.*Introduction.*Open, Accept/)
  })

  it("an event", () => {
    const data = { ...subject.data, "introduction.acepted": nothing }
    assert.throws(() => Laws.check(machine, { ...subject, data }), /introduction\.acepted.*introduction\.accepted/)
  })

  it("a row of a contract", () => {
    const rows = "* → PENDING [introduction.created]\nAcept: VIEWED → ACCEPTED"
    assert.throws(() => subjectOf(machine, { rows }), /Acept.*Open, Accept/)
  })
})

describe("a subject that cannot be asked is told so, and where:", () => {
  const { commands: _, ...stateful } = subject
  const { states: __, ...commanding } = subject
  const without = (asks: (given: object) => unknown, given: object) => () => asks(given)
  const asks = {
    "Laws.check": (given: object) => Reflect.apply(Laws.check, undefined, [machine, given]),
    "Histories.of": (given: object) => Reflect.apply(Histories.of, undefined, [machine, given]),
    "Mutants.report": (given: object) => Reflect.apply(Mutants.report, undefined, [machine, given])
  }
  for (const [name, ask] of Object.entries(asks)) {
    it(`by ${name}, without states or commands`, () => {
      assert.throws(without(ask, commanding), RangeError, /states of the subject is undefined/)
      assert.throws(without(ask, stateful), RangeError, /commands of the subject is undefined/)
      assert.throws(without(ask, { ...subject, states: [] }), RangeError, /states of the subject is \[\]/)
    })
  }

  const broken = (): never => assert.fail("no such field")
  const throwing: ReadonlyArray<readonly [what: string, known: object, said: RegExp]> = [
    ["an invariant", { invariants: { "all is well": broken } }, /all is well threw: no such field/],
    ["a step", { steps: { "all goes well": broken } }, /all goes well threw: no such field/],
    ["a condition", { expect: { Open: { ...subject.expect?.Open, when: broken } } }, /expected of Open threw: no such/],
    ["changes", { expect: { Open: { ...subject.expect?.Open, changes: broken } } }, /expected of Open threw: no such/],
    ["data", { data: { "introduction.created": broken } }, /expected of introduction\.created threw: no such/]
  ]
  it.each(throwing)("%s that throws", (_, known, said) => {
    const caught = (() => {
      try {
        return Laws.check(machine, { ...subject, ...known, runs: 5 })
      } catch (cause) {
        return cause
      }
    })()
    assert.instanceOf(caught, Laws.LawBroken)
    assert.match(caught.message, said)
    assert.match(caught.message, /^Introduction breaks a law/)
  })
})
