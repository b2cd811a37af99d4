import { EndpointTest } from "../../../domain/outbox/EndpointTest.ts"
import { operationsOf } from "../../access/steps/Operation.ts"
import { asks, EndpointTests, takes } from "../EndpointTests.ts"

const tests = operationsOf(EndpointTests)

/** The operations of {@link EndpointTests}. */
export const endpointTestOperations = {
  test: tests.forOperator({
    says: "Send an endpoint a signed test now, and show what came back; it is no event, and no delivery is kept",
    asks: asks.test,
    takes: takes.test,
    gives: EndpointTest,
    run: (use, endpoint) => use.test(endpoint)
  })
}
