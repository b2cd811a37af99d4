import { Effect, type Layer, type Scope, Stream } from "effect"
import fc from "fast-check"
import { Limits } from "../../domain/kernel/Limits.ts"
import type { MarkupDialect, MarkupPart } from "../../domain/payments/Markup.ts"
import { StatementContent } from "../../ports/payments/StatementContent.ts"
import { StatementMarkup } from "../../ports/payments/StatementMarkup.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { assertRefused, type Check, law, lawsIn, must, property, runsOf, same, type Thoroughness } from "./Suite.ts"

const anyPieces = "StatementMarkup.open MUST find the same whatever pieces a file comes in"
const oneFault = "StatementMarkup.open MUST tell one fault of what is not sound, and nothing after it: never throw."
const noEntities = "StatementMarkup.open MUST tell a fault of a document type, since it defines entities."

/** An element of a file that is made up. */
interface Made {
  readonly name: string
  readonly value: string | null
  readonly inner: ReadonlyArray<Made | string>
}

/** Of a tag and of what may stand in it, each character that a file has to write otherwise. */
const written = fc.string({
  unit: fc.constantFrom("a", "Z", "7", " ", "\n", "é", "漢", "😀", "<", "&", '"', ";"),
  maxLength: 9
})
const { made } = fc.letrec<{ made: Made }>((tie) => ({
  made: fc.record({
    name: fc.constantFrom("Stmt", "Ntry", "Amt", "A.b-c"),
    value: fc.option(written.map((text) => text.replaceAll("\n", " "))),
    inner: fc.array(fc.oneof({ depthSize: "small", withCrossShrink: true }, written, tie("made")), { maxLength: 4 })
  })
}))

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&#34;").replaceAll("é", "&#xE9;")

/** A file of the element: texts as they are or as CDATA, with comments between, and prefixes. */
const fileOf = ({ inner, name, value }: Made): string => {
  const tag = inner.length % 2 === 0 ? name : `ns:${name}`
  const within = inner.map((each) => {
    if (typeof each !== "string") return `<!-- ${name} -->${fileOf(each)}`
    return each.includes("&") && !each.includes("]") ? `<![CDATA[${each}]]>` : escaped(each)
  })
  return `<${tag}${value === null ? "" : ` of="${escaped(value)}"`}>${within.join("")}</${tag}>`
}

/** What is said of parts: texts one after the other are one, and lines are told apart. */
type Said =
  | readonly ["open", name: string, of: string | null]
  | readonly ["text", string]
  | readonly ["close"]
  | readonly ["fault"]

const merged = (all: ReadonlyArray<Said>): ReadonlyArray<Said> =>
  all.reduce<Array<Said>>((found, each) => {
    const last = found.at(-1)
    if (each[0] === "text" && last?.[0] === "text") found[found.length - 1] = ["text", last[1] + each[1]]
    else if (each[0] !== "text" || each[1] !== "") found.push(each)
    return found
  }, [])

const saidOf = (part: MarkupPart): Said => {
  switch (part._tag) {
    case "Open":
      return ["open", part.name, part.attributes["of"] ?? part.attributes["OF"] ?? null]
    case "Text":
      return ["text", part.text]
    case "Close":
      return ["close"]
    case "Fault":
      return ["fault"]
  }
}

const expectedOf = ({ inner, name, value }: Made): ReadonlyArray<Said> => [
  ["open", name, value],
  ...inner.flatMap((each) => (typeof each === "string" ? [["text", each] as const] : expectedOf(each))),
  ["close"]
]

/** The text in pieces of these lengths, and the rest of it. */
const piecesOf = (text: string, lengths: ReadonlyArray<number>): ReadonlyArray<string> => {
  let rest = text
  const pieces = lengths.map((length) => {
    const piece = rest.slice(0, length)
    rest = rest.slice(length)
    return piece
  })
  return [...pieces, rest]
}

const partsOf = Effect.fnUntraced(function* (dialect: MarkupDialect, pieces: ReadonlyArray<string>) {
  const parser = yield* (yield* StatementMarkup).open(dialect)
  return [...pieces.flatMap((piece) => [...parser.write(piece)]), ...parser.end()]
})

const saidIn = (dialect: MarkupDialect, ...pieces: ReadonlyArray<string>) =>
  Effect.map(partsOf(dialect, pieces), (parts) => merged(parts.map(saidOf)))

const lengths = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 200 })

/** Files that are not sound, each with what is found before its fault. */
const unsound: ReadonlyArray<readonly [dialect: MarkupDialect, file: string, before: ReadonlyArray<Said[0]>]> = [
  ["xml", "<a><b></a>", ["open", "open"]],
  ["xml", "<a>in", ["open", "text"]],
  ["xml", "<a></a>behind", ["open", "close"]],
  ["xml", "<a>&unknown;</a>", ["open"]],
  ["xml", "<a of=1></a>", []],
  ["xml", "before<a></a>", []],
  ["sgml", "<a><b>in</a><next></next>", ["open", "open", "text", "close", "close"]]
]

/** The laws of {@link StatementMarkup}. */
export const statementMarkups = (given: Thoroughness = {}): ReadonlyArray<Check<StatementMarkup>> => [
  property(
    "the elements of an XML file are found with their texts, in whatever pieces it comes",
    [anyPieces],
    runsOf(given),
    fc.tuple(made, lengths),
    function* ([element, cuts]) {
      const file = `<?xml version="1.0"?>${fileOf(element)}`
      const expected = merged(expectedOf(element))
      same(yield* saidIn("xml", file), expected)
      same(yield* saidIn("xml", ...piecesOf(file, cuts)), expected)
    }
  ),

  property(
    "a tag of SGML that stays open ends with the element around it, and a lone ampersand is text",
    [
      "StatementMarkup.open MUST give the names of SGML in capitals, and take an ampersand that begins no entity for text.",
      anyPieces
    ],
    runsOf(given),
    fc.tuple(
      fc.array(fc.constantFrom("AT&T", "1 & 2", "&amp;", "&nope; x", "x&#65;"), { minLength: 1, maxLength: 4 }),
      lengths
    ),
    function* ([texts, cuts]) {
      const file = `<stmt>${texts.map((text) => `<Memo of="${text.length}">${text}`).join("")}</stmt>`
      const plainly = (text: string) => text.replace("&amp;", "&").replace("&#65;", "A")
      const expected: ReadonlyArray<Said> = [
        ["open", "STMT", null],
        ...texts.flatMap(
          (text): ReadonlyArray<Said> => [
            ["open", "MEMO", `${text.length}`],
            ["text", plainly(text)]
          ]
        ),
        ...texts.map(() => ["close"] as const),
        ["close"]
      ]
      same(yield* saidIn("sgml", file), expected)
      same(yield* saidIn("sgml", ...piecesOf(file, cuts)), expected)
    }
  ),

  must("a file that is not sound has one fault, and nothing after it", [oneFault], function* () {
    for (const [dialect, file, before] of unsound) {
      const parser = yield* (yield* StatementMarkup).open(dialect)
      const found = [...parser.write(file), ...parser.end(), ...parser.write("<c></c>"), ...parser.end()].map(saidOf)
      same(
        merged(found).map(([kind]) => kind),
        [...before, "fault"],
        file
      )
    }
  }),

  property(
    "whatever a file has, a fault is the last that is found in it",
    [oneFault],
    runsOf(given),
    fc.tuple(
      fc.array(
        fc.oneof(
          fc.constantFrom("<a>", "</a>", "<", ">", "&", "]]>", "<!--", "<![CDATA[", "<?", '"'),
          Generators.text(5)
        )
      ),
      fc.constantFrom<MarkupDialect>("xml", "sgml")
    ),
    function* ([pieces, dialect]) {
      const kinds = (yield* saidIn(dialect, ...pieces)).map(([kind]) => kind)
      assert.isFalse(kinds.slice(0, -1).includes("fault"), "something is found behind a fault")
    }
  ),

  must("a document type is a fault, and none of its entities is taken", [noEntities], function* () {
    for (const dialect of ["xml", "sgml"] as const) {
      const file = `<!DOCTYPE a [<!ENTITY e "taken">]><a>&e;</a>`
      same(yield* saidIn(dialect, file), [["fault"]])
      same(yield* saidIn(dialect, ...file), [["fault"]])
    }
  }),

  must(
    "a tag without an end is a fault before more than that of it is kept",
    ["StatementMarkup.open MUST tell a fault of a file that has no tag for Limits.markupTagCharacters."],
    function* () {
      const parser = yield* (yield* StatementMarkup).open("xml")
      const piece = `${"x".repeat(1_000)} `
      let [faults, written] = [0, 0]
      for (
        let found = parser.write("<a ");
        faults === 0 && written < 2 * Limits.markupTagCharacters;
        found = parser.write(piece)
      ) {
        faults += found.filter(({ _tag }) => _tag === "Fault").length
        written += piece.length
      }
      same(faults, 1)
    }
  ),

  law("an element and a fault have their lines", function* () {
    const lines = (...pieces: ReadonlyArray<string>) =>
      Effect.map(partsOf("xml", pieces), (parts) =>
        parts.flatMap((part) => ("line" in part ? [`${part._tag} ${part.line}`] : []))
      )
    same(yield* lines("<a>\n<b/>\n", "\n<c></c", ">\n</b>"), ["Open 1", "Open 2", "Open 4", "Fault 5"])
    same(yield* lines("<a>\n", "\n"), ["Open 1", "Fault 3"])
  }),

  law("files that are read at once stay apart", function* () {
    const { open } = yield* StatementMarkup
    const [one, other] = [yield* open("xml"), yield* open("sgml")]
    const found = [
      one.write("<a>1"),
      other.write("<b>2"),
      one.write("</a>"),
      other.write("</b>"),
      one.end(),
      other.end()
    ]
    const of = (index: number) =>
      merged(
        found
          .filter((_, at) => at % 2 === index)
          .flat()
          .map(saidOf)
      )
    same(of(0), [["open", "a", null], ["text", "1"], ["close"]])
    same(of(1), [["open", "B", null], ["text", "2"], ["close"]])
  })
]

/** What opens the contents of imports, under test. */
export interface ContentSubject<E> extends Thoroughness {
  readonly layer: Layer.Layer<never, E>
  /** What an import gives as the content that has this text, for as long as the scope lasts. */
  readonly contentOf: (text: string) => Effect.Effect<string, never, Scope.Scope>
  /** What an import gives where there is nothing to open; null where everything is a content. */
  readonly missing: string | null
}

const opened = (content: string) => Effect.flatMap(StatementContent, (open) => open(content))

const textOf = Effect.fnUntraced(function* (content: string) {
  return yield* Stream.runCollect(yield* opened(content))
})

/** The laws of {@link StatementContent}. */
export const statementContents = <E>({
  contentOf,
  missing,
  layer,
  ...given
}: ContentSubject<E>): ReadonlyArray<Check> => [
  lawsIn(layer).property(
    "a content is read whole, each character in one piece, from the beginning each time",
    ["StatementContent MUST begin anew each time"],
    runsOf(given),
    fc.tuple(Generators.text(40), Generators.text(40)),
    function* (texts) {
      const all = texts.map((text) => text.toWellFormed().replaceAll("\uFEFF", ""))
      for (const text of all) {
        const stream = yield* opened(yield* contentOf(text))
        for (const pieces of [yield* Stream.runCollect(stream), yield* Stream.runCollect(stream)]) {
          same(pieces.join(""), text)
          assert.isTrue(
            pieces.every((piece) => piece.isWellFormed()),
            "a character is parted"
          )
        }
      }
    }
  ),

  lawsIn(layer).law("long contents are read whole, two at the same moment", function* () {
    const texts = ["1,é漢😀\n", "2,😀\n"].map((line) => line.repeat(30_000))
    const contents = yield* Effect.forEach(texts, contentOf)
    const found = yield* Effect.forEach(contents, textOf, { concurrency: "unbounded" })
    assert.isTrue(
      found.every((pieces, at) => pieces.join("") === texts[at]),
      "one differs"
    )
  }),

  lawsIn(layer).must(
    "what cannot be opened is refused as content",
    ["StatementContent MUST begin anew each time, and be refused as content where it cannot."],
    function* () {
      if (missing !== null) yield* assertRefused(textOf(missing), { _tag: "InvalidInput", param: "content" })
    }
  )
]
