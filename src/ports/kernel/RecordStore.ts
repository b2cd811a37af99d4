import type { Effect, Option } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { ListQuery, Page } from "../../domain/kernel/Listing.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"

/** Reads records of one kind. Every operation MUST see the named organisation's records only. */
export interface RecordReader<A, Id> {
  find(organisation_id: OrganisationId, id: Id): Effect.Effect<Option.Option<A>>
  /** MUST answer as `domain/kernel/Listing` defines; a cursor that `domain/kernel/Cursor` refuses is {@link InvalidInput}. */
  list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<A>, InvalidInput>
}

/** Keeps records of one kind. `Refused` is the failure of a write when a value is taken. */
export interface RecordStore<A, Id, Refused = never> extends RecordReader<A, Id> {
  insert(record: A): Effect.Effect<void, Refused>
  /** MUST hold the row against every change until the surrounding transaction ends. */
  findForUpdate(organisation_id: OrganisationId, id: Id): Effect.Effect<Option.Option<A>>
  /** MUST write all fields of the record that has the same organisation and id. */
  update(record: A): Effect.Effect<void, Refused>
}
