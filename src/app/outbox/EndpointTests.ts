import { Effect } from "effect"
import { WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import { isReceived } from "../../domain/outbox/Delivery.ts"
import { EndpointTest, testBodyOf } from "../../domain/outbox/EndpointTest.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { monotonicMillis } from "../kernel/time/Monotonic.ts"
import { makeWebhookSender, withoutAnswer } from "./delivery/WebhookSender.ts"

const operations = Row.table("webhook_endpoints", {
  test: Row.staffChange(
    "Send an endpoint a signed test now, and show what came back; it is no event, and no delivery is kept",
    [id(WebhookEndpointId, "webhook endpoint")],
    EndpointTest
  )
})

/** Tries webhook endpoints by hand. For operators. docs/decisions/0036. */
export class EndpointTests extends Service<EndpointTests>()("almoner/app/EndpointTests", function* () {
  const store = yield* WebhookEndpointStore
  const organisations = yield* OrganisationStore
  const deliveries = yield* DeliveryStore
  const { secretsOf, send: post } = yield* makeWebhookSender
  const changeLog = yield* ChangeLog
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  /** The endpoint and its organisation as they are now: the rules for addresses are those of a delivery. */
  const begin = Effect.fnUntraced(function* (id: WebhookEndpointId) {
    const caller = yield* requireStaff(operations.test)
    const organisation_id = caller.organisation.id
    const endpoint = yield* store.find(organisation_id, id).pipe(orNotFound("webhook endpoint", id))
    const organisation = yield* organisations.find(organisation_id).pipe(orNotFound("organisation", organisation_id))
    const at = yield* realNow
    yield* changeLog.write({ operation: operations.test.requires.name, subject_id: id, at, events: [] })
    return { endpoint, organisation, started: yield* deliveries.now }
  }, transaction.run)

  /**
   * Sends an endpoint a signed test, once and now, whether or not it is active, and answers what came back. It is audited
   * and not recorded otherwise: there is no event and no delivery of it, and it counts toward nothing that is known of
   * the endpoint's failures. Takes ten seconds at most.
   */
  const test = Effect.fn("EndpointTests.test")(function* (id: WebhookEndpointId) {
    const { endpoint, organisation, started } = yield* begin(id)
    const webhook_id = yield* tokens.id("delivery")
    const secrets = yield* secretsOf(endpoint, started)
    const { is_sandbox, webhook_allowed_cidrs } = organisation
    const body = testBodyOf(endpoint, started)
    const found =
      secrets.length === 0
        ? withoutAnswer("secret_unavailable")
        : yield* post({ webhook_id, body, endpoint, is_sandbox, webhook_allowed_cidrs }, secrets, {
            at: started,
            begun_millis: yield* monotonicMillis
          })
    const result: EndpointTest = {
      endpoint_id: id,
      url: endpoint.url,
      webhook_id,
      sent_at: started,
      received: isReceived(found.response_status),
      ...found
    }
    return result
  })

  return checkedService(operations, { test })
}) {}

/** The operations of {@link EndpointTests}. */
export const endpointTestOperations = operationsOf(EndpointTests, operations)
