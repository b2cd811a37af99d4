import { Effect, Equal, Option, type Schema, type Scope } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { ListQuery, ListSpec, Page } from "../../domain/kernel/Listing.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import type { RecordStore } from "../../ports/kernel/RecordStore.ts"
import { atBounds } from "../Bounds.ts"
import { lists } from "./Lists.ts"
import { at, idsOf, newOrganisation } from "./Records.ts"
import {
  assertRefused,
  type Check,
  inTransaction,
  type Laws,
  lawsOf,
  none,
  plain,
  runsOf,
  type Setting,
  same,
  suite,
  type Thoroughness,
  transactionOf
} from "./Suite.ts"

/** A field that no two records of an organisation have alike. */
interface UniqueField<A> {
  readonly field: keyof A & string
  /** The sentence of the port that promises it. */
  readonly must: string
  /** The field with a value, and others that the record must have for it to count. */
  readonly value: Partial<A>
  /** The fields within which it is used once; the whole organisation when not given. */
  readonly within?: (record: A) => Partial<A>
}

/** The store, and how a record that is not stored yet becomes one of an organisation. */
interface Kept<A extends StoredRecord, P, Q> {
  readonly name: string
  readonly port: Effect.Effect<KeptIn<A>, never, P>
  readonly arbitrary: fc.Arbitrary<A>
  readonly make: (organisation_id: OrganisationId, draft: A) => Effect.Effect<A, never, Q | Scope.Scope>
}

/** The check that a field is used once. */
const uniqueField = <A extends StoredRecord, P, Q>(
  { arbitrary, make, name, port }: Kept<A, P, Q>,
  { field, must: sentence, value, within }: UniqueField<A>
) =>
  lawsOf(rewriting(port)).property(
    `${name}: ${field} is used once, and a refusal is no defect: the transaction around it goes on`,
    [sentence],
    3,
    fc.tuple(arbitrary, arbitrary),
    function* ([first, second], { store, id, other }) {
      const holder: A = { ...(yield* make(id, first)), ...value }
      yield* Effect.orDie(store.insert(holder))
      const clashing = (record: A): A => ({ ...record, ...within?.(holder), ...value })
      const isRefused = (write: Effect.Effect<unknown, unknown>) =>
        Effect.catch(Effect.flip(write), () => Effect.die(new Error(`${field} was used twice`))).pipe(
          Effect.flatMap((failure) =>
            assertRefused(Effect.fail(Object(failure)), { _tag: "AlreadyTaken", field, holder_id: holder.id })
          )
        )
      const [rival, next] = [clashing(yield* make(id, second)), yield* make(id, second)]
      yield* transactionOf(function* () {
        yield* isRefused(store.insert(rival))
        yield* Effect.orDie(store.insert(next))
        yield* isRefused(store.update(clashing(next)))
      })
      none(yield* store.findForUpdate(id, rival.id))
      same(yield* store.findForUpdate(id, next.id), Option.some(next))
      const changed: A = { ...(yield* make(id, second)), ...within?.(holder), ...value, id: holder.id }
      yield* Effect.orDie(store.update(changed))
      same(yield* store.findForUpdate(id, holder.id), Option.some(changed))
      // Beside the holder another value is free, and the value is, where the holder is not.
      yield* Effect.orDie(store.update({ ...next, ...within?.(holder) }))
      const apart: A = { ...(yield* make(id, first)), ...value }
      if (within !== undefined && !Equal.equals(within(apart), within(holder))) {
        yield* Effect.orDie(store.insert(apart))
      }
      const elsewhere: A = { ...(yield* make(other, first)), ...value }
      yield* Effect.orDie(store.insert(elsewhere))
      const { id: third } = yield* newOrganisation()
      const [one, ...more] = yield* Effect.forEach([1, 2, 3, 4, 5], () => make(third, second))
      if (one === undefined) return
      // Of many at the same moment one has it, and all are told which.
      const holderOf = (record: A) =>
        Effect.match(inTransaction(store.insert(record)), {
          onFailure: (failure): unknown => Reflect.get(Object(failure), "holder_id"),
          onSuccess: () => record.id
        })
      const all = [one, ...more].map((record): A => ({ ...record, ...within?.(one), ...value }))
      const told = new Set(yield* Effect.forEach(all, holderOf, { concurrency: "unbounded" }))
      const kept = yield* Effect.filter(all, ({ id: each }) =>
        Effect.map(store.findForUpdate(third, each), Option.isSome)
      )
      same([...told], idsOf(kept))
    }
  )

/** The fields of every record. */
export interface StoredRecord {
  readonly id: string
  readonly organisation_id: OrganisationId
}

/** The methods of a store of records, of which one that only appends, or that is read in another way, has some. */
export interface KeptIn<A extends StoredRecord> {
  insert(record: A): Effect.Effect<unknown, unknown>
  update?(record: A): Effect.Effect<void, unknown>
  find?(organisation_id: OrganisationId, id: A["id"]): Effect.Effect<Option.Option<object>>
  findForUpdate?(organisation_id: OrganisationId, id: A["id"]): Effect.Effect<Option.Option<A>>
  list?(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<{ readonly id: string }>, InvalidInput>
}

export interface KeptBy<A extends StoredRecord>
  extends Pick<RecordStore<A, A["id"], unknown>, "find" | "findForUpdate" | "insert" | "update"> {
  list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<{ readonly id: string }>, InvalidInput>
}

const lacking = () => Effect.die(new Error("The store has no method for what its records are said to do."))

/** The store of records that are held and updated. */
const rewriting = <A extends StoredRecord, P>(port: Effect.Effect<KeptIn<A>, never, P>) =>
  Effect.map(port, ({ findForUpdate = lacking, insert, update = lacking }) => ({ findForUpdate, insert, update }))

/** The list of a store of records. Each record is filtered and sorted by its own fields when not said otherwise. */
interface RecordList<A> {
  readonly spec: ListSpec
  /** The interface of the port whose `list` it is; `RecordReader` when not given. */
  readonly port?: "DeliveryStore" | "MailOutbox" | "Outbox"
  /** Fields of the records, of few values each, so that several have the same. */
  readonly few?: fc.Arbitrary<Partial<A>>
  readonly columns?: (record: A) => object
  /** The item of the list that shows the record. */
  readonly shown?: (record: A) => { readonly id: string }
  /** Whether the list leaves the record out, whatever is asked. */
  readonly hidden?: (record: A) => boolean
  readonly words?: (record: A) => ReadonlyArray<string>
}

/** A store of records under test. `P` is its port, `Q` what its records need, and `R` what else is read. */
export interface RecordSubject<A extends StoredRecord, P, Q, R> extends Thoroughness {
  /** The records, in the plural. */
  readonly name: string
  readonly port: Effect.Effect<KeptIn<NoInfer<A>>, never, P>
  readonly arbitrary: fc.Arbitrary<A>
  /** The records' schema, by which some are as large as they may be. */
  readonly schema?: Schema.Schema<A>
  /** An id that nothing has yet. */
  readonly fresh: Effect.Effect<NoInfer<A>["id"]>
  /**
   * Stores what a record of the organisation refers to. Answers the fields that name it, and those that no two records
   * may share.
   */
  readonly parents?: (organisation_id: OrganisationId, record: A) => Effect.Effect<Partial<A>, unknown, Q | Scope.Scope>
  /** Records that are written once, and never again. */
  readonly appended?: true
  /** The sentences of the port that are proved by how its records are read. */
  readonly must?: ReadonlyArray<string>
  /** What is found of a record by its id: itself when not given. */
  readonly found?: (record: A) => object
  /** The fields of a record that is handed out to nobody. */
  readonly idle?: Partial<NoInfer<A>>
  /** Whether the record is found for an update alone. */
  readonly hidden?: (record: A) => boolean
  /** Asserts what else the store answers of a record that it keeps, and to another organisation. */
  readonly answers?: (record: A, other: OrganisationId) => Effect.Effect<void, unknown, R>
  readonly unique?: ReadonlyArray<UniqueField<A>>
  readonly list?: RecordList<A>
}

const writesAll = "RecordStore.update MUST write all fields of the record that has the same organisation and id"

/** The drafted record as one of the organisation. */
const recordOf = <A extends StoredRecord, P, Q, R>(
  { fresh, idle, parents }: RecordSubject<A, P, Q, R>,
  organisation_id: OrganisationId,
  drafted: A
): Effect.Effect<A, never, Q | Scope.Scope> =>
  Effect.gen(function* () {
    const own = parents === undefined ? {} : yield* Effect.orDie(parents(organisation_id, drafted))
    return { ...drafted, id: yield* fresh, organisation_id, ...own, ...idle }
  })

const storedRecord = <A extends StoredRecord, P, Q, R>(
  subject: RecordSubject<A, P, Q, R>,
  organisation_id: OrganisationId,
  drafted: A
): Effect.Effect<A, never, P | Q | Scope.Scope> =>
  Effect.tap(recordOf(subject, organisation_id, drafted), (record) =>
    Effect.flatMap(subject.port, (store) => Effect.orDie(store.insert(record)))
  )

/** A record, and what becomes of it. */
const drafts = <A extends StoredRecord, P, Q, R>({ arbitrary, schema }: RecordSubject<A, P, Q, R>) => {
  const records = schema === undefined ? arbitrary : atBounds(schema, arbitrary)
  return fc.tuple(records, records)
}

const isRead = <A extends StoredRecord, P, Q, R>(subject: RecordSubject<A, P, Q, R>) =>
  lawsOf(subject.port).property(
    `${subject.name} are read back as they were written, ${subject.appended ? "" : "and after an update, "}by their own organisation only`,
    [
      ...(subject.appended ? [] : [writesAll]),
      ...(subject.list?.port === undefined ? ["RecordReader MUST see the named organisation's records only"] : []),
      ...(subject.must ?? [])
    ],
    runsOf(subject),
    drafts(subject),
    function* ([first, second], { store: { find, findForUpdate, update }, id, other }) {
      const isNow = Effect.fnUntraced(function* (organisation_id: OrganisationId, record_id: A["id"], record?: A) {
        if (findForUpdate !== undefined) {
          same(yield* findForUpdate(organisation_id, record_id), Option.fromUndefinedOr(record))
        }
        if (find === undefined) return
        const shown = record === undefined || subject.hidden?.(record) === true ? undefined : record
        same(
          yield* find(organisation_id, record_id),
          Option.map(Option.fromUndefinedOr(shown), (each): object => subject.found?.(each) ?? each)
        )
      })
      const isKept = Effect.fnUntraced(function* (record: A) {
        yield* isNow(id, record.id, record)
        yield* isNow(other, record.id)
        yield* subject.answers?.(record, other) ?? Effect.void
      })
      const { idle = {}, ...busy } = subject
      const record = yield* storedRecord(busy, id, first)
      const bystander = yield* storedRecord(busy, id, first)
      yield* isKept(record)
      if (update !== undefined) {
        const changed = { ...(yield* recordOf(busy, id, second)), id: record.id }
        yield* Effect.orDie(update({ ...changed, organisation_id: other }))
        yield* isKept(record)
        yield* Effect.orDie(update(changed))
        yield* isKept(changed)
        yield* isKept(bystander)
        for (const each of [changed, bystander]) yield* Effect.orDie(update({ ...each, ...idle }))
      }
      yield* isNow(id, yield* subject.fresh)
    }
  )

/** A record, and what each of eight makes of it at the same moment. */
const versionCount = 9

const isHeld = <A extends StoredRecord, P, Q, R>(subject: RecordSubject<A, P, Q, R>) =>
  lawsOf(rewriting(subject.port)).property(
    `${subject.name}: of updates at the same moment none is lost`,
    ["RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends"],
    1,
    fc.uniqueArray(subject.arbitrary, {
      minLength: versionCount,
      maxLength: versionCount,
      selector: (record) => JSON.stringify(plain(record))
    }),
    function* (drafts, { store, id: organisation_id }) {
      const drafted = yield* Effect.forEach(drafts, (draft) => recordOf(subject, organisation_id, draft))
      const id = yield* subject.fresh
      const versions = drafted.map((record) => ({ ...record, id }))
      const [first, ...later] = versions
      if (first !== undefined) yield* Effect.orDie(store.insert(first))
      const version = Effect.map(store.findForUpdate(organisation_id, id), (found) =>
        versions.findIndex((each) => Equal.equals(plain(Option.some(each)), plain(found)))
      )
      const change = Effect.gen(function* () {
        const next = later[yield* version]
        yield* Effect.yieldNow
        if (next === undefined) return yield* Effect.die(new Error("What was found is what nobody wrote."))
        yield* Effect.orDie(store.update(next))
      })
      const changes = Array.from(later, () => inTransaction(change))
      yield* Effect.all(changes, { concurrency: "unbounded", discard: true })
      same(yield* inTransaction(version), later.length)
    }
  )

const isRolledBack = <A extends StoredRecord, P, Q, R>(subject: RecordSubject<A, P, Q, R>) =>
  lawsOf(subject.port).property(
    `${subject.name}: what a transaction that was rolled back wrote is gone, and may be written again`,
    [],
    2,
    fc.tuple(subject.arbitrary, subject.arbitrary),
    function* ([first, second], { store: { find = lacking, findForUpdate = find, insert, update }, id }) {
      const kept = yield* storedRecord(subject, id, first)
      const [lost, changed] = [yield* recordOf(subject, id, second), yield* recordOf(subject, id, second)]
      const shown = (record: A) =>
        Option.some<object>(findForUpdate === find ? (subject.found?.(record) ?? record) : record)
      yield* insert(lost).pipe(
        Effect.andThen(update === undefined ? Effect.void : update({ ...changed, id: kept.id })),
        Effect.orDie,
        Effect.andThen(Effect.fail("refused")),
        inTransaction,
        Effect.flip
      )
      none(yield* findForUpdate(id, lost.id))
      same<Option.Option<object>>(yield* findForUpdate(id, kept.id), shown(kept))
      yield* Effect.orDie(insert(lost))
      same<Option.Option<object>>(yield* findForUpdate(id, lost.id), shown(lost))
    }
  )

/** Times of few values, within one second, so that several records have the same. */
const times = (archivable: boolean) => {
  const created_at = fc.nat(3).map((millis) => at(millis / 1000))
  return archivable
    ? fc.record({ created_at, archived_at: fc.option(created_at, { freq: 3 }) })
    : fc.record({ created_at })
}

const isListed = <A extends StoredRecord, P, Q, R>(
  subject: RecordSubject<A, P, Q, R>,
  { columns = (record) => record, few = fc.constant({}), spec, ...list }: RecordList<A>
) =>
  lists<A, A, P | Q>(
    {
      name: subject.name,
      spec,
      draft: fc
        .tuple(subject.arbitrary, times(spec.archivable === true), few)
        .map(([record, some, more]): A => ({ ...record, ...("created_at" in record ? some : {}), ...more })),
      store: (organisation_id, draft: A) => storedRecord(subject, organisation_id, draft),
      list: (organisation_id, query) =>
        Effect.flatMap(subject.port, ({ list = lacking }) => list(organisation_id, query)),
      columns,
      hidden: (record) => (list.hidden ?? subject.hidden)?.(record) === true,
      ...(list.port === undefined ? {} : { port: list.port }),
      ...(list.words === undefined ? {} : { words: list.words }),
      ...(list.shown === undefined ? {} : { shown: list.shown })
    },
    runsOf(subject)
  )

/**
 * The laws of every store of records: what is written is read back whole, by its own organisation only; an update
 * writes everything, and of nothing else; who holds a record for an update is alone with it; what was rolled back is
 * gone; a value that is used once is refused; the list is what filtering and sorting in plain code yields. It takes
 * those of this store alone.
 */
export const recordStore =
  <A extends StoredRecord, S extends KeptIn<NoInfer<A>>, P, Q = never, R = never>(
    subject: RecordSubject<A, P, Q, R> & { readonly port: Effect.Effect<S, never, P> }
  ) =>
  <C extends Check<unknown> = never>(
    own: (laws: Laws<[Setting<S>], P | OrganisationStore>) => ReadonlyArray<C> = () => []
  ) =>
    suite([
      isRead(subject),
      ...(subject.appended ? [] : [isHeld(subject)]),
      isRolledBack(subject),
      ...(subject.unique ?? []).map((field) =>
        uniqueField(
          {
            name: subject.name,
            port: subject.port,
            arbitrary: subject.arbitrary,
            make: (organisation_id, draft) => recordOf(subject, organisation_id, draft)
          },
          field
        )
      ),
      ...(subject.list === undefined ? [] : isListed(subject, subject.list)),
      ...own(lawsOf(subject.port))
    ])
