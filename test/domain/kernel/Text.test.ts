import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import * as Text from "../../../src/domain/kernel/Text.ts"
import { character } from "../../../src/testing/Characters.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const text = fc.string({ unit: character, maxLength: 8 })

/** Texts whose order differs between code units and code points, and that often begin alike. */
const tricky = fc.string({ unit: fc.constantFrom("a", "b", "é", "\uffff", "\ue000", "😀", "\u{10ffff}"), maxLength: 4 })

describe("compareCodePoints", () => {
  it("orders as the UTF-8 bytes do", () =>
    forEveryWith({ numRuns: 1_000 }, fc.oneof(text, tricky), fc.oneof(text, tricky), (a, b) => {
      fc.pre(a.isWellFormed() && b.isWellFormed())
      const bytes = Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"))
      assert.strictEqual(Math.sign(Text.compareCodePoints(a, b)), bytes)
    }))

  it("finds a text the same as itself, and before every text that it begins", () =>
    forEvery(tricky, tricky, (a, b) => {
      assert.strictEqual(Text.compareCodePoints(a, a), 0)
      assert.strictEqual(Math.sign(Text.compareCodePoints(a, a + b)), b === "" ? 0 : -1)
      assert.strictEqual(Math.sign(Text.compareCodePoints(a + b, a)), b === "" ? 0 : 1)
    }))
})

it("an identifier that is given has a character, and at most 255", () => {
  const accepts = Schema.is(Text.GivenId)
  forEvery(fc.constantFrom(0, 1, 2, 254, 255, 256), fc.constantFrom("x", " ", "\u{1f600}"), (count, character) => {
    assert.strictEqual(accepts(character.repeat(count)), count >= 1 && count <= 255)
  })
})

describe("a blank text", () => {
  // Named by Unicode, not by its classes: joiners, marks of direction, fillers, selectors, tags, a byte order mark, braille's blank.
  const unseen = [
    ..."\u200b\u200c\u200d\u2060\u180e\ufeff\u00ad\u034f\u061c\u200e\u200f\u202a\u202e\u2066\u2069",
    ..."\u115f\u3164\uffa0\ufe0f\u{e0001}\u{e0041}\u{e0100}\u2800\u2061\u0001\u007f\u0085 \t\n\u00a0\u3000"
  ]

  it("has nothing that anybody sees, however much there is of it", () =>
    forEvery(fc.string({ unit: fc.constantFrom(...unseen), maxLength: 20 }), (nothing) => {
      assert.isNull(Text.nameOrNull(nothing))
      assert.isFalse(Schema.is(Text.FilledName)(nothing))
      for (const seen of ["a", "王", "\u0646", "7", "-", "❤", "\u{1f600}"]) {
        assert.isTrue(Schema.is(Text.FilledName)(`${nothing}${seen}${nothing}`), seen)
        assert.strictEqual(Text.nameOrNull(`${nothing}${seen}`), `${nothing}${seen}`.trim())
      }
    }))
})

describe("isStorable", () => {
  it("accepts exactly what survives UTF-8 and has no U+0000", () => {
    const half = fc.constantFrom("\ud800", "\udbff", "\udc00", "\udfff", "\0", "a", "😀")
    forEveryWith(
      { numRuns: 1_000 },
      fc.oneof(
        text,
        fc.array(half).map((parts) => parts.join(""))
      ),
      (any) => {
        const survives = Buffer.from(any, "utf8").toString("utf8") === any
        assert.strictEqual(Text.isStorable(any), survives && !any.includes("\0"))
      }
    )
  })

  it("is asked of every text that is received", () => {
    for (const schema of [Text.Name, Text.LongText]) {
      const accepts = Schema.is(schema)
      for (const any of ["\0", "a\0", "\ud800", "\udc00a"]) assert.isFalse(accepts(any))
      for (const any of ["", " as given ", "😀", "\ufffd"]) assert.isTrue(accepts(any))
    }
  })
})

describe("lengths", () => {
  it("are those of the contract, in characters", () => {
    const limits = [
      [Text.Name, 255],
      [Text.LongText, 10_000]
    ] as const
    for (const [schema, limit] of limits) {
      for (const character of ["x", "\u{1f600}"]) {
        assert.isTrue(Schema.is(schema)(character.repeat(limit)))
        assert.isFalse(Schema.is(schema)(character.repeat(limit + 1)))
      }
    }
  })

  it("of what is trimmed leave out the white space around it, of free texts they do not", () => {
    assert.isTrue(Schema.is(Text.Name)(` \n${"x".repeat(255)}\u3000`))
    assert.isTrue(Schema.is(Text.Email)(` ${"a".repeat(242)}@example.org\t`))
    assert.isFalse(Schema.is(Text.LongText)(`${"x".repeat(10_000)} `))
  })
})

describe("an e-mail address", () => {
  const accepts = Schema.is(Text.Email)

  it("is accepted in the forms that people use", () => {
    const forms = [
      "mary@example.org",
      "Mary.Smith+gifts@mail.example.co.uk",
      "o'neil@example.org",
      "x_y-z@a-b.example",
      "józef@example.org",
      "mary@bücher.example",
      "  mary@example.org  ",
      `${"a".repeat(242)}@example.org`
    ]
    for (const form of forms) assert.isTrue(accepts(form), form)
  })

  it("is refused where no mail could go", () => {
    const forms = [
      "",
      " ",
      "mary smith@example.org",
      "Mary <mary@example.org>",
      "mary@example.org, x@example.org",
      "mary@exam ple.org",
      "mary@example.org\0",
      "mary\u0007@example.org",
      "mary@example.org\r\nBcc: x@example.org",
      `${"a".repeat(243)}@example.org`,
      ...`mary @example.org mary@ mary@example mary@.org mary@example. mary@example..org mary@@example.org
        mary@a@example.org mary@example.org> mary@example.org,`.split(/\s+/)
    ]
    for (const form of forms) assert.isFalse(accepts(form), JSON.stringify(form))
  })

  it("is one word with one @ and a dot after it, whatever is typed into it", () => {
    const typed = fc.array(fc.constantFrom("a", ".", "@", " ", "<", ">", ",", "é", "-", "\n", '"', "\u0001"))
    forEveryWith({ numRuns: 500 }, typed, fc.nat({ max: 16 }), (parts, position) => {
      const any = [..."mary@example.org"].toSpliced(position, 0, ...parts).join("")
      if (!accepts(any)) return
      const [local, domain, ...rest] = any.trim().split("@")
      assert.isEmpty(rest)
      assert.notStrictEqual(local, "")
      assert.isFalse(domain?.split(".").includes(""))
      assert.notMatch(any.trim(), /[\s<>,"\p{Cc}]/u)
    })
  })

  it("is compared trimmed and whatever its case, and its key is its own", () =>
    forEvery(fc.oneof(fc.emailAddress(), text), (email) => {
      const key = Text.emailKey(email)
      assert.strictEqual(Text.emailKey(key), key)
      assert.strictEqual(Text.emailKey(`  ${email}\n`), key)
      if (/^\p{ASCII}*$/u.test(email)) assert.strictEqual(Text.emailKey(email.toUpperCase()), key)
    }))

  const one = [
    ["info@b\u00fccher.example", "INFO@XN--BCHER-KVA.example"],
    ["info@bu\u0308cher.example", "info@xn--bcher-kva.example"],
    ["jos\u00e9@b.org", "Jose\u0301@b.org"],
    ["i\u200bnfo@b.org\ufeff", "\u2068info\u2069@b.or\u00adg"],
    ["ｉｎｆｏ@Ｂ.org", "info@b.org"],
    ["\u212aim@\u212aim.example", "kim@kim.example"],
    ["a@例え.テスト", "a@xn--r8jz45g.xn--zckzah"]
  ]
  it.each(one)("%j and %j are one mailbox", (a, b) => {
    assert.strictEqual(Text.emailKey(a), Text.emailKey(b))
    assert.strictEqual(
      Text.emailKey(b),
      b
        .normalize("NFC")
        .toLowerCase()
        .replaceAll(/[\u2068\u2069\u00ad]/g, "")
    )
  })

  it.each([
    ["kim@b.org", "kim@b.com"],
    ["k.im@b.org", "kim@b.org"],
    ["jos\u00e9@b.org", "jose@b.org"],
    ["kim@127.1", "kim@127.0.0.1"],
    ["kim@b\u00fccher.example/a", "kim@b\u00fccher.example"],
    ["\u043aim@b.org", "kim@b.org"],
    ["a@b\u00fccher.1", "a@bucher.1"],
    ["a@\u2100.org", "a@a.org"]
  ])("%j and %j are two", (a, b) => assert.notStrictEqual(Text.emailKey(a), Text.emailKey(b)))

  it("has a key that an index holds, however long its folding is", () =>
    forEveryWith({ examples: [[508], [509]] }, fc.integer({ min: 1, max: 4_000 }), (length) => {
      // One letter folds into eighteen.
      const email = `${"\ufdfa".repeat(Math.floor(length / 18))}${"A".repeat(length % 18)}`
      const folded = email.normalize("NFKC").toLowerCase()
      const isShort = folded.length <= 2 * Limits.emailCharacters
      assert.strictEqual(Text.emailKey(email), isShort ? folded : email.toLowerCase())
    }))
})

it("a text of an unknown value is one that has a letter, and nothing else", () => {
  const read = [{ code: "a" }, { code: "" }, { code: 7 }, { code: null }, {}, null, "code"].map((value) =>
    Text.textAt(value, "code")
  )
  assert.deepStrictEqual(read, ["a", ...Array.from({ length: 6 }, () => undefined)])
})

it("a name is trimmed, and none when nothing is left", () => {
  // Joiners, selectors and fillers that print nothing are those of the blank texts above.
  const unprinted = /\p{C}|\p{Variation_Selector}|\u034f|\u17b4|\u17b5|[\u115f\u1160\u2800\u3164\uffa0]/u
  const printed = text.filter((any) => !unprinted.test(any))
  forEvery(printed, (any) => {
    const trimmed = any.trim()
    assert.strictEqual(Text.nameOrNull(any), trimmed === "" ? null : trimmed)
    assert.strictEqual(Text.nameOrNull(` ${any}\t`), Text.nameOrNull(any))
  })
  assert.isNull(Text.nameOrNull(null))
  assert.isNull(Text.nameOrNull(undefined))
})
