import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result, Schema } from "effect"
import { DeliveryId, EventId, WebhookEndpointId } from "../../../src/domain/kernel/Ids.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import type { Status } from "../../../src/domain/outbox/Delivery.ts"
import { EarlierReplay, reasonAgainst, replaySelection, sliceOf } from "../../../src/domain/outbox/Replay.ts"

const instant = DateTime.makeUnsafe("2026-03-04T05:06:07Z")
const active = Option.some({ deleted_at: null, is_active: true })
const disabled = Option.some({ deleted_at: null, is_active: false })
const deleted = Option.some({ deleted_at: instant, is_active: true })
const original = DeliveryId.make(`dlv_0${"a".repeat(25)}`)
const endpoint_id = WebhookEndpointId.make(`whe_0${"b".repeat(25)}`)

interface Case {
  readonly status: "DELIVERED" | "FAILED"
  readonly replays: ReadonlyArray<Status>
  readonly reason: string | null
}

const ofActive: ReadonlyArray<Case> = [
  { status: "FAILED", replays: [], reason: null },
  { status: "FAILED", replays: ["FAILED", "FAILED"], reason: null },
  { status: "FAILED", replays: ["FAILED", "PENDING"], reason: "under_way" },
  { status: "FAILED", replays: ["DELIVERED", "FAILED"], reason: "received" },
  { status: "FAILED", replays: ["DELIVERED", "PENDING"], reason: "under_way" },
  { status: "DELIVERED", replays: [], reason: null },
  { status: "DELIVERED", replays: ["DELIVERED", "FAILED"], reason: null },
  { status: "DELIVERED", replays: ["PENDING"], reason: "under_way" }
]

describe("the reason against a replay", () => {
  it.each(ofActive)(
    "of a delivery that is $status, with replays $replays, is $reason",
    ({ reason, replays, status }) => {
      const delivery = { status, replay_of: null }
      const found = replays.map((each) => ({ status: each }))
      assert.strictEqual(Option.getOrNull(reasonAgainst(delivery, active, found)), reason)
      assert.strictEqual(Option.getOrNull(reasonAgainst({ status, replay_of: original }, active, found)), "replay")
      for (const replay_of of [null, original]) {
        const each = { status, replay_of }
        assert.strictEqual(Option.getOrNull(reasonAgainst(each, disabled, found)), "endpoint_disabled")
        assert.strictEqual(Option.getOrNull(reasonAgainst(each, deleted, found)), "endpoint_deleted")
        assert.strictEqual(Option.getOrNull(reasonAgainst(each, Option.none(), found)), "endpoint_deleted")
      }
    }
  )
})

const selection = replaySelection(["donor.created", "donor.updated"])
const read = (given: object) => Schema.decodeUnknownResult(selection)({ dry_run: true, ...given })

describe("what is replayed", () => {
  it.each([
    ["2026-03-04", "2026-03-04T00:00:00.000Z"],
    ["2026-03-04T05:06:07Z", "2026-03-04T05:06:07.000Z"],
    ["2026-03-04T15:06:07+10:00", "2026-03-04T05:06:07.000Z"]
  ])("since %s is since %s", (since, at) => {
    const { since: moment } = Result.getOrThrow(read({ since }))
    assert.strictEqual(DateTime.formatIso(moment), at)
  })

  it.each(["yesterday", "2026-02-30", "2026-03-04T25:00:00Z", ""])("since %j is refused", (since) => {
    assert.isTrue(Result.isFailure(read({ since })))
  })

  it("ended in one of two statuses", () => {
    for (const status of ["FAILED", "DELIVERED"]) {
      assert.strictEqual(Result.getOrThrow(read({ since: "2026-03-04", status })).status, status)
    }
    assert.isTrue(Result.isFailure(read({ since: "2026-03-04", status: "PENDING" })))
  })

  it("is asked for oldest first, as many at once as the limit says, of the statuses, endpoint and type that are named", () => {
    const since = DateTime.makeUnsafe("2026-03-01T00:00:00Z")
    const query = sliceOf(
      { since, endpoint_id, event_type: "donor.created", status: "DELIVERED", dry_run: false },
      instant,
      original
    )
    assert.deepInclude(query, {
      limit: Limits.replayedTogether,
      starting_after: original,
      archived: false,
      words: [],
      segment: null,
      sort: { column: "created_at", descending: false }
    })
    assert.deepStrictEqual(query.conditions, [
      { column: "created_at", type: "timestamp", operator: "gte", values: [Date.UTC(2026, 2, 1)] },
      { column: "created_at", type: "timestamp", operator: "lt", values: [Date.UTC(2026, 2, 4, 5, 6, 7)] },
      { column: "status", type: "text", operator: "eq", values: ["DELIVERED"] },
      { column: "endpoint_id", type: "text", operator: "eq", values: [endpoint_id] },
      { column: "event_type", type: "text", operator: "eq", values: ["donor.created"] }
    ])
    const { conditions } = sliceOf({ since, dry_run: false }, instant, null)
    assert.deepStrictEqual(conditions.slice(2), [
      { column: "status", type: "text", operator: "eq", values: ["FAILED"] }
    ])
  })

  it("looks at earlier replays of every status", () => {
    const accepts = Schema.is(EarlierReplay)
    const event_id = EventId.make(`evt_0${"c".repeat(25)}`)
    for (const status of ["PENDING", "DELIVERED", "FAILED"]) assert.isTrue(accepts({ event_id, endpoint_id, status }))
    assert.isFalse(accepts({ event_id, endpoint_id, status: "ENDED" }))
  })
})
