import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganisationId, WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import type { WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** Keeps webhook endpoints. `find` and `list` MUST see no deleted one; `findForUpdate` MUST find one, too. */
export class WebhookEndpointStore extends Context.Service<
  WebhookEndpointStore,
  RecordStore<WebhookEndpoint, WebhookEndpointId> & {
    /** How many endpoints there are that are not deleted. MUST let one transaction after the other count and insert. */
    countForUpdate(organisation_id: OrganisationId): Effect.Effect<number>
  }
>()("almoner/ports/WebhookEndpointStore") {}
