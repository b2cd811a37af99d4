import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import fc from "fast-check"
import { eventTypes } from "../../src/domain/Event.ts"
import { type Answer, valueAt } from "../support/Answer.ts"
import { type Declared, declared, guarded, pathTo, soundBody, writes } from "../support/Declaration.ts"
import { type Sent, type Service, startService } from "../support/Service.ts"
import { everyKind, type StoresLayer } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

/** Requests of one run of a suite; `ALMONER_HOSTILE_REQUESTS` asks for another number. */
const requests = Number(process.env["ALMONER_HOSTILE_REQUESTS"] ?? 1_500)

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

const oddTexts = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\udfff",
  "\ufeff",
  "\u202e\u200b",
  "e\u0301",
  "é",
  "ﬁ",
  "İ",
  "ß",
  "😀👨‍👩‍👧",
  "\u{10ffff}",
  "\u001f\u007f\u0085",
  "\u2028\u2029",
  "'; DROP TABLE donors; --",
  "%s%n",
  "{{7*7}}",
  "<script>",
  "../../etc/passwd",
  "__proto__",
  "x".repeat(256),
  "😀".repeat(5_000),
  "null",
  "NaN",
  "1e999"
]

const text = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units))
)

const soundText = fc.constantFrom(
  "Ada",
  " Ada ",
  "ada@example.org",
  "2026-01-01",
  "2026-01-01T00:00:00Z",
  "MONETARY",
  "IN_KIND",
  "GOODS",
  "TRUST",
  "cash",
  "Europe/Paris",
  "51824753556",
  "https://hooks.example.org/in"
)

const number = fc.oneof(
  fc.constantFrom(0, -0, -1, 1, 1.5, 72, 73, 1e9, 1e9 + 1, 2 ** 31, 2 ** 53, 2 ** 63, 1e21, 1e308, -1e308, 5e-324),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true })
)

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 4, arbitrary: soundText },
  { weight: 2, arbitrary: number },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [null], [[]], { length: 1 }, nested(2_000)) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom<unknown>(...eventTypes.slice(0, 4), "nope", 1), { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) }
)

const oddNames = [
  "",
  "__proto__",
  "constructor",
  "toString",
  "id",
  "organisation_id",
  "😀",
  "\u0000",
  "a.b",
  "a[0]",
  "x".repeat(2_000)
]

/** Fields of the operation's record and some that no record has, each with any value. */
const fieldsOf = ({ payload, writes: record }: Declared): fc.Arbitrary<Readonly<Record<string, unknown>>> => {
  const taken = payload?.ast._tag === "Objects" ? payload.ast.propertySignatures.map(({ name }) => String(name)) : []
  const names = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...(taken.length > 0 ? taken : ["a"])) },
    { weight: 1, arbitrary: fc.constantFrom(...record, ...oddNames) }
  )
  return fc.array(fc.tuple(names, value), { maxLength: 3 }).map(Object.fromEntries)
}

const json = { "content-type": "application/json" }

const bodyOf = (operation: Declared): fc.Arbitrary<Sent> => {
  const fields = fieldsOf(operation)
  const sound = soundBody(operation)
  const spoil = (document: string, at: number, insert: string) =>
    document.slice(0, at % (document.length + 1)) + insert + document.slice(at % (document.length + 1))
  return fc.oneof(
    { weight: 8, arbitrary: fields.map((given) => ({ json: { ...Object(sound), ...given } })) },
    { weight: 2, arbitrary: fields.map((given) => ({ json: given })) },
    { weight: 1, arbitrary: value.map((given) => ({ json: given })) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((body) => ({ body, headers: json })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fields,
          fc.nat(),
          fc.constantFrom('"', ",", "}", "\\u0000", "\\ud800", '"first_name":"b",', "\u0000", "[", "1e9")
        )
        .map(([given, at, insert]) => ({
          body: spoil(JSON.stringify({ ...Object(sound), ...given }), at, insert),
          headers: json
        }))
    }
  )
}

const operators = ["", "[eq]", "[in]", "[not_in]", "[gt]", "[gte]", "[lt]", "[lte]", "[like]", "[", "[]", "[eq][eq]"]

const queryOf = ({ list }: Declared): fc.Arbitrary<string> => {
  const names = [
    "limit",
    "starting_after",
    "archived",
    "search",
    "segment",
    "sort",
    ...Object.keys(list?.filters ?? {}),
    ...oddNames
  ]
  const encoded = fc
    .oneof(text, soundText, fc.constantFrom("1", "100", "-created_at", "CONFIRMED", "true", ",", "a,,b"))
    .map((each) => encodeURIComponent(each.toWellFormed()))
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
  return pairs.map((all) => (all.length === 0 ? "" : `?${all.join("&")}`))
}

interface Hostile {
  readonly operation: Declared
  readonly method: string
  readonly id: number
  readonly odd: string
  readonly query: string
  readonly sent: Sent
}

const hostile: fc.Arbitrary<Hostile> = fc.constantFrom(...guarded).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant(operation.method) },
      { weight: 1, arbitrary: fc.constantFrom("PUT", "HEAD", "DELETE", "POST") }
    ),
    id: fc.nat(5),
    odd: fc
      .oneof(text, fc.constantFrom("%", "%2f", "..", "dnr_"))
      .map((each) => encodeURIComponent(each.toWellFormed())),
    query: writes(operation) ? fc.constantFrom("", "", "", "", "?a=1") : queryOf(operation),
    sent: writes(operation) ? bodyOf(operation) : fc.constant({})
  })
)

const collectionOf = ({ path }: Declared): string => path.split("/:id")[0] ?? path

/** Fields that read otherwise than they were sent: instants, and what a gift ignores or takes from its code. */
const reread = new Set([
  "donation_date",
  "marketing_consent_at",
  "payment_method",
  "in_kind_category",
  "in_kind_description",
  "revenue_code",
  "revenue_code_id"
])

/** What was accepted reads as it was sent: names trimmed, and an empty one as none. */
const assertKept = (sent: unknown, answer: Answer): void => {
  for (const [field, given] of Object.entries(Object(sent))) {
    const kept = answer.at(field)
    if (typeof given !== "string" || kept === undefined || reread.has(field)) continue
    assert.include([given, given.trim() || null], kept, field)
  }
}

const suite = (name: string, stores: StoresLayer) =>
  describe(`hostile input over ${name}`, () => {
    let service: Service
    let tenant: Tenant
    const known = new Map<string, Array<string>>()

    beforeAll(async () => {
      service = await startService({ stores })
      tenant = await makeTenant(service)
      for (const operation of declared.filter(({ method, path }) => method === "POST" && !path.includes(":id"))) {
        const body = {
          ...Object(soundBody(operation)),
          ...(operation.path === "/donations" ? { donor_id: known.get("/donors")?.[0] } : {})
        }
        const made = await tenant.writer.post(operation.path, body)
        known.set(operation.path, [made.textAt("id")])
      }
      for (const path of ["/events", "/webhook-deliveries"]) {
        await tenant.writer.post("/donors", { first_name: "Ada" })
        known.set(
          path,
          (await tenant.reader.get(path)).listAt("data").map((each) => String(valueAt(each, "id")))
        )
      }
    })
    afterAll(() => service.stop())

    /** A create reads back as it was answered. */
    const assertReadsBack = async (operation: Declared, answer: Answer) => {
      const made = answer.at("")
      if (
        !Predicate.isObject(made) ||
        typeof made["id"] !== "string" ||
        !guarded.some(({ path }) => path === `${collectionOf(operation)}/:id`)
      )
        return
      if (operation.method !== "POST" || operation.path.includes("/:id/")) return
      known.get(collectionOf(operation))?.push(made["id"])
      const read = (await tenant.reader.get(`${collectionOf(operation)}/${made["id"]}`)).at("")
      const { secret: _, ...shown } = made
      assert.deepStrictEqual(read, operation.path === "/donations" ? { ...shown, submitted_donor: null } : shown)
    }

    it("is answered, never with 5xx, as declared, and what is accepted reads back", async () => {
      let accepted = 0
      await fc.assert(
        fc.asyncProperty(hostile, async ({ id, method, odd, operation, query, sent }) => {
          const ids = known.get(collectionOf(operation)) ?? []
          const path = `${pathTo(operation, id === 0 ? odd : ids.at(-id))}${query}`
          const answer = await tenant.writer.request(method, path, method === "HEAD" ? {} : sent)
          assert.isBelow(answer.status, 500, answer.text)
          if (answer.status >= 300 || method !== operation.method) return
          accepted += 1
          if (sent.json !== undefined) assertKept(sent.json, answer)
          await assertReadsBack(operation, answer)
        }),
        { numRuns: requests }
      )
      assert.isAbove(accepted, requests / 20)
      assert.deepStrictEqual(service.logs, [])
    })
  })

for (const [name, stores] of everyKind) suite(name, stores)
