import { DateTime, Effect } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { lawsOf, same, together } from "./Suite.ts"

/** Times before those of other checks' records. */
const before = (millis: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1970, 0, 1) + millis)

/** Records that are forgotten when they are old. */
interface TrimSubject<S, P, A, R> {
  readonly name: string
  readonly must?: ReadonlyArray<string>
  readonly port: Effect.Effect<S, never, P>
  readonly trim: (store: S, until: DateTime.Utc, limit: number) => Effect.Effect<number>
  /** Whether those that are older are forgotten before the others. */
  readonly isOldestFirst: boolean
  /** Stores a record that has been of no use since then. */
  readonly make: (organisation_id: OrganisationId, since: DateTime.Utc) => Effect.Effect<A, unknown, R>
  /** Stores records as old as that which are of use still, until the check ends. */
  readonly kept?: (organisation_id: OrganisationId, since: DateTime.Utc) => Effect.Effect<ReadonlyArray<A>, unknown, R>
  readonly isThere: (record: A) => Effect.Effect<boolean, unknown, R>
}

/** The check that what has been of no use for so long is forgotten, at most so many at once, and nothing else is. */
export const trimCheck = <S, P, A, R>(subject: TrimSubject<S, P, A, R>) =>
  lawsOf(subject.port).must(
    `${subject.name} that are old are forgotten, at most so many at once, and no others`,
    subject.must ?? [],
    function* ({ store, id, other }) {
      const trim = (millis: number, limit: number) => subject.trim(store, before(millis), limit)
      // Records of other checks.
      while ((yield* trim(0, 1_000)) > 0) {}
      const third = yield* subject.make(id, before(3))
      const [first, second] = [yield* subject.make(other, before(1)), yield* subject.make(id, before(2))]
      const kept = [...(yield* subject.kept?.(id, before(1)) ?? Effect.succeed([]))]
      const left = Effect.map(Effect.filter([first, second, third, ...kept], subject.isThere), (all) => new Set(all))
      same(yield* trim(0, 9), 0)
      same((yield* left).size, 3 + kept.length)
      same(yield* trim(2, 1), 1)
      const one = yield* left
      same([one.size, one.has(third), !one.has(first) || !subject.isOldestFirst], [2 + kept.length, true, true])
      const counts = yield* together(2, trim(2, 9))
      same(counts.toSorted(), [0, 1])
      same([...(yield* left)], [third, ...kept])
      same([yield* trim(9, 9), yield* trim(9, 9)], [1, 0])
      same([...(yield* left)], kept)
    }
  )
