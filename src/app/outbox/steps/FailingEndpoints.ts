import { DateTime, Effect, Option, Result } from "effect"
import { AuditEntry } from "../../../domain/access/Audit.ts"
import * as Machine from "../../../domain/kernel/Machine.ts"
import * as Mail from "../../../domain/kernel/Mail.ts"
import { machine, type WebhookEndpoint } from "../../../domain/outbox/WebhookEndpoint.ts"
import { AuditStore } from "../../../ports/access/AuditStore.ts"
import { UserStore } from "../../../ports/access/UserStore.ts"
import { MailOutbox } from "../../../ports/kernel/MailOutbox.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { WebhookEndpointStore } from "../../../ports/outbox/WebhookEndpointStore.ts"

/**
 * Makes the effect that disables every endpoint that has failed for five days, ends its pending deliveries, writes to the
 * organisation's admins, leaves an audit entry of the system in the name of `worker`, and answers how many there were.
 * decisions, section 4: Webhook endpoints.
 */
export const makeDisableFailing = Effect.fnUntraced(function* (worker: "dispatcher" | "sweeper") {
  const deliveries = yield* DeliveryStore
  const endpoints = yield* WebhookEndpointStore
  const audit = yield* AuditStore
  const mails = yield* MailOutbox
  const users = yield* UserStore
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const writeToAdmins = Effect.fnUntraced(function* ({ id, organisation_id }: WebhookEndpoint, at: DateTime.Utc) {
    for (const admin of yield* users.admins(organisation_id)) {
      const about = { organisation_id, template: "endpoint_disabled", subject_id: id, recipient_id: admin.id } as const
      yield* mails.add(Mail.create({ id: yield* tokens.id("mail"), ...about }, at))
    }
  })

  const disable = Effect.fnUntraced(function* ({ id, organisation_id }: WebhookEndpoint) {
    const found = yield* endpoints.findForUpdate(organisation_id, id)
    const at = yield* DateTime.now
    // It may have answered, or been disabled by its owner, since it was looked for.
    const decision = Option.map(found, (endpoint) => Machine.decide(machine, endpoint, { _tag: "DisableFailing", at }))
    if (Option.isNone(decision) || Result.isFailure(decision.value)) return false
    yield* endpoints.update(decision.value.success.state)
    yield* deliveries.abandon(organisation_id, id, at)
    yield* writeToAdmins(decision.value.success.state, at)
    yield* audit.append(
      AuditEntry.make({
        id: yield* tokens.id("auditEntry"),
        organisation_id,
        actor_type: "SYSTEM",
        actor_id: worker,
        operation: "webhook_endpoints.disable_failing",
        subject_id: id,
        request_id: yield* tokens.id("request"),
        created_at: at
      })
    )
    yield* Effect.logInfo(`Webhook endpoint ${id} has failed for five days and is disabled`)
    return true
  }, transaction.run)

  return Effect.gen(function* () {
    const failing = yield* deliveries.failing(yield* DateTime.now)
    const disabled = yield* Effect.forEach(failing, (endpoint) => disable(endpoint))
    return disabled.filter((each) => each).length
  })
})
