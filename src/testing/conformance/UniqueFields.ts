import { Effect, Equal, Exit, Option } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { KeptBy, StoredRecord } from "./RecordStores.ts"
import { newOrganisation } from "./Records.ts"
import { assertRefused, inTransaction, lawsOf, none, same, transactionOf } from "./Suite.ts"

/** A field that no two records of an organisation have alike. */
export interface UniqueField<A> {
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
  readonly port: Effect.Effect<KeptBy<A>, never, P>
  readonly arbitrary: fc.Arbitrary<A>
  readonly make: (organisation_id: OrganisationId, draft: A) => Effect.Effect<A, never, Q>
}

/** The check that a field is used once. */
export const uniqueField = <A extends StoredRecord, P, Q>(
  { arbitrary, make, name, port }: Kept<A, P, Q>,
  { field, must: sentence, value, within }: UniqueField<A>
) =>
  lawsOf(port).property(
    `${name}: ${field} is used once, and a refusal is no defect: the transaction around it goes on`,
    [sentence],
    3,
    fc.tuple(arbitrary, arbitrary),
    function* ([first, second], { store, id, other }) {
      const holder: A = { ...(yield* make(id, first)), ...value }
      yield* Effect.orDie(store.insert(holder))
      const clashing = (record: A): A => ({ ...record, ...within?.(holder), ...value })
      const isRefused = (write: Effect.Effect<void, unknown>) =>
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
      const insertOne = (record: A) => Effect.exit(inTransaction(store.insert(record)))
      const { id: third } = yield* newOrganisation()
      const [one, ...more] = yield* Effect.forEach([1, 2, 3, 4, 5], () => make(third, second))
      if (one === undefined) return
      const all = [one, ...more].map((record): A => ({ ...record, ...within?.(one), ...value }))
      const answers = yield* Effect.forEach(all, insertOne, { concurrency: "unbounded" })
      same(answers.filter(Exit.isSuccess).length, 1)
    }
  )
