import { Effect } from "effect"
import fc from "fast-check"
import { type IdKind, idDigits, idPrefixes } from "../../domain/kernel/Ids.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { assert } from "./Assert.ts"
import { type Check, lawsOn, runsOf, same, type Thoroughness, together } from "./Suite.ts"

const { must, property } = lawsOn(Tokens)

const kinds = Object.keys(idPrefixes).filter((name): name is IdKind => Object.hasOwn(idPrefixes, name))

const draws = 62_000
const characters = 62

/** 61 degrees of freedom: an even draw exceeds it once in ten million runs; bytes taken modulo 62 give about 340. */
const chiSquareMaximum = 140

const listLength = 7_776
const rounds = 50

/** 7,775 degrees of freedom: an even draw exceeds it once in ten million runs; bytes modulo 7,776 give about 9,120. */
const wordsChiSquareMaximum = 8_436

const isOrdered = "Tokens.id MUST sort after the ones that this process made in an earlier millisecond"
const isApart = "Tokens.id MUST differ from every other one in more than the last digit"
const isDrawn = "Tokens.base62 MUST be length characters of 0-9, A-Z, a-z, each drawn evenly"

const isWorded = "Tokens.words MUST be count words of a list of 7,776, each drawn evenly"

const digests = [
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["é漢\u{1f381}", null]
] as const

const identifiers: ReadonlyArray<Check<Tokens>> = [
  must("an identifier of each kind is its prefix and 26 digits", [], function* (tokens) {
    for (const kind of kinds) {
      assert.matches(yield* tokens.id(kind), new RegExp(`^${idPrefixes[kind]}_[0-7][${idDigits}]{25}$`))
    }
  }),

  must("identifiers of a later millisecond sort after all that were made before", [isOrdered], function* (tokens) {
    let last = ""
    for (let turn = 0; turn < 20; turn++) {
      const made = yield* Effect.forEach(Array.from({ length: 20 }), () => tokens.id("event"))
      for (const id of made) assert.isTrue(id > last, `${id} sorts before ${last}, which is older`)
      last = made.toSorted().at(-1) ?? last
      // At least one millisecond passes by the clock that identifiers may be made from, however timers are rounded.
      yield* Effect.sleep("3 millis")
    }
  }),

  must("no two identifiers of one moment are equal without their last digits", [isApart], function* (tokens) {
    const made = yield* together(2_000, tokens.id("event"))
    assert.lengthOf(new Set(made.map((id) => id.slice(0, -1))), made.length)
  })
]

/** The laws of {@link Tokens}. That the generator is cryptographic cannot be seen from outside. */
export const tokens = (given: Thoroughness = {}): ReadonlyArray<Check<Tokens>> => [
  ...identifiers,

  property("a text is drawn with the length asked for", [isDrawn], runsOf(given), fc.nat(200), function* (length) {
    const drawn = yield* (yield* Tokens).base62(length)
    assert.matches(drawn, new RegExp(`^[0-9A-Za-z]{${length}}$`))
  }),

  must("every character is drawn as often as any other, and no text twice", [isDrawn], function* (service) {
    const counts = new Map<string, number>()
    for (const character of yield* service.base62(draws)) counts.set(character, (counts.get(character) ?? 0) + 1)
    assert.lengthOf([...counts], characters)
    const expected = draws / characters
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    assert.isAtMost(chiSquare, chiSquareMaximum, "chi-square of the characters")
    const texts = yield* Effect.forEach(Array.from({ length: 200 }), () => service.base62(24))
    assert.lengthOf(new Set(texts), texts.length)
  }),

  must("words are drawn in the number asked for, each of 7,776 as often as another", [isWorded], function* (service) {
    for (const count of [0, 1, 6]) assert.lengthOf(yield* service.words(count), count)
    const counts = new Map<string, number>()
    for (let round = 0; round < rounds; round++) {
      for (const word of yield* service.words(listLength)) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    assert.lengthOf([...counts], listLength)
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - rounds) ** 2 / rounds, 0)
    assert.isAtMost(chiSquare, wordsChiSquareMaximum, "chi-square of the words")
  }),

  must("a digest is SHA-256 in hex, of a text over its UTF-8 bytes", [], function* (service) {
    for (const [text, known] of digests) {
      const digest = yield* service.digest(text)
      if (known !== null) assert.strictEqual(digest, known)
      same(yield* service.digestBytes(new TextEncoder().encode(text)), digest)
    }
  })
]
