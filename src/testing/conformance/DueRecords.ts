import { DateTime, Duration, Effect, Fiber, Option, Struct } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { SandboxClockStore } from "../../ports/access/SandboxClockStore.ts"
import { assert } from "./Assert.ts"
import { idsOf, newOrganisation } from "./Records.ts"
import { failBlocked, inTransaction, lawsOf, none, same } from "./Suite.ts"

/** A store that hands out its records when they are due, each to one worker for as long as a lease. */
interface DueStore {
  readonly now: Effect.Effect<DateTime.Utc>
  claim(limit: number, lease: Duration.Duration): Effect.Effect<ReadonlyArray<{ readonly id: string }>>
  readonly nextDue: Effect.Effect<Option.Option<Duration.Duration>>
  /** Not where a store does not tell it by organisation. */
  nextDueOf?(organisation_id: OrganisationId): Effect.Effect<Option.Option<Duration.Duration>>
}

/** Stores a record that is due so many seconds after the store's present, or never. */
type MakeDue<A, R> = (organisation_id: OrganisationId, seconds: number | null) => Effect.Effect<A, unknown, R>

/** Records that are handed out when they are due. */
interface DueSubject<P, A extends { readonly id: string }, R> {
  readonly name: string
  /** The sentence of the port that promises the lease. */
  readonly must: string
  readonly port: Effect.Effect<DueStore, never, P>
  /** Nobody is handed the record when the check has ended. */
  readonly make: MakeDue<A, R>
  readonly find: (record: A) => Effect.Effect<Option.Option<A>, unknown, R>
  /** The field that has when a record is due. */
  readonly field: keyof A & string
  /** The other fields that a claim changes. */
  readonly moves?: ReadonlyArray<string>
}

/** Records that are due by this field until the check ends. */
export const dueBy =
  <A extends object, Owner, P, R>(
    port: Effect.Effect<
      { readonly now: Effect.Effect<DateTime.Utc>; readonly update: (record: A) => Effect.Effect<void, unknown> },
      never,
      P
    >,
    field: keyof A & string,
    stored: (owner: Owner, given: Partial<A>) => Effect.Effect<A, unknown, R>
  ) =>
  (owner: Owner, seconds: number | null, given: Partial<A> = {}) =>
    Effect.gen(function* () {
      const { now, update } = yield* port
      const due = seconds === null ? null : DateTime.addDuration(yield* now, Duration.seconds(seconds))
      const record = yield* Effect.orDie(stored(owner, { ...given, [field]: due }))
      yield* Effect.addFinalizer(() => Effect.orDie(update({ ...record, [field]: null })))
      return record
    })

/** The instant in milliseconds; that of no instant comes after all others. */
export const millis = (at: DateTime.Utc | null): number =>
  at === null ? Number.POSITIVE_INFINITY : at.epochMilliseconds

/** The first of each queue, then the second of each. The queues whose next is due first come first. */
export const inTurn = <A>(
  all: ReadonlyArray<{ readonly queue: unknown; readonly due: number; readonly record: A }>
) => {
  const rest = all.toSorted((a, b) => a.due - b.due)
  const turns: Array<A> = []
  while (rest.length > 0) {
    const round = new Set<unknown>()
    for (const each of [...rest]) {
      if (round.has(each.queue)) continue
      round.add(each.queue)
      turns.push(each.record)
      rest.splice(rest.indexOf(each), 1)
    }
  }
  return turns
}

/** In hours: what is not due yet stays, and must not be while other checks are done. */
const dues = fc.record({
  dues: fc.uniqueArray(fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat(2)), {
    maxLength: 7,
    selector: ([hours]) => hours
  }),
  limit: fc.integer({ min: 1, max: 5 })
})

/** The laws of every store that hands out records when they are due. No other record may be due in it. */
export const dueRecords = <P, A extends { readonly id: string }, R>(subject: DueSubject<P, A, R>, runs: number) => {
  const { field, make, moves = [], name, port } = subject
  const claimed = (limit = 100, lease: Duration.Duration = Duration.days(1)) =>
    Effect.flatMap(port, (store) => store.claim(limit, lease))
  const claim = (limit?: number, lease?: Duration.Duration) => Effect.map(claimed(limit, lease), idsOf)
  /** Asserts that these records were handed out, in this order, with what they have in the fields that are told of them. */
  const areTold = (told: ReadonlyArray<{ readonly id: string }>, records: ReadonlyArray<A>): void => {
    same(idsOf(told), idsOf(records))
    for (const [index, each] of told.entries()) {
      const fields = Object.keys(each).filter((known) => known !== field && !moves.includes(known))
      same(Struct.pick(Object(each), fields), Struct.pick(Object(records[index]), fields))
    }
  }
  const { law, must, property } = lawsOf(port)
  return [
    property(
      `${name}: what is due is handed out, the longest due first, the organisations in turn, within the limit`,
      [],
      runs,
      dues,
      function* ({ dues, limit }) {
        const organisations = yield* Effect.all([newOrganisation(), newOrganisation(), newOrganisation()])
        const records = yield* Effect.forEach(dues, ([hours, queue]) =>
          Effect.map(make(organisations[queue]?.id ?? organisations[0].id, hours * 3_600 + 1_800), (record) => ({
            ...{ queue, record, due: hours }
          }))
        )
        yield* make(organisations[0].id, null)
        const due = records.filter(({ due }) => due < 0)
        const first = inTurn(due).slice(0, limit)
        areTold(yield* claimed(limit), first)
        areTold(yield* claimed(), inTurn(due.filter(({ record }) => !first.includes(record))))
      }
    ),

    must(
      `${name}: of workers at the same moment one is handed a record, and another one when the lease has ended`,
      [subject.must],
      function* ({ store, id }) {
        const due = yield* Effect.forEach([1, 2, 3, 4], (second) => make(id, -second))
        const workers = Array.from({ length: 4 }, () => claim(2))
        const rivals = yield* Effect.all(workers, { concurrency: "unbounded" })
        same([...rivals.flat(), ...(yield* claim())].toSorted(), idsOf(due).toSorted())
        same(yield* claim(), [])
        for (const record of due) {
          const until: unknown = Reflect.get(Option.getOrThrow(yield* subject.find(record)), field)
          const now = yield* store.now
          // The store's present may be a little late.
          const [least, most] = [DateTime.add(now, { hours: 23 }), DateTime.add(now, { hours: 25 })]
          assert.isTrue(DateTime.isDateTime(until) && DateTime.between(until, { minimum: least, maximum: most }), field)
        }
        const short = [yield* make(id, -2), yield* make(id, -1)]
        same(yield* claim(1, Duration.zero), idsOf(short.slice(0, 1)))
        same((yield* claim()).toSorted(), idsOf(short).toSorted())
      }
    ),

    law(`${name}: it is told how long it is until one is due, of all and of an organisation`, function* (setting) {
      const { store, id, other } = setting
      const { nextDue, nextDueOf } = store
      if (nextDueOf === undefined) return
      yield* make(id, null)
      // What other checks left may be due.
      const isAlone = Option.isNone(yield* nextDue)
      for (const next of [nextDueOf(other), nextDueOf(id)]) none(yield* next)
      yield* make(id, 7_200)
      const isLater = (next: Option.Option<Duration.Duration>) => {
        const minutes = Duration.toMinutes(Option.getOrThrow(next))
        assert.isTrue(minutes > 60 && minutes <= 120, `${minutes}`)
      }
      if (isAlone) isLater(yield* nextDue)
      yield* make(other, -5)
      for (const next of [nextDue, nextDueOf(other)]) {
        same(Option.map(yield* next, Duration.toMillis), Option.some(0))
      }
      isLater(yield* nextDueOf(id))
    })
  ]
}

/** The check that what is due by its organisation's clock is handed out to whoever moves that. */
export const dueByClock = <P, A extends { readonly id: string; readonly organisation_id: OrganisationId }, R>({
  lookNow,
  make,
  name,
  port
}: {
  readonly name: string
  readonly port: Effect.Effect<
    {
      claim(
        limit: number,
        lease: Duration.Duration,
        only?: OrganisationId
      ): Effect.Effect<ReadonlyArray<{ readonly id: string }>>
      nextDueOf(organisation_id: OrganisationId): Effect.Effect<Option.Option<Duration.Duration>>
    },
    never,
    P
  >
  readonly make: MakeDue<A, R>
  /** Has the record looked at now. */
  readonly lookNow: (record: A) => Effect.Effect<void, never, P>
}) =>
  lawsOf(port).law(`${name}: what is due by its organisation's clock goes to whoever moves that`, function* (setting) {
    const { store, id: other } = setting
    const clocks = yield* SandboxClockStore
    const { id } = yield* newOrganisation({ is_sandbox: true })
    const [soon] = [yield* make(id, 3_600), yield* make(other, 3_600), yield* make(id, null)]
    const aWhile = Duration.minutes(1)
    const claim = (only?: OrganisationId) => Effect.map(store.claim(10, aWhile, only), idsOf)
    yield* clocks.claim(id, "a", aWhile)
    same(yield* claim(id), [])
    yield* clocks.advance(id, "a", 7_200_000, aWhile)
    same(yield* claim(), [], "somebody moves its clock")
    same(yield* claim(other), [])
    same(Option.map(yield* store.nextDueOf(id), Duration.toMillis), Option.some(0))
    same(Option.exists(yield* store.nextDueOf(other), Duration.isZero), false)
    same(yield* claim(id), [soon.id])
    same(yield* claim(id), [], "it is leased")
    yield* lookNow(soon)
    yield* clocks.release(id, "a")
    same(yield* claim(), [soon.id])
  })

/** Whether there is a hint, without waiting for one that comes later. */
export const isHinted = <P, E, R>(
  port: Effect.Effect<{ readonly wait: Effect.Effect<void, E, R> }, never, P>
): Effect.Effect<boolean, never, P | R> =>
  Effect.gen(function* () {
    const waiting = yield* Effect.forkChild((yield* port).wait)
    for (let turn = 0; turn < 50 && waiting.pollUnsafe() === undefined; turn++) yield* Effect.yieldNow
    const hinted = waiting.pollUnsafe() !== undefined
    yield* Fiber.interrupt(waiting)
    return hinted
  })

/**
 * The check that each of these raises a hint once it has committed, and neither before nor when it is rolled back. What is stored
 * for them has raised one: whoever waits for the first time may be hinted at once.
 */
export const hintCheck = <P, R>(
  name: string,
  sentences: ReadonlyArray<string>,
  port: Effect.Effect<{ readonly wait: Effect.Effect<void> }, never, P>,
  raises: (
    organisation_id: OrganisationId
  ) => Effect.Effect<ReadonlyArray<Effect.Effect<unknown, unknown, R>>, unknown, R>
) =>
  lawsOf(port).must(name, sentences, function* ({ store, id }) {
    const all = yield* raises(id)
    yield* failBlocked(store.wait)
    for (const raise of all) {
      while (yield* isHinted(port)) yield* Effect.void
      yield* Effect.flip(inTransaction(Effect.andThen(raise, Effect.fail("refused"))))
      assert.isFalse(yield* isHinted(port), "after a rollback")
      assert.isFalse(yield* inTransaction(Effect.andThen(raise, isHinted(port))), "before the commit")
      assert.isTrue(yield* isHinted(port), "after the commit")
    }
  })
