import { Effect, type Option } from "effect"
import type { Requirement, StaffRequirement } from "../../../domain/access/Policy.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { ListQuery, Page } from "../../../domain/kernel/Listing.ts"
import type { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { orNotFound } from "../../kernel/store/RecordChecks.ts"
import { requireAnyScope, type WithRequirement } from "../caller/CallerContext.ts"

type Asked = WithRequirement<Requirement | StaffRequirement>

interface Listing<A> {
  list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<A>, InvalidInput>
}

interface Finding<A, Id> {
  find(organisation_id: OrganisationId, id: Id): Effect.Effect<Option.Option<A>>
}

/** The method that answers a page of the records of the caller's organisation, as their store lists them. */
export const listMethod = <A>(name: string, { requires }: Asked, store: Listing<A>) =>
  Effect.fn(name)(function* (query: ListQuery) {
    const { organisation } = yield* requireAnyScope(requires)
    return yield* store.list(organisation.id, query)
  })

/** The method that answers a record of the caller's organisation, as its store has it. */
export const readMethod = <A, Id extends string>(
  name: string,
  { requires }: Asked,
  record: string,
  store: Finding<A, Id>
) =>
  Effect.fn(name)(function* (id: Id) {
    const { organisation } = yield* requireAnyScope(requires)
    return yield* store.find(organisation.id, id).pipe(orNotFound(record, id))
  })
