import { gzipSync } from "node:zlib"
import { Predicate } from "effect"
import fc from "fast-check"
import { type DeclaredOperation, fieldNamesOf, guardedOperations, takesKey, writes } from "./Declaration.ts"
import { type Refusal, sizedBodies, sizedQueries } from "./HostileSizes.ts"
import { oddNames, soundText, text, value } from "./HostileValues.ts"
import type { RequestParts } from "./Service.ts"

const json = { "content-type": "application/json" }

type Path = ReadonlyArray<string | number>

/** Every place in a value, itself first. */
const placesOf = (given: unknown, path: Path = []): ReadonlyArray<Path> => {
  if (!Predicate.isObjectOrArray(given)) return [path]
  const inner = Array.isArray(given)
    ? given.flatMap((each, index) => placesOf(each, [...path, index]))
    : Object.entries(given).flatMap(([key, each]) => placesOf(each, [...path, key]))
  return [path, ...inner]
}

const put = (given: unknown, [key, ...rest]: Path, into: unknown): unknown => {
  if (key === undefined) return into
  if (Array.isArray(given)) return given.map((each, index) => (index === key ? put(each, rest, into) : each))
  return { ...Object(given), [key]: put(Reflect.get(Object(given), key), rest, into) }
}

/** Fields of the operation's record and some that no record has, each with any value. */
const fieldsOf = (operation: DeclaredOperation): fc.Arbitrary<Readonly<Record<string, unknown>>> => {
  const own = fieldNamesOf(operation)
  const names = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...(own.length > 0 ? own : ["a"])) },
    { weight: 1, arbitrary: fc.constantFrom(...operation.writes, ...oddNames) }
  )
  return fc.array(fc.tuple(names, value), { maxLength: 3 }).map(Object.fromEntries)
}

/** Spoils a body that the operation takes. The body is made anew for the ids of the moment. */
export type Spoil = (sound: unknown) => RequestParts

const spoilText =
  (change: (document: string) => string | Uint8Array, headers: RequestParts["headers"] = json): Spoil =>
  (sound) => ({ body: change(JSON.stringify(sound)), headers })

const bytesIn = (encoding: BufferEncoding) => (document: string) => Buffer.from(document, encoding)

const encodings: ReadonlyArray<Spoil> = [
  spoilText(bytesIn("utf16le")),
  spoilText(bytesIn("utf16le"), { "content-type": "application/json; charset=utf-16" }),
  spoilText(bytesIn("latin1"), { "content-type": "application/json; charset=iso-8859-1" }),
  spoilText((document) => Buffer.from(document.replace(/:"/, ':"\u00e9'), "latin1")),
  spoilText((document) => `\ufeff${document}`),
  spoilText((document) => gzipSync(document), { ...json, "content-encoding": "gzip" }),
  spoilText((document) => gzipSync(document)),
  spoilText((document) => document, { "content-type": 'application/json; charset="UTF-8"; q=1' }),
  spoilText((document) => document, { "content-type": "application/json, application/json" }),
  spoilText((document) => document, { "content-type": "application/x-www-form-urlencoded" }),
  spoilText((document) => document, {}),
  spoilText((document) => document.slice(0, -1)),
  spoilText((document) => document + document),
  spoilText((document) => document.replace("{", '{"__proto__":{"a":1},')),
  spoilText((document) => document.replace("{", '{"__proto__":null,"constructor":{"prototype":{}},')),
  // The first field twice.
  spoilText((document) => document.replace(/\{("[^"]+":[^,}]+)/, "{$1,$1")),
  spoilText(() => "9".repeat(100_000)),
  spoilText(() => "[".repeat(100_000)),
  spoilText(() => `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`)
]

const spoils = (operation: DeclaredOperation): fc.Arbitrary<Spoil> => {
  const fields = fieldsOf(operation)
  const document = fc.tuple(
    fc.nat(),
    fc.constantFrom('"', ",", "}", "\\u0000", "\\ud800", '"first_name":"b",', "\u0000", "[", "1e9", "-", "0x1")
  )
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant<Spoil>((sound) => ({ json: sound })) },
    {
      weight: 8,
      arbitrary: fields.map(
        (given): Spoil =>
          (sound) => ({ json: { ...Object(sound), ...given } })
      )
    },
    {
      weight: 4,
      arbitrary: fc.tuple(fc.nat(), value).map(
        ([at, given]): Spoil =>
          (sound) => {
            const places = placesOf(sound)
            return { json: put(sound, places[at % places.length] ?? [], given) }
          }
      )
    },
    {
      weight: 2,
      arbitrary: fields.map(
        (given): Spoil =>
          () => ({ json: given })
      )
    },
    {
      weight: 1,
      arbitrary: value.map(
        (given): Spoil =>
          () => ({ json: given })
      )
    },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ maxLength: 200 }).map(
        (body): Spoil =>
          () => ({ body, headers: json })
      )
    },
    { weight: 2, arbitrary: fc.constantFrom(...encodings) },
    {
      weight: 2,
      arbitrary: document.map(([at, insert]) =>
        spoilText((whole) => whole.slice(0, at % (whole.length + 1)) + insert + whole.slice(at % (whole.length + 1)))
      )
    }
  )
}

const operators = ["", "[eq]", "[in]", "[not_in]", "[gt]", "[gte]", "[lt]", "[lte]", "[like]", "[", "[]", "[eq][eq]"]

const queryOf = ({ list }: DeclaredOperation): fc.Arbitrary<string> => {
  const names = [
    "limit",
    "starting_after",
    "archived",
    "search",
    "segment",
    "sort",
    ...Object.keys(list?.flags ?? {}),
    ...Object.keys(list?.filters ?? {}),
    ...oddNames
  ]
  const values = fc.constantFrom(
    "1",
    "100",
    "101",
    "1e2",
    "-created_at",
    "CONFIRMED",
    "true",
    ",",
    "a,,b",
    "2026-02-30"
  )
  const encoded = fc.oneof(text, soundText, values).map((each) => encodeURIComponent(each.toWellFormed()))
  const raw = fc.constantFrom("%", "%zz", "%00", "%ff", "%ED%A0%80", "+", "=", "&&", ";", "%F0%9F%98%80", "a=b=c")
  const pair = fc.tuple(
    fc.constantFrom(...names),
    fc.constantFrom(...operators),
    fc.oneof({ weight: 4, arbitrary: encoded }, { weight: 1, arbitrary: raw })
  )
  const pairs = fc.array(
    pair.map(([name, operator, given]) => `${encodeURIComponent(name)}${operator}=${given}`),
    { maxLength: 3 }
  )
  const many = fc.constantFrom("a&".repeat(3_000), "limit=1&".repeat(500), "%".repeat(5_000))
  return fc
    .oneof({ weight: 19, arbitrary: pairs.map((all) => all.join("&")) }, { weight: 1, arbitrary: many })
    .map((query) => (query === "" ? "" : `?${query}`))
}

/** Header values that a client may send, of the characters that HTTP allows. */
const headers: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.dictionary(
      fc.constantFrom("idempotency-key", "x-request-id", "accept", "accept-encoding", "if-match", "expect", "cookie"),
      fc.oneof(
        fc.constantFrom("", " ", "a", "k".repeat(255), "k".repeat(256), "\u00ff", "a, b", "gzip;q=0", "*/*;q=0"),
        fc.string({ unit: "grapheme-ascii", maxLength: 30 })
      ),
      { maxKeys: 3 }
    )
  }
)

/** A request that means no good, before it is known which records there are. */
export interface Hostile {
  readonly operation: DeclaredOperation
  readonly method: string
  /** Which of the known ids a path names: none at all where it is `odd`. */
  readonly pick: number
  readonly odd: string | undefined
  readonly query: string
  readonly spoil: Spoil
  /** The refusal where nothing else is wrong: known for requests that are too large in some way. */
  readonly refused: Refusal | undefined
  readonly headers: Readonly<Record<string, string>>
  /** Whether everything is read before and after it. */
  readonly isWatched: boolean
}

/** The parts of a request that carry content. */
type Carried = Pick<Hostile, "query" | "spoil" | "refused">

const nothing: Spoil = () => ({})

const carried = (operation: DeclaredOperation): fc.Arbitrary<Carried> => {
  const isWrite = writes(operation)
  const odd = fc.record<Carried>({
    query: isWrite ? fc.constantFrom("", "", "", "", "", "", "?a=1") : queryOf(operation),
    spoil: isWrite ? spoils(operation) : fc.constant(nothing),
    refused: fc.constant(undefined)
  })
  const large: fc.Arbitrary<Carried> = isWrite
    ? sizedBodies(operation).map((body) => ({ query: "", ...body }))
    : sizedQueries(operation).map(({ query, refused }) => ({ query: `?${query}`, spoil: nothing, refused }))
  return fc.oneof({ weight: 29, arbitrary: odd }, { weight: 1, arbitrary: large })
}

/** Every operation that is declared; those that write come more often, as what they accept is read again. */
const operations = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...guardedOperations) },
  { weight: 1, arbitrary: fc.constantFrom(...guardedOperations.filter(writes)) }
)

/** Requests to every operation that is declared. */
export const hostile: fc.Arbitrary<Hostile> = operations.chain((operation) => {
  const request = fc.record({
    operation: fc.constant(operation),
    method: fc.oneof(
      { weight: 15, arbitrary: fc.constant(operation.method) },
      { weight: 1, arbitrary: fc.constantFrom("PUT", "HEAD", "DELETE", "POST", "OPTIONS", "PURGE") }
    ),
    pick: fc.nat(5),
    odd: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      {
        weight: 1,
        arbitrary: fc
          .oneof(text, fc.constantFrom("%", "%2f", "..", "dnr_"))
          .map((each) => encodeURIComponent(each.toWellFormed()))
      }
    ),
    headers: takesKey(operation) ? headers : fc.constant({}),
    isWatched: fc.nat(39).map((n) => n === 0)
  })
  return fc.tuple(request, carried(operation)).map(([given, carries]) => ({ ...given, ...carries }))
})
