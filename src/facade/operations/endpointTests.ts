import { EndpointTests } from "../../app/EndpointTests.ts"
import { EndpointTest } from "../../domain/EndpointTest.ts"
import { WebhookEndpointId } from "../../domain/Ids.ts"
import { id, operationsOf } from "../Declare.ts"

const tests = operationsOf(EndpointTests)

/** The operations of {@link EndpointTests}. */
export const endpointTestOperations = {
  send: tests.forOperator({
    takes: [id(WebhookEndpointId, "webhook endpoint")],
    gives: EndpointTest,
    run: (use, endpoint) => use.send(endpoint)
  })
}
