import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  joinedNamesOf,
  nameKey,
  nameKeysIn,
  soughtWordsOf,
  storedWordsOf
} from "../../../src/domain/giving/SearchWords.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { character } from "../../../src/testing/Characters.ts"
import { forEvery } from "../../support/Property.ts"

/** Whether a record of these texts is found, as every store finds it: each word begins one of the record's. */
const isFound = (texts: ReadonlyArray<string>, search: string): boolean => {
  const stored = storedWordsOf(texts)
  return soughtWordsOf(search).every((word) => stored.some((each) => each.startsWith(word)))
}

/** A stored text, the searches that people type for it, and searches that do not mean it. */
const names: ReadonlyArray<readonly [stored: string, found: ReadonlyArray<string>, other: ReadonlyArray<string>]> = [
  ["Zoë", ["zoe", "ZOE", "Zoë", "zo", "ZOË"], ["ze", "oe", "zoey"]],
  ["Zoe", ["zoë", "Zoé"], []],
  ["García", ["garcia", "GARCÍA", "garc"], ["gracia"]],
  ["José Núñez", ["jose", "nunez", "núñez jose", "josenunez"], ["ose"]],
  ["Łukasz", ["lukasz", "łuk", "Lukasz"], ["ukasz"]],
  ["Straße", ["strasse", "STRASSE", "straße", "stras"], ["strabe"]],
  ["Groẞ", ["gross", "groß"], []],
  ["Søren Ærø", ["soren", "soeren", "aero", "søren", "ærø"], ["sren"]],
  ["Åse Ångström", ["ase", "aase", "angstrom", "aangstroem", "Ångström"], []],
  ["Aase", ["åse", "ase"], []],
  ["Bär", ["bar", "baer", "bär"], ["br"]],
  ["Müller", ["muller", "mueller", "MÜLLER", "mu"], ["mller"]],
  ["Mueller", ["müller", "muller", "mueller"], []],
  ["Đorđe", ["dorde", "đorđe"], []],
  ["Þórður Guðmundsson", ["thordur", "gudmundsson"], []],
  ["Œuvre", ["oeuvre"], []],
  ["Şükrü Yıldız", ["sukru", "yildiz", "YILDIZ"], []],
  ["İbrahim", ["ibrahim", "IBRAHIM"], []],
  ["Nguyễn Đức", ["nguyen duc", "nguyễn"], []],
  ["ΟΔΟΣ", ["οδος", "οδοσ", "Όδος"], []],
  ["Фёдор Чайковский", ["федор", "чайковский", "ФЁДОР"], []],
  ["דָּוִד", ["דוד"], []],
  ["مُحَمَّد", ["محمد"], []],
  ["ガブリエル", ["ガブ", "リエル"], ["カブ", "ガリ"]],
  ["한국", ["한국", "한", "국"], ["국한"]],
  ["王小明", ["王小明", "小明", "王", "明", "王 小明", "小明 王"], ["小王", "王明", "王小明明"]],
  ["山田太郎 Taro", ["太郎", "山田", "taro", "太郎taro", "太郎 taro"], ["aro", "田山"]],
  ["ペ・ヨンジュン", ["ヨンジュン", "ペヨンジュン", "ﾍﾟ･ﾖﾝ"], ["へ"]],
  ["สมชาย", ["สมชาย", "ชาย"], ["ชม"]],
  ["ကျော်ကျော်", ["ကျော်"], ["ော်"]],
  // A vowel sign that nothing stands before.
  ["\u093fक", ["\u093fक", "\u093f"], ["क"]],
  ["किशोर", ["किशोर", "कि"], ["कुशोर"]],
  ["ｆｕｌｌ ﬁn", ["full", "fin"], []],
  ["O'Brien", ["obrien", "brien", "o'brien", "O’Brien", "o brien", "oʼbrien", "o´brien", "O`BRIEN"], ["rien"]],
  ["O’Brien", ["o'brien", "obrien", "brien"], []],
  ["OʻBrien", ["obrien", "brien"], []],
  ["O´Brien", ["obrien", "brien", "o'brien"], []],
  ["Obrien", ["o'brien", "O’Brien"], ["brien"]],
  ["O Brien", ["o'brien", "obrien", "brien"], []],
  ["D'Arcy-O'Neill", ["darcy", "arcy", "neill", "oneill", "arcy-oneill", "d’arcy o’neill"], ["darcyneill"]],
  ["Anne-Marie", ["annemarie", "anne", "marie", "anne-marie", "anne–marie", "anne marie"], ["nemarie"]],
  ["Anne Marie", ["annemarie", "anne-marie", "marie anne"], []],
  ["van der Berg", ["vanderberg", "berg", "derberg", "van berg"], ["vanberg"]],
  ["Robert (Bob)", ["bob", "(bob)", "(bo", "robert", "[bob]"], ["ob"]],
  ["Smith & Sons Pty. Ltd.", ["smith & sons", "sons", "ltd", "pty.", "smith sons", "sons/pty"], ["mith"]],
  [
    "Ada.O'Hara+news@Mail.Example.org",
    "ada ohara hara news mail example example.org @example ada.ohara@ ada.o'hara+news@mail".split(" "),
    ["da.ohara", "xample", "ada@example.org"]
  ],
  ["Gal·la", ["galla", "gal·la"], []],
  ["!!!", ["!", "!!!"], ["?", "a"]],
  ["😀 😀", ["😀", "😀😀"], ["🎉"]]
]

/** Parts of names as they are written, and as they are typed without accents. */
const part = fc.constantFrom(
  ["Zoë", "zoe"],
  ["Łukasz", "lukasz"],
  ["Straße", "strasse"],
  ["Ñandú", "nandu"],
  ["Đorđe", "dorde"],
  ["İz", "iz"],
  ["o", "o"],
  ["D", "d"],
  ["Brien", "brien"],
  ["Ｗｉｄｅ", "wide"],
  ["42", "42"],
  ["Фёдор", "федор"],
  ["𝒮cript", "script"]
)

const separator = fc.constantFrom(
  " ",
  "  ",
  "\u00a0",
  "-",
  "–",
  "'",
  "’",
  "ʼ",
  "´",
  ".",
  "@",
  "+",
  " (",
  ") ",
  "/",
  ", "
)

/** A text of such parts, and what is typed for each part. */
const written = fc.array(fc.tuple(part, separator), { minLength: 1, maxLength: 6 }).map((parts) => ({
  text: parts.map(([[shown = ""], between], at) => (at === 0 ? shown : between + shown)).join(""),
  typed: parts.map(([[, plain = ""]]) => plain)
}))

const variant = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.normalize("NFD"),
  (text) => text.normalize("NFC")
)

const anything = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: character, maxLength: 40 }),
  fc
    .array(
      fc.oneof(
        part.map(([shown = ""]) => shown),
        separator,
        fc.string({ unit: "grapheme-composite", maxLength: 4 })
      )
    )
    .map((all) => all.join(""))
)

/** Letters that Unicode does not take apart, each with the letter that its Unicode name is made from. */
const letters = "ɖd ɗd ƚl ħh ɨi ȷj ĸk ƙk ŋn ɲn ŧt ƭt ƀb ɓb ƈc ƒf ɠg ǥg ɔo ɵo ƥp ʉu ʋv ƴy ƶz əe ɛe"

describe("a letter that people type as another one", () => {
  it.each(letters.split(" "))("%s", (pair) => {
    const [letter = "", typed = ""] = pair
    assert.deepStrictEqual(soughtWordsOf(`x${letter}x`), [`x${typed}x`])
    assert.isTrue(isFound([`x${letter}x`], `x${typed}x`))
  })
})

describe("a word that is longer than what is compared", () => {
  it.each(["abcdefghij", "𐐨𐐩𐐪𐐫𐐬"])("of %s is compared by its first characters", (characters) => {
    const many = Array.from(characters.repeat(Limits.searchWordCharacters))
    assert.deepStrictEqual(soughtWordsOf(many.join("")), [many.slice(0, Limits.searchWordCharacters).join("")])
  })
})

describe("a search", () => {
  for (const [stored, found, other] of names) {
    it(`finds ${stored} by what people type for it`, () => {
      for (const search of found) assert.isTrue(isFound([stored], search), search)
      for (const search of other) assert.isFalse(isFound([stored], search), search)
    })
  }

  it("finds a text from any of its parts on, whatever stands between them, its case and its accents", () =>
    forEvery(written, variant, variant, fc.nat(), fc.nat(), ({ text, typed }, shown, asked, from, length) => {
      const run = typed.slice(from % typed.length).join("")
      const search = run.slice(0, 1 + (length % run.length))
      assert.isTrue(isFound([shown(text)], asked(search)), search)
    }))

  it("finds a text by its parts in any order, and by all of itself", () =>
    forEvery(written, variant, fc.func(fc.integer()), ({ text, typed }, asked, order) => {
      const parts = typed.toSorted((a, b) => order(a) - order(b))
      assert.isTrue(isFound([text], parts.join(" ")))
      assert.isTrue(isFound([text], asked(text)))
    }))

  it("finds nothing that does not begin with a part", () => {
    const plain = fc.array(fc.constantFrom("bri", "kat", "nils", "rik", "t"), { minLength: 1, maxLength: 5 })
    forEvery(
      plain,
      separator,
      fc.string({ unit: fc.constantFrom(..."brikatnls"), minLength: 1, maxLength: 4 }),
      (parts, between, search) => {
        const isMeant = parts.some((_, at) => parts.slice(at).join("").startsWith(search))
        assert.strictEqual(isFound([parts.join(between)], search), isMeant)
      }
    )
  })

  it("looks into each text of a record by itself", () => {
    assert.isTrue(isFound(["Ada", "Lovelace"], "love ada"))
    assert.isFalse(isFound(["Ada", "Lovelace"], "adalove"))
  })

  it("finds a record by any of its texts, whatever they are", () =>
    forEvery(fc.array(anything, { minLength: 1, maxLength: 4 }), fc.nat(), (texts, pick) => {
      assert.isTrue(isFound(texts, texts[pick % texts.length] ?? ""))
    }))

  it("of anything but white space has words, so that it never finds everything", () =>
    forEvery(anything, (search) => {
      assert.strictEqual(soughtWordsOf(search).length === 0, search.trim() === "")
      if (search.trim() !== "") assert.isFalse(isFound([], search))
    }))
})

describe("the words of a text", () => {
  it("are without blanks and repetitions, and as long as is compared", () =>
    forEvery(fc.oneof(anything, fc.string({ unit: "grapheme", minLength: 60, maxLength: 255 })), (text) => {
      for (const words of [soughtWordsOf(text), storedWordsOf([text])]) {
        assert.strictEqual(new Set(words).size, words.length)
        for (const word of words) {
          assert.match(word, /^\S+$/u)
          assert.isAtMost([...word].length, Limits.searchWordCharacters)
        }
      }
    }))

  it("that are stored do not begin one another", () =>
    forEvery(fc.array(anything, { maxLength: 4 }), (texts) => {
      const words = storedWordsOf(texts)
      for (const word of words) {
        for (const other of words) assert.isTrue(word === other || !other.startsWith(word), `${word} ${other}`)
      }
    }))

  it("are the same however a text is composed", () => {
    fc.assert(
      fc.property(anything, (text) => {
        for (const form of ["NFC", "NFD"]) {
          assert.deepStrictEqual(soughtWordsOf(text.normalize(form)), soughtWordsOf(text))
          assert.deepStrictEqual(storedWordsOf([text.normalize(form)]), storedWordsOf([text]))
        }
      }),
      // A Greek numeral sign, which composes to an apostrophe.
      { examples: [["\u0374Zoë"]] }
    )
  })

  it("are no more than the parts of the longest names, and compared up to the same place", () => {
    const long = "ab".repeat(Limits.nameCharacters)
    assert.deepStrictEqual(storedWordsOf([long]), soughtWordsOf(long))
    assert.isTrue(isFound([long], long.slice(0, 100)))
    assert.isFalse(isFound([long], `b${long}`))
    const parts = Array.from({ length: 128 }, (_, at) => String.fromCodePoint(0x4e00 + at))
    assert.strictEqual(storedWordsOf([parts.join(" ")]).length, parts.length)
  })
})

describe("two names in a script without spaces", () => {
  it("are one text in both orders, as long as all of it is compared", () => {
    const [most, name] = [Limits.searchWordCharacters, "明".repeat(Limits.searchWordCharacters)]
    for (const characters of [1, 2, most - 1]) {
      const [first, last] = [name.slice(0, characters), "王".repeat(most - characters)]
      assert.deepStrictEqual(joinedNamesOf(first, last), [last + first, first + last])
      assert.deepStrictEqual(joinedNamesOf(`${first}明`, last), [])
      assert.deepStrictEqual(joinedNamesOf(first, `${last}王`), [])
    }
    assert.deepStrictEqual(joinedNamesOf("Ada", "Lovelace"), [])
  })
})

describe("the names in a text", () => {
  it("are its runs of one to four words", () => {
    const words = ["ann", "bo", "cy", "dot", "fin", "gus"]
    const found = nameKeysIn(words.join(" "))
    for (const [from] of words.entries()) {
      for (let to = from + 1; to <= words.length; to++) {
        const name = words.slice(from, to).join(" ")
        assert.strictEqual(found.includes(nameKey(name)), to - from <= 4, name)
      }
    }
    assert.strictEqual(found.length, 6 + 5 + 4 + 3)
  })
})
