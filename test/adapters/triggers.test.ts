import { assert } from "@effect/vitest"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import { fieldsOf } from "../support/Answer.ts"
import { withFresh } from "../support/Steps.ts"
import { almoner, json, world } from "./CommandWorld.ts"

const at = ["--organisation", "harbour-sandbox"]

const { live } = withFresh(world)

const zone = ["--name", "Harbour", "--timezone", "UTC", "--default-currency", "AUD", "--plan", "ENTERPRISE"]
const made = json("organisation", "create", "--slug", "harbour", ...zone)

live("trigger makes every event type that happens, once more each time, with nothing else running", function* () {
  yield* made
  const printed = new Set<string>()
  for (const type of [...eventTypes, ...eventTypes.slice(0, 3)]) {
    const event = yield* json("trigger", type, ...at)
    assert.strictEqual(event.type, type)
    assert.deepStrictEqual(yield* json("event", "show", event.id, ...at), event)
    assert.isFalse(printed.has(event.id), type)
    printed.add(event.id)
  }
})

live("trigger says why it cannot, and what there is", function* () {
  yield* made
  const { data } = yield* json("trigger", "--list")
  assert.deepStrictEqual(fieldsOf(data, "type"), [...eventTypes])
  const refusals = [
    [["trigger", "donor.created", "--organisation", "harbour"], "forbidden", /is live\. Use harbour-sandbox\.$/],
    [["trigger", "donor.vanished", ...at], "validation_failed", /^<type> must be one of /],
    [["trigger", "donor.created"], "usage", /^Say which organisation/],
    [["trigger", ...at], "usage", /^Name an event type/]
  ] as const
  for (const [args, code, message] of refusals) {
    const { stderr } = yield* almoner("--json", ...args)
    const { error } = JSON.parse(stderr)
    assert.strictEqual(error.code, code, stderr)
    assert.match(error.message, message)
  }
})
