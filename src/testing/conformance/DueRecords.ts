import { type DateTime, Duration, Effect, Fiber, Option, Struct } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { assert } from "./Assert.ts"
import { idsOf, newOrganisation } from "./Records.ts"
import { lawsOf, none, same } from "./Suite.ts"

/** A store that hands out its records when they are due, each to one worker for as long as a lease. */
interface DueStore {
  claim(limit: number, lease: Duration.Duration): Effect.Effect<ReadonlyArray<{ readonly id: string }>>
  readonly nextDue: Effect.Effect<Option.Option<Duration.Duration>>
  /** Not where a store does not tell it by organisation. */
  nextDueOf?(organisation_id: OrganisationId): Effect.Effect<Option.Option<Duration.Duration>>
}

/** Records that are handed out when they are due. */
interface DueSubject<P, A extends { readonly id: string }, R> {
  readonly name: string
  /** The sentence of the port that promises the lease. */
  readonly must: string
  readonly port: Effect.Effect<DueStore, never, P>
  /**
   * Stores a record that is due so many seconds after the store's present, or never. Nobody is handed it when the check
   * has ended.
   */
  readonly make: (organisation_id: OrganisationId, seconds: number | null) => Effect.Effect<A, unknown, R>
  /** The fields that a claim changes. */
  readonly moves: ReadonlyArray<string>
  /** How long it is until a stored record is due, milliseconds. */
  readonly remaining: (record: A) => Effect.Effect<number, unknown, R>
}

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

const dues = fc.record({
  dues: fc.uniqueArray(fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat(2)), {
    maxLength: 7,
    selector: ([minutes]) => minutes
  }),
  limit: fc.integer({ min: 1, max: 5 })
})

/** The laws of every store that hands out records when they are due. No other record may be due in it. */
export const dueRecords = <P, A extends { readonly id: string }, R>(subject: DueSubject<P, A, R>, runs: number) => {
  const { make, moves, name, port } = subject
  const claimed = (limit = 100, lease: Duration.Duration = Duration.days(1)) =>
    Effect.flatMap(port, (store) => store.claim(limit, lease))
  const claim = (limit?: number, lease?: Duration.Duration) => Effect.map(claimed(limit, lease), idsOf)
  /** Asserts that these records were handed out, in this order, with what they have in the fields that are told of them. */
  const areTold = (told: ReadonlyArray<{ readonly id: string }>, records: ReadonlyArray<A>): void => {
    same(idsOf(told), idsOf(records))
    const kept = new Set<string>(moves)
    for (const [index, each] of told.entries()) {
      const fields = Object.keys(each).filter((field) => !kept.has(field))
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
        const records = yield* Effect.forEach(dues, ([minutes, queue]) =>
          Effect.map(make(organisations[queue]?.id ?? organisations[0].id, minutes * 60 + 30), (record) => ({
            ...{ queue, record, due: minutes }
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
      function* ({ id }) {
        const due = yield* Effect.forEach([1, 2, 3, 4], (second) => make(id, -second))
        const workers = Array.from({ length: 4 }, () => claim(2))
        const rivals = yield* Effect.all(workers, { concurrency: "unbounded" })
        same([...rivals.flat(), ...(yield* claim())].toSorted(), idsOf(due).toSorted())
        same(yield* claim(), [])
        for (const record of due) {
          const remaining = yield* subject.remaining(record)
          assert.isAtLeast(remaining, Duration.toMillis(Duration.hours(23)))
          assert.isAtMost(remaining, Duration.toMillis(Duration.hours(25)), "the store's present may be a little late")
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
