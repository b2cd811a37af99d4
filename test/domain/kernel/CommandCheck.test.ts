import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import { commandCheck } from "../../../src/domain/kernel/CommandCheck.ts"
import { forEvery } from "../../support/Property.ts"

const Command = Schema.TaggedUnion({
  Split: {
    parts: Schema.Array(Schema.Struct({ cents: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })) })),
    note: Schema.optionalKey(Schema.Struct({ text: Schema.String.check(Schema.isMinLength(1)) }))
  },
  Choose: {
    colour: Schema.Literals(["RED", "GREEN"]),
    of: Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.Struct({ b: Schema.Int })]),
    most: Schema.NullOr(Schema.Int)
  },
  Date: {
    at: Schema.DateTimeUtc,
    counts: Schema.Record(Schema.String, Schema.Int),
    pair: Schema.Tuple([Schema.Int, Schema.Int]),
    names: Schema.Array(Schema.Array(Schema.String)).check(Schema.isMaxLength(2)),
    nothing: Schema.optionalKey(Schema.Never)
  }
})

const check = commandCheck("Purse", ["Split", "Choose", "Date"], Command)

const refusal = (command: unknown) => {
  const refused = check(command as typeof Command.Type) ?? assert.fail("it was taken")
  assert.deepInclude({ ...refused }, { _tag: "InvalidCommand", machine: "Purse" })
  return [refused.command, refused.param, refused.message]
}

const choice = { _tag: "Choose", colour: "RED", of: { a: 1 }, most: null }
const date = { _tag: "Date", at: DateTime.makeUnsafe(0), counts: {}, pair: [1, 2], names: [] }

describe("a command's check", () => {
  it("takes what the schema takes, again and again", () => {
    for (const command of [choice, date, { ...choice, of: { b: 2 }, most: 3 }, { _tag: "Split", parts: [] }]) {
      for (const _ of [1, 2]) assert.isNull(check(command as typeof Command.Type))
    }
  })

  it.each([
    [{ _tag: "Split" }, "parts", "is missing"],
    [{ _tag: "Split", parts: 7 }, "parts", "is of the wrong type"],
    [{ _tag: "Split", parts: [{ cents: 1 }, { cents: 10 }] }, "parts[1].cents", "must be from 1 to 9"],
    [{ _tag: "Split", parts: [{}] }, "parts[0].cents", "is missing"],
    [{ _tag: "Split", parts: [{ cents: "1" }] }, "parts[0].cents", "is of the wrong type"],
    [{ _tag: "Split", parts: [{ cents: 0.5 }] }, "parts[0].cents", "must be an integer"],
    [{ _tag: "Split", parts: [], note: null }, "note", "is of the wrong type"],
    [{ _tag: "Split", parts: [], note: { text: "" } }, "note.text", "must not be empty"],
    [{ ...choice, colour: "BLUE" }, "colour", "must be one of its values"],
    [{ ...choice, of: 7 }, "of", "must be one of its values"],
    [{ ...choice, of: {} }, "of.a", "is missing"],
    [{ ...choice, of: { a: "1" } }, "of.a", "is of the wrong type"],
    [{ ...choice, most: 0.5 }, "most", "must be an integer"],
    [{ ...choice, most: "3" }, "most", "must be one of its values"],
    [{ ...date, at: 7 }, "at", "is of the wrong type"],
    [{ ...date, counts: { x: "1" } }, "counts.x", "is of the wrong type"],
    [{ ...date, pair: [1] }, "pair[1]", "is missing"],
    [{ ...date, pair: [1, 2, 3] }, "pair[2]", "is not valid"],
    [{ ...date, names: [[], [], []] }, "names", "must have at most 2 items"],
    [{ ...date, names: [[], ["x", 7]] }, "names[1][1]", "is of the wrong type"],
    [{ ...date, nothing: 7 }, "nothing", "is of the wrong type"]
  ] as const)("names the place and what must be there: %o", (command, param, why) => {
    assert.deepStrictEqual(refusal(command), [command._tag, param, `${param} ${why}.`])
  })

  it("asks for one of its commands where there is none", () => {
    const anything = fc.anything({ withNullPrototype: true })
    const none = fc.oneof(anything, fc.record({ _tag: anything }))
    forEvery(none, (command) => {
      const tag: unknown = Object(command)._tag
      fc.pre(!["Split", "Choose", "Date"].some((each) => each === tag))
      assert.deepStrictEqual(refusal(command), [
        typeof tag === "string" ? tag : typeof tag,
        "_tag",
        "_tag must be one of Split, Choose, Date."
      ])
    })
    assert.strictEqual(refusal({ _tag: "Spend" })[0], "Spend")
    assert.strictEqual(refusal(null)[0], "undefined")
    assert.strictEqual(refusal({ _tag: Object.create(null) })[0], "object")
  })

  it("repeats nothing of a value", () =>
    forEvery(fc.uuid(), (secret) => {
      for (const command of [
        { ...choice, colour: secret },
        { ...choice, of: secret },
        { ...date, at: secret }
      ]) {
        assert.notInclude(refusal(command).join(" "), secret)
      }
    }))
})
