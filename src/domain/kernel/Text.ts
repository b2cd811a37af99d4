import { Predicate, Schema } from "effect"
import { noLongerTrimmed } from "./Length.ts"
import { Limits } from "./Limits.ts"

/**
 * Whether a text can be stored and read back byte for byte: no U+0000 and no half of a surrogate pair.
 * decisions, section 1: Text.
 * @example Text.isStorable("Mary\u0000") // => false
 */
export const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/**
 * A text from outside as it can be stored: what {@link isStorable} refuses becomes U+FFFD.
 * @example Text.replaceUnstorable("Mary\u0000") // => "Mary\ufffd"
 */
export const replaceUnstorable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\ufffd")

/**
 * The text that an unknown value, such as a caught error, has under a name; undefined where it has none, or an empty one.
 * @example Text.textAt({ code: "ENOENT" }, "code") // => "ENOENT"
 */
export const textAt = (value: unknown, name: string): string | undefined => {
  const found = Predicate.hasProperty(value, name) ? value[name] : undefined
  return Predicate.isString(found) && found !== "" ? found : undefined
}

const storable = Schema.makeFilter(isStorable, { expected: "text without U+0000 and without unpaired surrogates" })

/**
 * Text of at most `characters` characters, that is code points, kept as given. Its length is checked first: a longer
 * text is not read further. docs/decisions/0025.
 * @example Schema.is(Text.TextUpTo(2))("👍👍") // => true
 */
export const TextUpTo = (characters: number) => Schema.String.check(Schema.isMaxCodePoints(characters), storable)

/**
 * Text like {@link TextUpTo} that is stored trimmed: white space around it does not count.
 * @example Schema.is(Text.NameUpTo(4))("  Mary  ") // => true
 */
export const NameUpTo = (characters: number) => Schema.String.check(noLongerTrimmed(characters), storable)

/** A long text, kept as given. */
export const LongText = TextUpTo(Limits.textCharacters)

/** An identifier in a body. Whether it names a record is for the operation to find out. */
export const GivenId = TextUpTo(Limits.identifierCharacters).check(Schema.isMinLength(1))

/** Names and labels as they are received; {@link nameOrNull} trims them afterwards. */
export const Name = NameUpTo(Limits.nameCharacters)

const blank = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u

/**
 * Whether nobody sees anything of a text: it has white space and invisible characters alone, such as those that join letters or
 * turn text around. Such a text counts as an empty one. decisions, section 1: Text.
 * @example
 * Text.isBlank(" \u200b\u2066") // => true
 * Text.isBlank("\u2066Ada\u2069") // => false
 */
export const isBlank = (text: string): boolean => blank.test(text)

/** The checks of a text that must have something to see; the first is what a pattern can say of it. */
export const visibleChecks = (description: string) =>
  [
    Schema.isPattern(/\S/, { description }),
    Schema.makeFilter((text: string) => !isBlank(text), { expected: "text with a character that can be seen" })
  ] as const

/** A name of something that must have one. */
export const FilledName = Name.check(...visibleChecks("a name that is not empty"))

const webUrl = (pattern: RegExp) =>
  TextUpTo(Limits.urlCharacters).check(
    Schema.isPattern(pattern, {
      expected: "a web address that begins with https:// or http://",
      description: "a web address"
    })
  )

/** A web address as it is received. */
export const WebUrl = webUrl(/^https?:\/\/[^\s/?#]\S*$/u)

/** A web address as it is received where there may be none: an empty text counts as null. decisions, section 1: Text. */
export const WebUrlOrBlank = webUrl(/^(?:https?:\/\/[^\s/?#]\S*|\s*)$/u)

/**
 * Control characters, for use in a pattern's character class. Schemas' patterns are published without their flags, as
 * JSON Schema has none, so they must mean the same with `u` and without it. docs/decisions/0033.
 */
export const controls = String.raw`\u0000-\u001f\u007f-\u009f`

const beforeAt = String.raw`[^\s${controls}@<>(),;:"[\]\\]`
const label = String.raw`[^\s${controls}@<>(),;:"[\]\\.]`

const address = String.raw`\s*${beforeAt}+@${label}+(\.${label}+)+\s*`

const email = (pattern: string) =>
  NameUpTo(Limits.emailCharacters).check(
    Schema.isPattern(new RegExp(pattern), {
      expected: "an e-mail address",
      description: "an e-mail address",
      arbitraryConstraint: {
        patterns: [{ source: "^[a-z]{1,9}\\+?[A-Za-z]{1,9}@[a-z]{1,9}(?:\\.[a-z]{2,9}){1,2}$", flags: "" }]
      }
    })
  )

/** E-mail addresses as they are received. */
export const Email = email(`^${address}$`)

/** An e-mail address as it is received where there may be none: an empty text counts as null. decisions, section 1: Text. */
export const EmailOrBlank = email(String.raw`^(?:${address}|\s*)$`)

/**
 * A name as it is stored: trimmed; null when it is blank. decisions, section 1: Text.
 * @example
 * Text.nameOrNull("  Mary ") // => "Mary"
 * Text.nameOrNull(" \u200b ") // => null
 */
export const nameOrNull = (text: string | null | undefined): string | null =>
  text == null || isBlank(text) ? null : text.trim()

/**
 * A free text as it is stored: unchanged; null when it is empty. decisions, section 1: Text.
 * @example
 * Text.textOrNull(" as it is ") // => " as it is "
 * Text.textOrNull("") // => null
 */
export const textOrNull = (text: string | null | undefined): string | null =>
  text === undefined || text === "" ? null : text

const invisible = /\p{Default_Ignorable_Code_Point}/gu

/**
 * A text without the characters that nobody sees, which come along where an address is copied: no mailbox has them.
 * @example Text.withoutInvisible("kim\u200b@example.org") // => "kim@example.org"
 */
export const withoutInvisible = (text: string): string => text.replaceAll(invisible, "")

/** A domain as the network spells it. One that a URL would read otherwise, as by a `%`, is left as it is. */
const asciiDomain = (domain: string): string => {
  const url = `http://${domain}`
  const isName = /\P{ASCII}/u.test(domain) && !/[/?#%:@\\]/.test(domain) && URL.canParse(url)
  return isName ? new URL(url).hostname : domain
}

/**
 * How e-mail addresses are compared: compatibility forms folded (NFKC), without case and characters that nobody sees, the
 * domain in ASCII. An address that becomes many times as long by that is compared trimmed and without case.
 * docs/decisions/0073.
 * @example
 * Text.emailKey(" Kim@Example.org ") // => "kim@example.org"
 * Text.emailKey("kim@b\u00fccher.example") // => "kim@xn--bcher-kva.example"
 */
export const emailKey = (email: string): string => {
  const folded = withoutInvisible(email).normalize("NFKC").toLowerCase().normalize("NFKC").trim()
  const at = folded.lastIndexOf("@") + 1
  const key = folded.slice(0, at) + asciiDomain(folded.slice(at))
  return key.length <= 2 * Limits.emailCharacters ? key : email.trim().toLowerCase()
}

/**
 * An address as it is shown to whoever may not be its reader: its first letter, and where its mailbox is.
 * @example
 * Text.maskedEmail("ada@example.org") // => "a…@example.org"
 */
export const maskedEmail = (email: string): string => {
  const [first = ""] = email
  return `${first}…${email.slice(email.lastIndexOf("@"))}`
}

/**
 * Compares as UTF-8 bytes do, so that memory and database sort alike.
 * @example ["\uffff", "😀", "a"].toSorted(Text.compareCodePoints) // => ["a", "\uffff", "😀"]
 */
export const compareCodePoints = (a: string, b: string): number => {
  let index = 0
  // NaN, which stands behind the end of a text, equals nothing.
  while (a.charCodeAt(index) === b.charCodeAt(index)) index++
  return (a.codePointAt(index) ?? -1) - (b.codePointAt(index) ?? -1)
}
