import { Effect, Option } from "effect"
import { NotFound, RecordArchived } from "../../../domain/kernel/Rejection.ts"

/** The record that was found; fails with {@link NotFound} where there is none. `record` is its kind's name. */
export const orNotFound =
  (record: string, id: string) =>
  <A, E, R>(finding: Effect.Effect<Option.Option<A>, E, R>): Effect.Effect<A, E | NotFound, R> =>
    Effect.flatMap(
      finding,
      Option.match({ onNone: () => Effect.fail(new NotFound({ record, id })), onSome: Effect.succeed })
    )

/** Fails with {@link NotFound} for a deleted record, which is no longer read. decisions, section 1: Verbs. */
export const refuseDeleted = (
  record: string,
  { deleted_at, id }: { readonly deleted_at: unknown; readonly id: string }
): Effect.Effect<void, NotFound> => (deleted_at === null ? Effect.void : Effect.fail(new NotFound({ record, id })))

/** Fails with {@link RecordArchived} for an archived record, which takes no change. decisions, section 1: Verbs. */
export const refuseArchived = (
  record: string,
  { archived_at, id }: { readonly archived_at: unknown; readonly id: string }
): Effect.Effect<void, RecordArchived> =>
  archived_at === null ? Effect.void : Effect.fail(new RecordArchived({ record, id }))
