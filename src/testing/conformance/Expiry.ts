import { DateTime, Effect } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { asOf, type ListSpec, parse } from "../../domain/kernel/Listing.ts"
import type { Expirable, FindExpirable } from "../../ports/kernel/Expirable.ts"
import type { Row } from "./MachineRows.ts"
import type { KeptBy, StoredRecord } from "./RecordStores.ts"
import { idsOf } from "./Records.ts"
import { lawsOf, same } from "./Suite.ts"

/** A record with a status that its time ends. */
interface Expiring<Status extends string> extends StoredRecord {
  readonly status: Status
}

/** Records whose time runs out. */
interface ExpiringSubject<A extends Expiring<Status>, Status extends string, P, R> {
  /** The records, in the plural. */
  readonly name: string
  readonly port: Effect.Effect<Pick<KeptBy<A>, "list" | "update"> & { readonly expirable: FindExpirable }, never, P>
  /** Stores a record of the organisation. */
  readonly make: (
    organisation_id: OrganisationId,
    kind: Partial<A>,
    given: { readonly expires_at: DateTime.Utc; readonly status?: Status }
  ) => Effect.Effect<A, never, R>
  /** A year of which no other check's records are. */
  readonly year: number
  readonly listing: ListSpec
  /** The status as lists are asked for it. */
  readonly asked: (status: Status) => string
  readonly statuses: ReadonlyArray<Status>
  /** The commands by which a record expires. */
  readonly rows: (at: DateTime.Utc) => ReadonlyArray<Row<A>>
  readonly expired: (record: A) => A
  /** Another state in which a record expires. */
  readonly open: Partial<A>
  /** States in which no record expires. */
  readonly ended: ReadonlyArray<Partial<A>>
  /** States of every kind, but for their status. */
  readonly kinds: ReadonlyArray<Partial<A>>
}

/** The laws of a sweep that finds what has expired, and of a list that shows it before the sweep has written it. */
export const expiry = <A extends Expiring<Status>, Status extends string, P, R>(
  subject: ExpiringSubject<A, Status, P, R>
) => {
  const { law } = lawsOf(subject.port)
  const { listing, make, name, statuses } = subject
  const before = (second: number) => DateTime.makeUnsafe(Date.UTC(subject.year, 0, 1, 0, 0, second))
  return [
    law(
      `${name} whose time has run out are found, of all organisations, the earliest first`,
      function* ({ store, id, other }) {
        const found = (seconds: number, limit: number, except: ReadonlyArray<string> = []) =>
          store.expirable(before(seconds), limit, except)
        const toldOf = ({ id, organisation_id }: A, second: number): Expirable => ({
          ...{ organisation_id, id, expired_millis: DateTime.toEpochMillis(before(second)) }
        })
        const late = yield* make(id, {}, { expires_at: before(2) })
        const early = yield* make(other, subject.open, { expires_at: before(1) })
        const [first, second] = [toldOf(early, 1), toldOf(late, 2)]
        for (const ended of subject.ended) yield* make(id, ended, { expires_at: before(0) })
        same(yield* found(0, 10), [])
        same(yield* found(1, 10), [first])
        same(yield* found(2, 10), [first, second])
        same(yield* found(2, 1), [first])
        same(yield* found(2, 1, [early.id]), [second])
        same(yield* found(2, 1, [late.id, early.id]), [])
        for (const each of [late, early]) yield* Effect.orDie(store.update(subject.expired(each)))
        same(yield* found(9, 10), [])
      }
    ),

    law(
      `what is found to have expired of ${name}, and listed so, is what the machine expires`,
      function* ({ store, id }) {
        // Those of the law above, and what is left of these, do not meet.
        const now = DateTime.add(before(5), { days: 1 })
        const times = [-1, 0, 1].map((millis) => DateTime.add(now, { milliseconds: millis }))
        const drafts = statuses.flatMap((status) =>
          subject.kinds.flatMap((kind) => times.map((expires_at) => ({ kind, given: { status, expires_at } })))
        )
        const made = yield* Effect.forEach(drafts, ({ given, kind }) => make(id, kind, given))
        const rows = subject.rows(now)
        for (const row of rows) row.meet(made)
        const due = Effect.map(store.expirable(now, 100, []), (found) =>
          idsOf(found.filter(({ organisation_id }) => organisation_id === id)).toSorted()
        )
        const written = made.map((record) => rows.reduce((state, row) => row.after(state), record))
        const areListed = Effect.gen(function* () {
          for (const status of statuses) {
            const parsed = yield* Effect.fromResult(parse(listing, [["status", subject.asked(status)]]))
            const { data } = yield* store.list(id, asOf({ ...parsed, archived: true, limit: 100 }, now))
            const expected = written.filter((record) => record.status === status)
            same(idsOf(data).toSorted(), idsOf(expected).toSorted(), status)
          }
        })
        same(yield* due, idsOf(made.filter((record) => rows.some((row) => row.isTaken(record)))).toSorted())
        yield* areListed
        for (const record of written) yield* Effect.orDie(store.update(record))
        same(yield* due, [])
        yield* areListed
      }
    )
  ]
}
