import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganisationId, WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import type { WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/**
 * Keeps webhook endpoints. `find` and `list` MUST see no deleted one; `findForUpdate` MUST find one, too.
 *
 * @example
 * ```ts
 * const adapters = { WebhookEndpointStore: Layer.succeed(WebhookEndpointStore, mine) }
 * const almoner = await Almoner.open({ backend: memory(), adapters })
 * ```
 */
export class WebhookEndpointStore extends Context.Service<
  WebhookEndpointStore,
  RecordStore<WebhookEndpoint, WebhookEndpointId> & {
    /** How many endpoints there are that are not deleted. MUST let one transaction after the other count and insert. */
    countForUpdate(organisation_id: OrganisationId): Effect.Effect<number>
  }
>()("almoner/ports/WebhookEndpointStore") {}
