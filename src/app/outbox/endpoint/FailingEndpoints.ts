import { type Cause, Effect, Exit, Option } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { WebhookEndpoint } from "../../../domain/outbox/WebhookEndpoint.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { actingIn } from "../../access/caller/CallerContext.ts"
import { makeAdminMails } from "../../access/mail/AdminMails.ts"
import { brokenMaximum } from "../sweep/Expiry.ts"
import { makeWebhookEndpointChange } from "./WebhookEndpointChange.ts"

/**
 * Makes the effect that disables every endpoint that has failed for five days, ends its pending deliveries, writes to the
 * organisation's admins, leaves an audit entry of the system in the name of `worker`, and answers how many there were. It dies
 * of one that breaks after the others are done. decisions, section 4: Webhook endpoints.
 */
export const makeDisableFailing = Effect.fnUntraced(function* (worker: "dispatcher" | "sweeper") {
  const deliveries = yield* DeliveryStore
  const organisations = yield* OrganisationStore
  const change = yield* makeWebhookEndpointChange
  const mails = yield* makeAdminMails
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const disable = Effect.fnUntraced(function* (organisation: Organisation, { id }: WebhookEndpoint) {
    const held = yield* change.take(organisation, id)
    const disabling = { _tag: "DisableFailing", at: held.at } as const
    const changed = yield* change.settle("webhook_endpoints.disable_failing", held, [disabling])
    yield* change.abandonPending(changed)
    const about = { organisation_id: organisation.id, template: "endpoint_disabled", subject_id: id } as const
    yield* mails.write(yield* mails.adminsOf(organisation.id), about, held.at)
    yield* Effect.logInfo(`Webhook endpoint ${id} has failed for five days and is disabled`)
  })

  /** Answers whether it was disabled: not where it has answered, or was disabled by its owner, since it was found. */
  const disableFound = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
    const organisation = yield* organisations.find(endpoint.organisation_id)
    if (Option.isNone(organisation)) return false
    const acting = actingIn(organisation.value, { type: "SYSTEM", id: worker }, yield* tokens.id("request"))
    return yield* Effect.isSuccess(disable(organisation.value, endpoint)).pipe(acting)
  }, transaction.run)

  return Effect.gen(function* () {
    const broken: Array<Cause.Cause<never>> = []
    let disabled = 0
    for (const endpoint of yield* deliveries.failing) {
      const exit = yield* Effect.exit(disableFound(endpoint))
      if (Exit.isFailure(exit)) broken.push(exit.cause)
      else if (exit.value) disabled += 1
      if (broken.length > brokenMaximum) break
    }
    const [first] = broken
    return first === undefined ? disabled : yield* Effect.failCause(first)
  })
})
