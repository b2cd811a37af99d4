import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Option } from "effect"
import fc from "fast-check"
import { WebhookDeliveries } from "../../src/app/outbox/WebhookDeliveries.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { Delivery } from "../../src/domain/outbox/Delivery.ts"
import { AuditStore, DeliveryStore, SandboxClockStore, WebhookEndpointStore } from "../../src/ports.ts"
import { at, deliveryOf, endpointOf, eventOf, newOrganisation, queryOf } from "../../src/testing/conformance/Records.ts"
import { forAll } from "../../src/testing/conformance/Suite.ts"
import { almoner, json, world } from "../adapters/CommandWorld.ts"
import { fieldsOf } from "../support/Answer.ts"
import { withLayer } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { replay, store, type Way } from "./ReplayWorld.ts"

const countOf = (organisation: Organisation) =>
  DeliveryStore.use((deliveries) =>
    Effect.gen(function* () {
      let count = 0
      for (let cursor: string | null = null; ; ) {
        const page: { readonly data: ReadonlyArray<Delivery>; readonly has_more: boolean } = yield* deliveries.list(
          organisation.id,
          queryOf({ limit: 100, starting_after: cursor })
        )
        count += page.data.length
        cursor = page.data.at(-1)?.id ?? null
        if (!page.has_more) return count
      }
    })
  )

/** The newest deliveries, newest first. */
const newest = (organisation: Organisation, limit = 100) =>
  DeliveryStore.use((deliveries) => deliveries.list(organisation.id, queryOf({ limit })))

const way: fc.Arbitrary<Way> = fc.record({
  second: fc.nat(20),
  status: fc.constantFrom("PENDING", "FAILED", "DELIVERED"),
  endpoint: fc.constantFrom("active", "active", "disabled", "deleted"),
  replay: fc.constantFrom("none", "none", "FAILED", "DELIVERED", "PENDING")
})

/** The guide's reason against a replay, for each way by itself; null where it is replayed. */
const reasonOf = (each: Way): string | null => {
  if (each.endpoint !== "active") return `endpoint_${each.endpoint}`
  if (each.replay === "PENDING") return "under_way"
  return each.status === "FAILED" && each.replay === "DELIVERED" ? "received" : null
}

withLayer(world)("a replay of all since a time", ({ effect, it }) => {
  it.effect("sends what was selected and can be sent, once, and says why not the rest; a dry run says the same", () =>
    forAll(
      60,
      fc.tuple(fc.array(way, { maxLength: 12 }), fc.nat(20), fc.nat(20), fc.constantFrom("FAILED", "DELIVERED")),
      Effect.fnUntraced(function* ([ways, since, length, status]) {
        const { organisation, originals } = yield* store(ways)
        const inside = ways.flatMap((each, index) =>
          each.second >= since && each.second < since + length ? [{ each, original: originals[index] }] : []
        )
        const selected = inside.filter(({ each }) => each.status === status)
        // A replay ended as one of the selected ones did, and stands beside its original.
        const replays = inside.filter(({ each }) => each.replay === status)
        const sendable = selected.filter(({ each }) => reasonOf(each) === null)
        const expected = new Map<string, number>()
        for (const { each } of selected) {
          const reason = reasonOf(each)
          if (reason !== null) expected.set(reason, (expected.get(reason) ?? 0) + 1)
        }
        for (const { each } of replays) {
          const reason = each.endpoint === "active" ? "replay" : `endpoint_${each.endpoint}`
          expected.set(reason, (expected.get(reason) ?? 0) + 1)
        }
        const given = { since: at(since), until: at(since + length), status } as const
        const before = yield* countOf(organisation)
        const dry = yield* replay(organisation, { ...given, dry_run: true })
        assert.strictEqual(yield* countOf(organisation), before)
        assert.deepInclude(dry, {
          dry_run: true,
          selected: selected.length + replays.length,
          replayable: sendable.length,
          next: null
        })
        assert.sameDeepMembers(fieldsOf(dry.refused, "reason", "count"), [...expected])
        assert.deepStrictEqual(yield* replay(organisation, given), { ...dry, dry_run: false })
        assert.strictEqual(yield* countOf(organisation), before + sendable.length)
        const pending = (yield* newest(organisation)).data.filter(({ status }) => status === "PENDING")
        for (const { original } of sendable) {
          const own = pending.filter(({ replay_of }) => replay_of === original?.id)
          assert.lengthOf(own, 1)
          const made = own.map(({ attempt_count, endpoint_id, event_id }) => [event_id, endpoint_id, attempt_count])
          assert.deepStrictEqual(made, [[original?.event_id, original?.endpoint_id, 0]])
        }
        const audited = yield* AuditStore.use((audit) => audit.list(organisation.id, 100))
        assert.lengthOf(
          audited.filter(({ operation }) => operation === "webhook_deliveries.replay"),
          sendable.length
        )
        // A replay that is under way is not sent again, so that a repetition only takes up what is left.
        assert.strictEqual((yield* replay(organisation, given)).replayable, 0)
      })
    )
  )

  effect("works in slices, and a repetition takes up what is left", function* () {
    const ways = Array.from(
      { length: 250 },
      (_, second): Way => ({ second, status: "FAILED", endpoint: "active", replay: "none" })
    )
    const { organisation } = yield* store(ways)
    const before = yield* countOf(organisation)
    const some = yield* replay(organisation, { until: at(120) })
    assert.deepInclude(some, { selected: 120, replayable: 120, next: null })
    const rest = yield* replay(organisation)
    assert.deepInclude(rest, { selected: 250, replayable: 130 })
    assert.deepStrictEqual(fieldsOf(rest.refused, "reason", "count"), [["under_way", 120]])
    assert.strictEqual(yield* countOf(organisation), before + 250)
  })

  effect("is refused for a period that ends before it begins, and for a cursor that is none", function* () {
    const { organisation } = yield* store([])
    const late = yield* Effect.flip(replay(organisation, { since: at(2), until: at(1) }))
    assert.deepInclude(late, { _tag: "InvalidInput", param: "until" })
    const { originals } = yield* store([{ second: 1, status: "FAILED", endpoint: "active", replay: "none" }])
    const [elsewhere] = originals
    const foreign = Option.getOrThrow(Option.fromNullishOr(elsewhere?.id))
    const lost = yield* Effect.flip(replay(organisation, { starting_after: foreign }))
    assert.deepInclude(lost, { _tag: "InvalidInput", param: "starting_after" })
    const future = DateTime.addDuration(yield* DateTime.now, "1 day")
    const early = yield* Effect.flip(
      WebhookDeliveries.use((deliveries) => deliveries.replaySince({ since: future, dry_run: true })).pipe(
        asOperator(organisation)
      )
    )
    assert.deepInclude(early, { _tag: "InvalidInput", param: "since" })
  })

  effect("goes by the clock of a sandbox, for what is selected and for what is made", function* () {
    const organisation = { ...(yield* newOrganisation()), is_sandbox: true }
    const day = 86_400_000
    yield* SandboxClockStore.use((clocks) =>
      Effect.andThen(
        clocks.claim(organisation.id, "mover", Duration.minutes(1)),
        clocks.advance(organisation.id, "mover", 30 * day, Duration.minutes(1))
      )
    )
    const now = yield* DateTime.now
    const made = DateTime.add(now, { days: 29 })
    const endpoint = yield* endpointOf(organisation.id)
    yield* WebhookEndpointStore.use((endpoints) => endpoints.insert(endpoint))
    const failed = { status: "FAILED", next_attempt_at: null, attempt_count: 6, completed_at: now } as const
    const delivery = yield* deliveryOf(yield* eventOf(organisation.id), endpoint, { created_at: made, ...failed })
    yield* DeliveryStore.use((deliveries) => deliveries.insert(delivery))
    const report = yield* WebhookDeliveries.use((deliveries) =>
      deliveries.replaySince({ since: DateTime.add(now, { days: 28 }), dry_run: false })
    ).pipe(asOperator(organisation))
    assert.deepInclude(report, { selected: 1, replayable: 1 })
    const [first] = (yield* newest(organisation, 1)).data
    assert.deepStrictEqual(
      [first?.replay_of, first === undefined || DateTime.isGreaterThan(first.created_at, made)],
      [delivery.id, true]
    )
  })
})

withLayer(world)("a replay of one delivery", ({ effect }) => {
  effect("is refused while ten of its event to its endpoint are under way, and no other", function* () {
    const way = { status: "FAILED", endpoint: "active" } as const
    const { organisation, originals } = yield* store([
      { ...way, second: 1, replay: "FAILED" },
      { ...way, second: 2, replay: "none" }
    ])
    const [one, other] = [originals[0] ?? assert.fail(), originals[1] ?? assert.fail()]
    const again = (id: Delivery["id"]) =>
      WebhookDeliveries.use((deliveries) => deliveries.replay(id)).pipe(asOperator(organisation))
    const first = yield* again(one.id)
    for (let count = 1; count < 10; count++) yield* again(one.id)
    const refusal = yield* Effect.flip(again(one.id))
    assert.strictEqual(refusal._tag, "LimitReached")
    // A replay is of the same event.
    assert.strictEqual((yield* Effect.flip(again(first.id)))._tag, "LimitReached")
    yield* again(other.id)
    assert.strictEqual(yield* countOf(organisation), 3 + 10 + 1)
  })
})

withLayer(world)("delivery replay --since", ({ effect }) => {
  effect("counts first, and sends with --yes", function* () {
    const ways: ReadonlyArray<Way> = [
      { second: 1, status: "FAILED", endpoint: "active", replay: "none" },
      { second: 2, status: "FAILED", endpoint: "disabled", replay: "none" },
      { second: 3, status: "DELIVERED", endpoint: "active", replay: "none" }
    ]
    const { byState, organisation, originals } = yield* store(ways)
    const words = ["delivery", "replay", "--organisation", organisation.slug]
    const since = ["--since", DateTime.formatIso(at(0)), "--until", DateTime.formatIso(at(9))]
    const { stdout } = yield* almoner(...words, ...since)
    assert.match(stdout, /^dry_run +true$/m)
    assert.match(stdout, /^replayable +1$/m)
    assert.match(stdout, /endpoint_disabled +1 +its endpoint is disabled/)
    assert.match(stdout, /\n\nNothing was sent\. [^\n]+--yes\.$/)
    assert.strictEqual(yield* countOf(organisation), 3)
    const sent = yield* json(...words, ...since, "--yes")
    assert.deepInclude(sent, { dry_run: false, selected: 2, replayable: 1, next: null })
    assert.strictEqual(yield* countOf(organisation), 4)
    const delivered = yield* json(...words, ...since, "--status", "DELIVERED")
    assert.deepInclude(delivered, { dry_run: true, selected: 1, replayable: 1 })
    const elsewhere = yield* json(...words, ...since, "--endpoint", byState.disabled.id)
    assert.deepInclude(elsewhere, { selected: 1, replayable: 0 })
    const typed = yield* json(...words, ...since, "--event-type", "donation.created")
    assert.deepInclude(typed, { selected: 0 })
    const one = yield* json("delivery", "replay", originals[2]?.id ?? "", "--organisation", organisation.slug)
    assert.deepInclude(one, { replay_of: originals[2]?.id, status: "PENDING" })
  })

  effect("takes one delivery or a time, and says what is wrong with the time", function* () {
    const { organisation, originals } = yield* store([
      { second: 1, status: "FAILED", endpoint: "active", replay: "none" }
    ])
    const words = ["delivery", "replay", "--organisation", organisation.slug]
    const id = originals[0]?.id ?? ""
    for (const wrong of [[], [id, "--since", "2026-01-01"], [id, "--yes"], [id, "--status", "FAILED"]]) {
      assert.deepInclude(yield* almoner(...words, ...wrong), { status: 2, stdout: "" }, wrong.join(" "))
    }
    for (const since of ["yesterday", "2026-02-30", "2026-01-01 10:00"]) {
      const ran = yield* almoner(...words, "--since", since, "--json")
      assert.deepInclude(ran, { status: 1, stdout: "" })
      const { error } = JSON.parse(ran.stderr)
      assert.deepInclude(error, { code: "validation_failed", param: "since" })
      assert.match(error.message, /^--since must be an RFC 3339 date-time or a date, YYYY-MM-DD\.$/)
    }
    const day = yield* json(...words, "--since", "1940-01-01")
    assert.deepInclude(day, { since: "1940-01-01T00:00:00.000Z", dry_run: true })
  })
})
