import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { AddressRefused, AddressRules } from "../../domain/outbox/WebhookAddress.ts"

/** Judges receiver URLs when they are saved. */
export class WebhookAddresses extends Context.Service<
  WebhookAddresses,
  {
    /**
     * MUST refuse a URL that the rules of `domain/outbox/WebhookAddress` refuse as written, one whose host does not resolve,
     * and one of whose resolved addresses (all A and AAAA answers) any is refused. MUST NOT tell the caller what a name
     * resolved to, nor whether it did: the refusal of a name is one sentence, whatever its cause. Look-ups are bounded for
     * each organisation.
     */
    vet(url: string, rules: AddressRules, organisation: OrganisationId): Effect.Effect<void, AddressRefused>
  }
>()("almoner/ports/WebhookAddresses") {}
