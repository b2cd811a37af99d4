import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import * as Donation from "../../../src/domain/giving/Donation.ts"
import * as Donor from "../../../src/domain/giving/Donor.ts"
import {
  asOf,
  type Condition,
  comparedValue,
  type Dimension,
  type Kind,
  type ListQuery,
  type ListSpec,
  operators,
  operatorsOf,
  parse,
  passes,
  type Scalar,
  within
} from "../../../src/domain/kernel/Listing.ts"
import type { InvalidInput, MalformedInput } from "../../../src/domain/kernel/Rejection.ts"
import { rulesOf } from "../../../src/domain/kernel/Rule.ts"
import { character } from "../../../src/testing/Characters.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

type Entry = readonly [name: string, value: string]

const dimension = (kind: Kind): Dimension => ({ kind, description: kind })

const spec: ListSpec = {
  filters: {
    label: dimension("text"),
    colour: { ...dimension("enum"), values: ["RED", "GREEN", "BLUE"] },
    size: dimension("integer"),
    ready: dimension("boolean"),
    made_at: dimension("timestamp"),
    given: { ...dimension("day"), column: "given_at", dayColumn: "given_on" }
  },
  sorts: { created_at: "created_at", label: "label_key" },
  archivable: true,
  words: (text) => text.split(" "),
  segments: true
}

const parsed = (entries: Iterable<Entry>, list = spec): ListQuery => Result.getOrThrow(parse(list, entries))

const rejection = (entries: Iterable<Entry>, list = spec): InvalidInput | MalformedInput =>
  Result.match(parse(list, entries), {
    onFailure: (failure) => failure,
    onSuccess: () => assert.fail(`accepted ${JSON.stringify([...entries])}`)
  })

const assertMalformed = (entries: ReadonlyArray<Entry>, list = spec): void => {
  assert.strictEqual(rejection(entries, list)._tag, "MalformedInput", JSON.stringify(entries))
}

const assertInvalid = (entries: ReadonlyArray<Entry>, param: string, list = spec): void => {
  assert.deepInclude(rejection(entries, list), { _tag: "InvalidInput", param })
}

/** A text that a dimension accepts, and the value that it is compared as. */
const values: Readonly<Record<string, ReadonlyArray<readonly [text: string, value: string | number | boolean]>>> = {
  label: [
    ["a", "a"],
    ["", ""],
    ["ünï", "ünï"]
  ],
  colour: [
    ["RED", "RED"],
    ["BLUE", "BLUE"]
  ],
  size: [
    ["0", 0],
    ["-7", -7],
    ["1000000000", 1e9]
  ],
  ready: [
    ["true", true],
    ["false", false]
  ],
  made_at: [
    ["2026-01-02", Date.UTC(2026, 0, 2)],
    ["2026-01-02T03:04:05Z", Date.UTC(2026, 0, 2, 3, 4, 5)],
    ["2026-01-02T03:04:05.678+10:00", Date.UTC(2026, 0, 1, 17, 4, 5, 678)]
  ],
  given: [
    ["2026-01-02", "2026-01-02"],
    ["2028-02-29", "2028-02-29"]
  ]
}

const fields = Object.keys(spec.filters)
const field = fc.constantFrom(...fields)

const bad: Readonly<Record<string, string>> = { colour: "red", made_at: "yesterday", given: "2026-02-30" }

const undecodable: Readonly<Record<string, string>> = { size: "abc", ready: "yes" }

describe("a list's query", () => {
  it("is the default one when nothing is sent", () => {
    assert.deepStrictEqual(parsed([]), {
      limit: 10,
      starting_after: null,
      archived: false,
      conditions: [],
      words: [],
      flags: {},
      segment: null,
      sort: { column: "created_at", descending: true },
      sent: { search: null, segment: null, sort: null, filters: {} }
    })
  })

  it("takes every operator that a kind has, and refuses the others as malformed", () => {
    for (const [name, filter] of Object.entries(spec.filters)) {
      for (const operator of operators) {
        for (const [text, value] of values[name] ?? []) {
          const sent: Entry = [`${name}[${operator}]`, text]
          if (!operatorsOf(filter).includes(operator)) assertMalformed([sent])
          else assert.deepInclude(parsed([sent]).conditions[0], { operator, values: [value] })
        }
      }
    }
  })

  it("has all operators for what is ordered, equality and lists for text, and equality for booleans", () => {
    const taken = (kind: Kind) => operatorsOf(dimension(kind)).join()
    for (const kind of ["integer", "timestamp", "day"] as const) assert.strictEqual(taken(kind), operators.join())
    for (const kind of ["text", "enum"] as const) assert.strictEqual(taken(kind), "eq,in,not_in")
    assert.strictEqual(taken("boolean"), "eq")
  })

  it("reads field=x as field[eq]=x", () =>
    forEvery(field, fc.nat(), (name, pick) => {
      const options = values[name] ?? []
      const [text] = options[pick % options.length] ?? assert.fail()
      assert.deepStrictEqual(parsed([[name, text]]), parsed([[`${name}[eq]`, text]]))
    }))

  it("reads in and not_in as lists separated by commas", () => {
    for (const operator of ["in", "not_in"] as const) {
      for (const name of fields.filter((each) => each !== "ready")) {
        const options = values[name] ?? []
        const query = parsed([[`${name}[${operator}]`, options.map(([text]) => text).join()]])
        assert.deepInclude(query.conditions[0], { operator, values: options.map(([, value]) => value) })
        assert.deepStrictEqual(query.sent.filters, { [name]: { [operator]: options.map(([text]) => text) } })
      }
    }
  })

  it("compares each column as what it holds", () => {
    const held = { label: "text", colour: "text", size: "integer", ready: "boolean", made_at: "timestamp" } as const
    for (const [column, type] of Object.entries(held)) {
      for (const [text] of values[column] ?? []) {
        assert.deepInclude(parsed([[column, text]]).conditions[0], { column, type })
      }
    }
  })

  it("compares a bare day with the day's column and an instant with the instant's", () => {
    assert.deepStrictEqual(parsed([["given[gte]", "2026-01-02"]]).conditions, [
      { column: "given_on", type: "date", operator: "gte", values: ["2026-01-02"] }
    ])
    assert.deepStrictEqual(parsed([["given[lt]", "2026-01-02T00:00:00Z"]]).conditions, [
      { column: "given_at", type: "timestamp", operator: "lt", values: [Date.UTC(2026, 0, 2)] }
    ])
    assertInvalid([["given[in]", "2026-01-02,2026-01-02T00:00:00Z"]], "given[in]")
  })

  it("repeats what was sent, as it was sent, and nothing else", () => {
    const { sent } = parsed([
      ["made_at[gte]", "2026-01-02"],
      ["made_at[lt]", "2026-01-02T03:04:05.678+10:00"],
      ["label", "a"],
      ["label[in]", "a,b"],
      ["search", "two  words"],
      ["segment", "lapsed"],
      ["sort", "-label"]
    ])
    assert.deepStrictEqual(sent, {
      search: "two  words",
      segment: "lapsed",
      sort: "-label",
      filters: {
        made_at: { gte: "2026-01-02", lt: "2026-01-02T03:04:05.678+10:00" },
        label: { eq: "a", in: ["a", "b"] }
      }
    })
  })

  it("reads limit, cursor, archived, search, segment and sort", () => {
    const query = parsed([
      ["limit", "100"],
      ["starting_after", "dnr_1"],
      ["archived", "true"],
      ["search", "mary smith"],
      ["sort", "label"]
    ])
    assert.deepInclude(query, { limit: 100, starting_after: "dnr_1", archived: true, words: ["mary", "smith"] })
    assert.deepStrictEqual(query.sort, { column: "label_key", descending: false })
    assert.deepStrictEqual(parsed([["sort", "-created_at"]]).sort, { column: "created_at", descending: true })
  })

  it("takes a limit from 1 to 100", () => {
    for (let limit = 1; limit <= 100; limit++) assert.strictEqual(parsed([["limit", String(limit)]]).limit, limit)
    for (const limit of ["0", "-1", "101", "99999999999999999999"]) {
      assertInvalid([["limit", limit]], "limit")
      assert.strictEqual(rejection([["limit", limit]], spec).message, "limit must be from 1 to 100.")
    }
    for (const limit of ["abc", "", "1.5", "1e1", "0x10", " 1", "+1"]) assertMalformed([["limit", limit]])
  })

  it("reads the list's own true and false parameters, or takes their defaults", () => {
    const flag = fc.record({ default: fc.boolean(), description: fc.constant("shown") })
    const sent = fc.option(fc.boolean(), { nil: undefined })
    forEvery(flag, flag, sent, sent, (notes, totals, first, second) => {
      const list: ListSpec = { filters: {}, flags: { notes, totals } }
      const entries = Object.entries({ notes: first, totals: second })
        .filter(([, value]) => value !== undefined)
        .map(([name, value]): Entry => [name, String(value)])
      const flags = { notes: first ?? notes.default, totals: second ?? totals.default }
      assert.deepStrictEqual(parsed(entries, list).flags, flags)
      assertMalformed([["notes", "yes"]], list)
    })
  })

  it("reads on over the records of one parent", () => {
    const query = parsed([["size[gt]", "3"]])
    const children = within(query, "donor_id", "dnr_1")
    const parent: Condition = { column: "donor_id", type: "text", operator: "eq", values: ["dnr_1"] }
    assert.deepStrictEqual(children, { ...query, conditions: [...query.conditions, parent] })
  })

  it("holds a list's default until its filter is given", () => {
    const statuses = (entries: ReadonlyArray<Entry>) =>
      parsed(entries, Donation.listing)
        .conditions.filter(({ column }) => column === "status")
        .map(({ operator, values }) => ({ operator, values }))
    assert.deepStrictEqual(statuses([]), [{ operator: "eq", values: ["CONFIRMED"] }])
    assert.deepStrictEqual(statuses([["status", "FAILED"]]), [{ operator: "eq", values: ["FAILED"] }])
    assert.deepStrictEqual(statuses([["status[in]", "PENDING,FAILED"]]), [
      { operator: "in", values: ["PENDING", "FAILED"] }
    ])
    assert.deepStrictEqual(parsed([], Donation.listing).sent.filters, {})
    assertInvalid([["status", "ALL"]], "status", Donation.listing)
  })

  it("folds what it compares, and repeats it unfolded", () => {
    const query = parsed([["email", " Mary@X.org "]], Donor.listing)
    assert.deepInclude(query.conditions[0], { column: "email_key", values: ["mary@x.org"] })
    assert.deepStrictEqual(query.sent.filters, { email: { eq: " Mary@X.org " } })
  })
})

describe("a malformed query", () => {
  it("names what the list does not have", () => {
    const names = ["", ..."nope __proto__ constructor toString hasOwnProperty label[ label] [eq] Label".split(" ")]
    for (const name of names) assertMalformed([[name, "RED"]])
    for (const operator of ["", "ne", "EQ", "constructor", "__proto__", "eq][in"]) {
      assertMalformed([[`colour[${operator}]`, "RED"]])
    }
    const closed: ListSpec = { filters: {} }
    for (const name of ["archived", "search", "segment", "sort"]) assertMalformed([[name, "true"]], closed)
  })

  it("that names what the list has not is told so, and what the list has", () => {
    const flagged: ListSpec = { ...spec, flags: { full: { default: false, description: "Full" } } }
    const plain = ["limit", "starting_after", "archived", "search", "segment", "sort", "full"]
    const name = fc.oneof(
      fc.stringMatching(/^[a-z]{7,12}$/),
      fc.integer({ min: 250, max: 260 }).map((n) => "x".repeat(n))
    )
    forEvery(name, (unknown) => {
      fc.pre(!plain.includes(unknown) && !fields.includes(unknown))
      const [, told, known] =
        /^(.*) is not a filter of this list\. It takes (.*)\.$/.exec(rejection([[unknown, "x"]], flagged).message) ?? []
      assert.strictEqual(told, unknown.length > 255 ? "This" : unknown)
      assert.sameMembers(known?.split(", ") ?? [], [...plain, ...fields])
    })
  })

  it("names anything else, whatever the text", () =>
    forEvery(fc.string({ unit: character }), fc.string({ unit: character }), (name, text) => {
      fc.pre(!fields.includes(name.split("[")[0] ?? ""))
      fc.pre(!["limit", "starting_after", "archived", "search", "segment", "sort"].includes(name))
      assertMalformed([[name, text]])
    }))

  it("gives a name or an operator twice, be the values good or bad", () => {
    for (const text of ["RED", "BLACK"]) {
      assertMalformed([
        ["colour", text],
        ["colour[eq]", "RED"]
      ])
      assertMalformed([
        ["colour[in]", "RED"],
        ["colour[in]", text]
      ])
    }
    assertMalformed([
      ["limit", "5"],
      ["limit", "5"]
    ])
    assertMalformed([
      ["search", "a\0"],
      ["search", "b"]
    ])
  })

  it("gives a number or a boolean that cannot be read", () => {
    for (const [name, text] of Object.entries(undecodable)) assertMalformed([[name, text]])
    for (const text of ["1.0", "1e3", "", "NaN", "0x1", "1,2"]) assertMalformed([["size", text]])
    for (const texts of ["1,,2", "99999999999999999999,x", "x,99999999999999999999"])
      assertMalformed([["size[in]", texts]])
    assertMalformed([["archived", "1"]])
  })

  it("is answered before a bad value, wherever the two stand", () => {
    const invalid: ReadonlyArray<Entry> = [...Object.entries(bad), ["limit", "0"], ["sort", "nope"], ["label", "\0"]]
    const malformed: ReadonlyArray<Entry> = [
      ...Object.entries(undecodable),
      ["nope", "1"],
      ["archived", "1"],
      ["x", "\0"]
    ]
    forEvery(
      fc.subarray([...invalid], { minLength: 1 }),
      fc.constantFrom(...malformed),
      fc.nat(),
      (bads, worse, position) => assertMalformed(bads.toSpliced(position % (bads.length + 1), 0, worse))
    )
  })
})

describe("a bad value", () => {
  it("is invalid under the name that was sent", () => {
    for (const [name, text] of Object.entries(bad)) {
      for (const operator of operatorsOf(spec.filters[name] ?? assert.fail())) {
        assertInvalid([[`${name}[${operator}]`, text]], `${name}[${operator}]`)
      }
      assertInvalid([[name, text]], name)
    }
    assertInvalid(
      [
        ["size[gt]", "99999999999999999"],
        ["limit", "0"]
      ],
      "size[gt]"
    )
    for (const sort of ["nope", "--label", "", "-", "constructor"]) assertInvalid([["sort", sort]], "sort")
  })

  it("is any text that cannot be stored", () => {
    for (const text of ["\0", "a\0b", "\ud800", "\udc00\ud800"]) {
      for (const name of ["label", "label[in]", "search", "segment", "starting_after"])
        assertInvalid([[name, text]], name)
    }
  })
})

describe("a condition", () => {
  const condition = (operator: Condition["operator"], ...compared: ReadonlyArray<number>): Condition => ({
    column: "size",
    type: "integer",
    operator,
    values: compared
  })

  it("orders days as the calendar does", () => {
    const day = fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
    const written = (date: Date) => date.toISOString().slice(0, 10)
    forEvery(day, day, (one, other) => {
      const before: Condition = { column: "given_on", type: "date", operator: "lt", values: [written(other)] }
      const [first, second] = [one, other].map((each) => Math.floor(each.getTime() / 86_400_000))
      assert.strictEqual(passes(before, written(one)), (first ?? 0) < (second ?? 0))
    })
  })

  it("without a value to compare with is passed only for not_in", () => {
    for (const operator of operators) assert.strictEqual(passes(condition(operator), 1), operator === "not_in")
  })
})

describe("a status that time changes", () => {
  const statuses = ["OPEN", "HELD", "CLOSED", "EXPIRED"]
  const { every, hasPassed, lacks } = rulesOf<{ readonly expires_at: DateTime.Utc; readonly paid_by: string | null }>()
  const status = (unless: boolean): ListSpec => {
    const isOver = hasPassed("expires_at")
    const when = unless ? every(isOver, lacks("paid_by")) : isOver
    const expiry = { from: ["OPEN", "HELD"], to: "EXPIRED", when }
    return { filters: { status: { ...dimension("enum"), values: statuses, expires: expiry } } }
  }
  const instant = fc.integer({ min: 1, max: 4 })
  const record = fc.record({
    status: fc.constantFrom(...statuses),
    expires_at: fc.option(instant),
    paid_by: fc.option(fc.constant("don_1"))
  })

  /** The statuses whose lists hold the record, as a query reads once it was told the time, or before. */
  const listedUnder = (list: ListSpec, columns: Readonly<Record<string, Scalar | null>>, now?: number) =>
    statuses.filter((each) => {
      const query = parsed([["status", each]], list)
      const { conditions } = now === undefined ? query : asOf(query, DateTime.makeUnsafe(now))
      return conditions.every((condition) =>
        passes(
          condition,
          comparedValue(condition, (name) => columns[name] ?? null)
        )
      )
    })

  it("is another one from its instant on, unless something keeps it", () =>
    forEveryWith({ numRuns: 300 }, record, instant, fc.boolean(), (columns, now, unless) => {
      const isOver = columns.expires_at !== null && now >= columns.expires_at
      const isKept = unless && columns.paid_by !== null
      const isExpired = ["OPEN", "HELD"].includes(columns.status) && isOver && !isKept
      assert.deepStrictEqual(listedUnder(status(unless), columns, now), [isExpired ? "EXPIRED" : columns.status])
    }))

  it("is as written until the query is told the time", () =>
    forEvery(record, fc.boolean(), (columns, unless) => {
      assert.deepStrictEqual(listedUnder(status(unless), columns), [columns.status])
    }))

  it("is the only thing that time changes", () => {
    const query = parsed([["label", "a"]])
    assert.deepStrictEqual(asOf(query, DateTime.makeUnsafe(4)), query)
    for (const condition of query.conditions)
      assert.strictEqual(
        comparedValue(condition, (name) => name),
        "label"
      )
  })
})
