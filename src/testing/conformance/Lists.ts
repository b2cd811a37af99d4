import { DateTime, Effect, Predicate, type Scope } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import {
  type Condition,
  type Dimension,
  type ListQuery,
  type ListSpec,
  operatorsOf,
  type Page,
  passes,
  type Scalar
} from "../../domain/kernel/Listing.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { assert } from "./Assert.ts"
import { idsOf, queryOf } from "./Records.ts"
import { assertRefused, type Check, lawsOf, same } from "./Suite.ts"

const { must, property } = lawsOf(Effect.void)

/** A list under test. `A` is the type of its items. */
export interface ListSubject<A extends { readonly id: string }, Draft, R> {
  readonly name: string
  readonly spec: ListSpec
  /** Records before they belong to an organisation; values that are filtered and sorted by should often be equal. */
  readonly draft: fc.Arbitrary<Draft>
  /** Makes a record of the draft, with an id of its own, and stores it until its case ends or for good. */
  readonly store: (
    organisation_id: OrganisationId,
    drafted: Draft,
    index: number
  ) => Effect.Effect<A, never, R | Scope.Scope>
  readonly list: (
    organisation_id: OrganisationId,
    query: ListQuery
  ) => Effect.Effect<Page<{ readonly id: string }>, InvalidInput, R>
  /** The columns that are filtered and sorted by. */
  readonly columns: (record: A) => object
  /** The interface of the port whose `list` it is; `RecordReader` when not given. */
  readonly port?: "DeliveryStore" | "MailOutbox" | "Outbox"
  readonly hidden?: (record: A) => boolean
  /** The item of the list that shows the record: itself when not given. */
  readonly shown?: (record: A) => { readonly id: string }
  readonly words?: (record: A) => ReadonlyArray<string>
}

/** The choices that a query is made of once the records are known. */
interface Plan {
  readonly conditions: ReadonlyArray<number>
  readonly value: number
  readonly sort: number
  readonly descending: boolean
  readonly archived: boolean
  readonly word: number | null
  readonly limit: number
}

const plans: fc.Arbitrary<Plan> = fc.record({
  conditions: fc.array(fc.nat(), { maxLength: 2 }),
  value: fc.nat(),
  sort: fc.nat(),
  descending: fc.boolean(),
  archived: fc.boolean(),
  word: fc.option(fc.nat()),
  limit: fc.integer({ min: 1, max: 4 })
})

const pick = <A>(values: ReadonlyArray<A>, index: number): A | undefined => values[index % values.length]

const valueOf = (columns: object, name: string): Scalar | null => {
  const value: unknown = new Map<string, unknown>(Object.entries(columns)).get(name)
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value
  return DateTime.isDateTime(value) ? DateTime.toEpochMillis(value) : null
}

const types = { text: "text", enum: "text", integer: "integer", boolean: "boolean", timestamp: "timestamp" } as const

const columnOf = (field: string, dimension: Dimension, byDay: boolean): Pick<Condition, "column" | "type"> => {
  if (dimension.kind !== "day") return { column: dimension.column ?? field, type: types[dimension.kind] }
  return byDay
    ? { column: dimension.dayColumn ?? field, type: "date" }
    : { column: dimension.column ?? field, type: "timestamp" }
}

/** Each filter with each of its operators, on values that the records have: this one, and the next one. */
const eachCondition = (spec: ListSpec, rows: ReadonlyArray<object>, value = 0): ReadonlyArray<Condition> =>
  Object.entries(spec.filters).flatMap(([field, dimension]) =>
    (dimension.kind === "day" ? [true, false] : [false]).flatMap((byDay) => {
      const { column, type } = columnOf(field, dimension, byDay)
      const present = [...new Set(rows.map((row) => valueOf(row, column)).filter((each) => each !== null))]
      const picked = [value, value + 1].flatMap((index) => pick(present, index) ?? [])
      if (picked.length === 0) return []
      return operatorsOf(dimension).map((operator): Condition => {
        const isList = operator === "in" || operator === "not_in"
        return { column, type, operator, values: isList ? picked : picked.slice(0, 1) }
      })
    })
  )

const queryFor = <A extends { readonly id: string }, D, R>(
  subject: ListSubject<A, D, R>,
  records: ReadonlyArray<A>,
  plan: Plan
): ListQuery => {
  const conditions = eachCondition(subject.spec, records.map(subject.columns), plan.value)
  const words = records.flatMap((record) => subject.words?.(record) ?? [])
  const word = plan.word === null ? undefined : pick(words, plan.word)
  const column = pick(["created_at", ...Object.values(subject.spec.sorts ?? {})], plan.sort) ?? "created_at"
  return queryOf({
    limit: plan.limit,
    archived: subject.spec.archivable === true && plan.archived,
    conditions: plan.conditions.flatMap((index) => pick(conditions, index) ?? []),
    words: word === undefined ? [] : [Array.from(word).slice(0, 2).join("")],
    sort: { column, descending: plan.descending }
  })
}

const compare = (a: Scalar | null, b: Scalar | null): number =>
  typeof a === "string" && typeof b === "string" ? compareCodePoints(a, b) : Number(a) - Number(b)

const inOrder =
  <A extends { readonly id: string }, D, R>(subject: ListSubject<A, D, R>, { sort }: ListQuery) =>
  (a: A, b: A): number => {
    const upward =
      compare(valueOf(subject.columns(a), sort.column), valueOf(subject.columns(b), sort.column)) ||
      compareCodePoints(a.id, b.id)
    return sort.descending ? -upward : upward
  }

const isArchived = <A extends { readonly id: string }, D, R>({ columns, spec }: ListSubject<A, D, R>, record: A) =>
  spec.archivable === true && valueOf(columns(record), "archived_at") !== null

/** The whole list in plain code: the filters of `domain/kernel/Listing`, and the order. */
const expected = <A extends { readonly id: string }, D, R>(
  subject: ListSubject<A, D, R>,
  records: ReadonlyArray<A>,
  query: ListQuery
): ReadonlyArray<A> =>
  records
    .filter(
      (record) =>
        subject.hidden?.(record) !== true &&
        (query.archived || !isArchived(subject, record)) &&
        query.words.every((wanted) => subject.words?.(record).some((word) => word.startsWith(wanted)) === true) &&
        query.conditions.every((condition) => passes(condition, valueOf(subject.columns(record), condition.column)))
    )
    .toSorted(inOrder(subject, query))

/** Orders in which changes move records, each with the filter of the same time. */
const movingOrders = new Map([
  ["updated_at", "updated_at"],
  ["due_key", "due_at"]
])

/** Whether the list is sorted by a time that changes move, and filtered by such times that the record is not within. */
const hasLeft = <A extends { readonly id: string }, D, R>(
  subject: ListSubject<A, D, R>,
  { conditions, sort }: ListQuery,
  record: A
): boolean =>
  conditions.some(
    (condition) =>
      condition.column === movingOrders.get(sort.column) &&
      !passes(condition, valueOf(subject.columns(record), condition.column))
  )

/** The item of the list that shows a record, field by field. */
const itemOf =
  <A extends { readonly id: string }, D, R>({ shown }: ListSubject<A, D, R>) =>
  (record: A): { readonly id: string } =>
    shown?.(record) ?? record

const walk = Effect.fnUntraced(function* <A extends { readonly id: string }, D, R>(
  subject: ListSubject<A, D, R>,
  organisation_id: OrganisationId,
  query: ListQuery,
  between: Effect.Effect<void, never, R | Scope.Scope>
) {
  const seen: Array<{ readonly id: string }> = []
  let starting_after = query.starting_after
  for (;;) {
    const page = yield* subject.list(organisation_id, { ...query, starting_after })
    assert.isAtMost(page.data.length, query.limit)
    if (starting_after !== query.starting_after) assert.isNotEmpty(page.data, "has_more was said of a list that ended")
    seen.push(...page.data)
    assert.lengthOf(new Set(idsOf(seen)), seen.length, "a record came twice")
    const last = page.data.at(-1)
    if (!page.has_more || last === undefined) return seen
    assert.lengthOf(page.data, query.limit)
    starting_after = last.id
    yield* between
  }
})

const listed = ({ port = "RecordReader" }: { readonly port?: string }): ReadonlyArray<string> => [
  `${port}.list MUST answer as domain/kernel/Listing defines`
]

const isolated = ({ port }: { readonly port?: string }): ReadonlyArray<string> =>
  port === undefined ? ["RecordReader MUST see the named organisation's records only"] : []

/** The records of these drafts, stored. */
const storeAll = Effect.fnUntraced(function* <A extends { readonly id: string }, D, R>(
  subject: ListSubject<A, D, R>,
  organisation_id: OrganisationId,
  drafts: ReadonlyArray<D>
) {
  return yield* Effect.forEach(drafts, (draft, index) => subject.store(organisation_id, draft, index))
})

const walks = <A extends { readonly id: string }, D, R>(
  subject: ListSubject<A, D, R>,
  runs: number
): ReadonlyArray<Check<R | OrganisationStore>> => [
  property(
    `${subject.name}: a walk yields what filtering and sorting in plain code yields, whoever comes meanwhile, and no other organisation's`,
    [...listed(subject), ...isolated(subject)],
    // As often with others that come as without any.
    2 * runs,
    fc.tuple(fc.array(subject.draft, { maxLength: 9 }), plans, fc.array(subject.draft, { maxLength: 3 }), fc.boolean()),
    function* ([given, plan, late, isAlone], { id, other }) {
      const records = yield* storeAll(subject, id, given)
      yield* storeAll(subject, other, given)
      const query = queryFor(subject, records, plan)
      const left = isAlone ? [] : [...late]
      const added = new Set<string>()
      const between = Effect.suspend(() => {
        const draft = left.shift()
        if (draft === undefined) return Effect.void
        return Effect.map(subject.store(id, draft, given.length + added.size), (record) => void added.add(record.id))
      })
      const seen = yield* walk(subject, id, query, between)
      const stayed = seen.filter((each) => !added.has(each.id))
      same(stayed, expected(subject, records, query).map(itemOf(subject)))
    }
  )
]

/** What a value has somewhere: which fields are null, which are not, and what is true or false. */
const traitsOf = (value: unknown, path = ""): ReadonlyArray<string> =>
  Predicate.isObject(value) && !DateTime.isDateTime(value)
    ? Object.entries(value).flatMap(([field, each]) => traitsOf(each, `${path}.${field}`))
    : [`${path} ${typeof value === "boolean" ? value : value === null}`]

/** Drafts that have together whatever one of many has, and at least nine. */
const variedDrafts = <D>(draft: fc.Arbitrary<D>): ReadonlyArray<D> => {
  const seen = new Set<string>()
  return fc.sample(draft, 60).filter((each, index) => {
    const traits = traitsOf(each)
    const isNew = traits.some((trait) => !seen.has(trait))
    for (const trait of traits) seen.add(trait)
    return index < 9 || isNew
  })
}

/** Each filter, as its operator says: alone, beside the next one, and after a record that it leaves out. */
const filters = <A extends { readonly id: string }, D, R>(
  subject: ListSubject<A, D, R>
): ReadonlyArray<Check<R | OrganisationStore>> => {
  let drafts: ReadonlyArray<D> | undefined
  return [
    must(
      `${subject.name}: each filter leaves out what its operator says, alone, beside another, and after a record left out`,
      listed(subject),
      function* ({ id }) {
        drafts ??= variedDrafts(subject.draft)
        const records = yield* storeAll(subject, id, drafts)
        const conditions = eachCondition(subject.spec, records.map(subject.columns))
        const asked = { limit: 100, archived: subject.spec.archivable === true }
        const whole = queryOf(asked)
        same((yield* subject.list(id, whole)).data, expected(subject, records, whole).map(itemOf(subject)))
        for (const [index, condition] of conditions.entries()) {
          const both = queryOf({ ...asked, conditions: [condition, pick(conditions, index + 1) ?? condition] })
          same((yield* subject.list(id, both)).data, expected(subject, records, both).map(itemOf(subject)))
          const alone = queryOf({ ...asked, conditions: [condition] })
          const passing = expected(subject, records, alone)
          const cursor = records.find((record) => !passing.includes(record))
          const order = inOrder(subject, alone)
          const after = cursor === undefined ? passing : passing.filter((record) => order(record, cursor) > 0)
          const { data } = yield* subject.list(id, { ...alone, starting_after: cursor?.id ?? null })
          same(data, after.map(itemOf(subject)))
        }
      }
    )
  ]
}

const cursors = <A extends { readonly id: string }, D, R>(
  subject: ListSubject<A, D, R>,
  runs: number
): ReadonlyArray<Check<R | OrganisationStore>> => [
  property(
    `${subject.name}: any record of the organisation is a cursor, but by a time that moves it one that its own filter has left`,
    listed(subject),
    runs,
    fc.tuple(fc.array(subject.draft, { minLength: 1, maxLength: 9 }), plans, fc.nat()),
    function* ([given, plan, index], { id }) {
      const records = yield* storeAll(subject, id, given)
      const cursor = pick(records, index)
      if (cursor === undefined) return
      const query = { ...queryFor(subject, records, plan), starting_after: cursor.id, limit: 100 }
      const asked = subject.list(id, query)
      if (hasLeft(subject, query, cursor)) {
        yield* assertRefused(asked, { _tag: "InvalidInput", param: "starting_after" })
      } else {
        const order = inOrder(subject, query)
        const after = expected(subject, records, query).filter((record) => order(record, cursor) > 0)
        same((yield* asked).data, after.map(itemOf(subject)))
      }
    }
  ),

  must(
    `${subject.name}: a page holds as many as are asked for, says whether more follow, and tells archived ones apart`,
    listed(subject),
    function* ({ id }) {
      const records: Array<A> = []
      const isArchivable = subject.spec.archivable === true
      const told = (archived: boolean) => expected(subject, records, queryOf({ archived })).length
      for (const draft of fc.sample(subject.draft, { numRuns: 30, seed: 1 })) {
        if (told(false) > 1 && (!isArchivable || told(true) > told(false))) break
        records.push(yield* subject.store(id, draft, records.length))
      }
      for (const [limit, archived] of [
        [1, false],
        [100, isArchivable],
        [100, false]
      ] as const) {
        const query = queryOf({ limit, archived })
        const all = expected(subject, records, query)
        const { data, has_more } = yield* subject.list(id, query)
        same([data, has_more], [all.slice(0, limit).map(itemOf(subject)), all.length > limit])
      }
    }
  ),

  must(
    `${subject.name}: an unknown cursor and another organisation's are refused`,
    [...listed(subject), ...isolated(subject)],
    function* ({ id, other }) {
      const [draft] = fc.sample(subject.draft, 1)
      if (draft === undefined) return
      const foreign = yield* subject.store(other, draft, 0)
      for (const starting_after of [foreign.id, "nothing", `${foreign.id.slice(0, -1)}_`]) {
        const list = subject.list(id, queryOf({ starting_after }))
        yield* assertRefused(list, { _tag: "InvalidInput", param: "starting_after" })
      }
    }
  )
]

/** The laws of every list of records. */
export const lists = <A extends { readonly id: string }, D, R>(
  subject: ListSubject<A, D, R>,
  runs: number
): ReadonlyArray<Check<R | OrganisationStore>> => [
  ...walks(subject, runs),
  ...filters(subject),
  ...cursors(subject, runs)
]
