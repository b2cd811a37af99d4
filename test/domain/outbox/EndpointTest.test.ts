import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { testBodyOf } from "../../../src/domain/outbox/EndpointTest.ts"
import { eventTypes } from "../../../src/domain/outbox/Event.ts"
import { WebhookEndpoint } from "../../../src/domain/outbox/WebhookEndpoint.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery } from "../../support/Property.ts"

it("the body of a test is shaped like every delivery, is of a type that nobody can subscribe to, and names the endpoint", () => {
  const millis = fc.integer({ min: 0, max: 4e12 })
  forEvery(arbitraryOf(WebhookEndpoint), millis, (endpoint, at) => {
    const body = JSON.parse(testBodyOf(endpoint, DateTime.makeUnsafe(at)))
    assert.deepStrictEqual(body, {
      type: "webhook_endpoint.test",
      occurred_at: new Date(at).toISOString(),
      organisation_id: endpoint.organisation_id,
      data: { webhook_endpoint_id: endpoint.id }
    })
    assert.notInclude(eventTypes, body.type)
  })
})
