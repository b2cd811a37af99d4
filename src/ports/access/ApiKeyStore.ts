import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { ApiKey } from "../../domain/access/ApiKey.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import type { ApiKeyId, OrganisationId } from "../../domain/kernel/Ids.ts"

/** Keeps API keys, by their hash only. */
export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    insert(key: ApiKey): Effect.Effect<void>
    /** The key of this SHA-256 with its organisation, in one statement. MUST NOT find a revoked key. */
    findActive(
      secret_hash: string
    ): Effect.Effect<Option.Option<{ readonly key: ApiKey; readonly organisation: Organisation }>>
    /** MUST hold the row until the surrounding transaction ends. */
    findForUpdate(organisation_id: OrganisationId, id: ApiKeyId): Effect.Effect<Option.Option<ApiKey>>
    /** All keys of an organisation, oldest first. */
    list(organisation_id: OrganisationId): Effect.Effect<ReadonlyArray<ApiKey>>
    update(key: ApiKey): Effect.Effect<void>
  }
>()("almoner/ports/ApiKeyStore") {}
