import { WebhookEndpointId } from "../../../domain/kernel/Ids.ts"
import { EndpointTest } from "../../../domain/outbox/EndpointTest.ts"
import { id, operationsOf } from "../../access/steps/Operation.ts"
import { asks, EndpointTests } from "../EndpointTests.ts"

const tests = operationsOf(EndpointTests)

/** The operations of {@link EndpointTests}. */
export const endpointTestOperations = {
  send: tests.forOperator({
    asks: asks.send,
    takes: [id(WebhookEndpointId, "webhook endpoint")],
    gives: EndpointTest,
    run: (use, endpoint) => use.send(endpoint)
  })
}
