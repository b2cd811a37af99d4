import { assert, describe, it } from "@effect/vitest"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { type MarkupPart, makeFinder } from "../../../src/domain/payments/Markup.ts"

const open = (name: string, line: number): MarkupPart => ({ _tag: "Open", name, attributes: {}, line })
const text = (length: number): MarkupPart => ({ _tag: "Text", text: "x".repeat(length) })
const close: MarkupPart = { _tag: "Close" }

/** What is found last, or the line of a fault. */
const lastOf = (parts: ReadonlyArray<MarkupPart>) => {
  const found = parts.map(makeFinder(new Set(["entry"])))
  return found.flatMap((each) => (each?._tag === "Fault" ? each.line : []))[0] ?? found.at(-1)?._tag
}

const within = (inner: ReadonlyArray<MarkupPart>): ReadonlyArray<MarkupPart> => [open("entry", 2), ...inner, close]

describe("an element of a file", () => {
  it("may be as deep as there may be elements in one another, counted from the outermost", () => {
    const nested = (depth: number) => {
      const inner = Array.from({ length: depth - 2 }, (_, index) => open("a", index + 3))
      return [open("file", 1), ...within([...inner, ...inner.map(() => close)])]
    }
    assert.strictEqual(lastOf(nested(Limits.markupDepth)), "Whole")
    assert.strictEqual(lastOf(nested(Limits.markupDepth + 1)), Limits.markupDepth + 1)
  })

  it("may have as many elements as there may be, itself counted, each time anew", () => {
    const flat = (count: number) => within(Array.from({ length: count - 1 }, () => [open("a", 3), close]).flat())
    const full = flat(Limits.markupElements)
    assert.strictEqual(lastOf([open("file", 1), ...full]), "Whole")
    assert.strictEqual(lastOf([open("file", 1), ...full, ...full]), "Whole")
    const more = [...full.slice(0, -1), open("a", 4)]
    assert.strictEqual(lastOf([open("file", 1), ...full, ...more]), 4)
  })

  it("may have as long a text as there may be, in pieces or not", () => {
    const most = Limits.markupTextCharacters
    assert.strictEqual(lastOf(within([text(most)])), "Whole")
    assert.strictEqual(lastOf(within([text(1), text(most - 1)])), "Whole")
    for (const parts of [[text(most + 1)], [text(most), text(1)], [open("a", 3), close, text(most + 1)]]) {
      assert.strictEqual(lastOf(within(parts)), 2)
    }
  })
})
