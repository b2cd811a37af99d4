import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../domain/kernel/Rejection.ts"

/** Keeps organisations. */
export class OrganisationStore extends Context.Service<
  OrganisationStore,
  {
    /** MUST fail with {@link AlreadyTaken} (`slug`) when the slug is in use. */
    insert(organisation: Organisation): Effect.Effect<void, AlreadyTaken>
    find(id: OrganisationId): Effect.Effect<Option.Option<Organisation>>
    /** MUST hold the row until the surrounding transaction ends. */
    findForUpdate(id: OrganisationId): Effect.Effect<Option.Option<Organisation>>
    findBySlug(slug: string): Effect.Effect<Option.Option<Organisation>>
    /** All of them, oldest first. For operators only. */
    readonly all: Effect.Effect<ReadonlyArray<Organisation>>
    update(organisation: Organisation): Effect.Effect<void>
  }
>()("almoner/ports/OrganisationStore") {}
