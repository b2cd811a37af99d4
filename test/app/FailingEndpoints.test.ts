import { assert, describe } from "@effect/vitest"
import { DateTime, Effect, Exit, Option } from "effect"
import { TestClock } from "effect/testing"
import { makeDisableFailing } from "../../src/app/outbox/endpoint/FailingEndpoints.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import type { WebhookEndpoint } from "../../src/domain/outbox/WebhookEndpoint.ts"
import { AuditStore, OrganisationStore, WebhookEndpointStore } from "../../src/ports.ts"
import { at, endpointOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { withFresh } from "../support/Steps.ts"
import { addMember, inviter, Post, sendDue, sentTo, setRole, world } from "./MailerWorld.ts"

const disableFailing = Effect.flatten(makeDisableFailing("sweeper"))

/** An endpoint that has failed for as long as is borne. */
const failingEndpoint = Effect.fnUntraced(function* ({ id }: Organisation) {
  const now = yield* DateTime.now
  const endpoint: WebhookEndpoint = {
    ...(yield* endpointOf(id)),
    url: "https://hooks.example.org/almoner?token=of-the-receiver",
    description: "Ledger <sync>",
    failing_since: DateTime.subtract(now, { hours: Limits.endpointDisableHours }),
    exhausted_at: now
  }
  yield* WebhookEndpointStore.use((store) => store.insert(endpoint))
  return endpoint
})

const { effect } = withFresh(world)

describe("an endpoint that the service disables", () => {
  effect("is told to every admin of its organisation, once, and to nobody else", function* () {
    const organisation = yield* inviter
    yield* addMember(organisation, "ada@example.org", "ADMIN")
    yield* addMember(organisation, "bea@example.org", "ADMIN")
    yield* addMember(organisation, "cy@example.org", "EDITOR")
    yield* addMember(organisation, "dee@example.org", "VIEWER")
    const endpoint = yield* failingEndpoint(organisation)
    assert.strictEqual(yield* disableFailing, 1)
    assert.strictEqual(yield* disableFailing, 0)
    assert.strictEqual(yield* sendDue, 2)
    assert.deepStrictEqual(yield* sentTo, ["ada@example.org", "bea@example.org"])
    for (const { subject, text } of (yield* Post).sent) {
      assert.strictEqual(subject, `A webhook endpoint of ${organisation.name} was disabled`)
      for (const words of [endpoint.id, "hooks.example.org", "Ledger <sync>"]) assert.include(text, words)
      assert.notInclude(text, "of-the-receiver")
    }
  })

  effect("is told no more once it is switched on again, nor to who is an admin no more", function* () {
    const organisation = yield* inviter
    const ada = yield* addMember(organisation, "ada@example.org", "ADMIN")
    yield* addMember(organisation, "bea@example.org", "ADMIN")
    const endpoint = yield* failingEndpoint(organisation)
    assert.strictEqual(yield* disableFailing, 1)
    yield* setRole(organisation, ada, "VIEWER")
    assert.strictEqual(yield* sendDue, 2)
    assert.deepStrictEqual(yield* sentTo, ["bea@example.org"])

    const again = yield* failingEndpoint(organisation)
    assert.strictEqual(yield* disableFailing, 1)
    const store = yield* WebhookEndpointStore
    const found = Option.getOrThrow(yield* store.find(organisation.id, again.id))
    yield* store.update({ ...found, is_active: true, disabled_reason: null, failing_since: null, exhausted_at: null })
    assert.strictEqual(yield* sendDue, 1)
    assert.deepStrictEqual(yield* sentTo, ["bea@example.org"])
    assert.notStrictEqual(again.id, endpoint.id)
  })

  effect("is audited in the name of the worker, once, and nothing is where it was enabled meanwhile", function* () {
    const organisation = yield* inviter
    const endpoint = yield* failingEndpoint(organisation)
    const entries = AuditStore.use((audit) =>
      Effect.map(audit.list(organisation.id, 100), (all) => all.filter(({ subject_id }) => subject_id === endpoint.id))
    )
    const store = yield* WebhookEndpointStore
    const answered = { ...endpoint, failing_since: null, exhausted_at: null }
    const late = yield* makeDisableFailing("sweeper").pipe(
      Effect.provideService(WebhookEndpointStore, {
        ...store,
        // It answers after it was looked for.
        findForUpdate: () => Effect.succeed(Option.some(answered))
      })
    )
    assert.strictEqual(yield* late, 0)
    assert.deepStrictEqual(yield* entries, [])
    assert.strictEqual(yield* disableFailing, 1)
    const [entry, ...more] = yield* entries
    assert.deepStrictEqual(more, [])
    assert.deepInclude(entry, {
      actor_type: "SYSTEM",
      actor_id: "sweeper",
      operation: "webhook_endpoints.disable_failing"
    })
  })

  effect("is disabled though another one breaks, which is told", function* () {
    const [{ id }, organisation] = [yield* newOrganisation(), yield* inviter]
    const first = yield* endpointOf(id, { failing_since: at(-1_000_000_000), exhausted_at: at(0) })
    const endpoints = yield* WebhookEndpointStore
    yield* endpoints.insert(first)
    const second = yield* failingEndpoint(organisation)
    const organisations = yield* OrganisationStore
    const unreadable = {
      ...organisations,
      find: (asked: Organisation["id"]) => (asked === id ? Effect.die("unreadable") : organisations.find(asked))
    }
    const disabling = yield* makeDisableFailing("sweeper").pipe(Effect.provideService(OrganisationStore, unreadable))
    yield* TestClock.setTime(DateTime.toEpochMillis(at(0)))
    assert.isTrue(Exit.isFailure(yield* Effect.exit(disabling)))
    const statuses = yield* Effect.forEach([first, second], (each) =>
      Effect.map(endpoints.find(each.organisation_id, each.id), (found) => Option.getOrThrow(found).is_active)
    )
    assert.deepStrictEqual(statuses, [true, false])
  })
})
