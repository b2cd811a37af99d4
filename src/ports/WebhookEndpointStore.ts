import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { OrganisationId, WebhookEndpointId } from "../domain/Ids.ts"
import type { ListQuery, Page } from "../domain/Listing.ts"
import type { InvalidInput } from "../domain/Rejection.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"

/** Keeps webhook endpoints. Every operation MUST see the named organisation's endpoints only, and no deleted one. */
export class WebhookEndpointStore extends Context.Service<
  WebhookEndpointStore,
  {
    insert(endpoint: WebhookEndpoint): Effect.Effect<void>
    /** How many endpoints there are. MUST let one transaction after the other count and insert. */
    countForUpdate(organisation_id: OrganisationId): Effect.Effect<number>
    find(organisation_id: OrganisationId, id: WebhookEndpointId): Effect.Effect<Option.Option<WebhookEndpoint>>
    /** MUST hold the row until the surrounding transaction ends, and find a deleted endpoint, too. */
    findForUpdate(organisation_id: OrganisationId, id: WebhookEndpointId): Effect.Effect<Option.Option<WebhookEndpoint>>
    update(endpoint: WebhookEndpoint): Effect.Effect<void>
    /** MUST answer as `domain/Listing` defines; an unknown cursor is {@link InvalidInput}. */
    list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<WebhookEndpoint>, InvalidInput>
  }
>()("almoner/ports/WebhookEndpointStore") {}
