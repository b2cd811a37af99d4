import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type DeliveryCapacity, makeDeliverySlots } from "../../src/app/outbox/delivery/DeliverySlots.ts"
import { makeEndpointHealth } from "../../src/app/outbox/delivery/EndpointHealth.ts"
import { DeliveryId, OrganisationId, WebhookEndpointId } from "../../src/domain/kernel/Ids.ts"
import { forEvery } from "../support/Property.ts"

const digits = (n: number): string => String(n).padStart(26, "0")
const endpoint = (n: number) => WebhookEndpointId.make(`whe_${digits(n)}`)
const organisation = (n: number) => OrganisationId.make(`org_${digits(n)}`)

const capacity: DeliveryCapacity = { total: 20, kept: 5, perOrganisation: 10, perNewEndpoint: 3, perFastEndpoint: 8 }

const perTenant = 4

/** Everything has a backlog without end: a claim brings all that it may, in turns of endpoints. */
const world = () => {
  const slots = makeDeliverySlots(capacity)
  const underWay = new Map<WebhookEndpointId, Array<{ id: DeliveryId; since: number }>>()
  const owner = (n: number) => organisation(Math.floor(n / perTenant))
  let made = 0
  /** Whether the worker was told that something may have waited for room since its last round began. */
  let isWoken = false
  const count = (ids: Iterable<number>) =>
    [...ids].reduce((sum, n) => sum + (underWay.get(endpoint(n))?.length ?? 0), 0)

  /** `meanwhile` happens between the claim's limits and its answer. */
  const claim = (wanting: ReadonlyArray<number>, now: number, meanwhile: () => void = () => {}): number => {
    const asked = slots.ask(now)
    if (asked === undefined) return 0
    meanwhile()
    const claimed: Array<{ id: DeliveryId; endpoint_id: WebhookEndpointId; organisation_id: OrganisationId }> = []
    const taken = (n: number) => claimed.filter((each) => each.endpoint_id === endpoint(n)).length
    const ofOwner = (n: number) => claimed.filter((each) => each.organisation_id === owner(n)).length
    for (let turn = 0; turn < capacity.total; turn++) {
      for (const n of wanting) {
        const room = asked.endpoints.known.get(endpoint(n))?.room ?? asked.endpoints.others
        const ownerRoom = asked.organisations.known.get(owner(n))?.room ?? asked.organisations.others
        if (claimed.length >= asked.limit || taken(n) > turn || taken(n) >= room || ofOwner(n) >= ownerRoom) continue
        claimed.push({
          id: DeliveryId.make(`dlv_${digits(made++)}`),
          endpoint_id: endpoint(n),
          organisation_id: owner(n)
        })
      }
    }
    if (slots.take(asked, claimed, now)) isWoken = true
    for (const { endpoint_id, id } of claimed) {
      underWay.set(endpoint_id, [...(underWay.get(endpoint_id) ?? []), { id, since: now }])
    }
    return claimed.length
  }

  const end = (n: number, answered: boolean, now: number): void => {
    const [first, ...rest] = underWay.get(endpoint(n)) ?? []
    if (first === undefined) return
    underWay.set(endpoint(n), rest)
    const learnt = slots.learn(endpoint(n), { answered, duration_ms: now - first.since }, now)
    const freed = slots.free({ id: first.id, endpoint_id: endpoint(n), organisation_id: owner(n) }, now)
    isWoken ||= learnt || freed
  }

  /** A worker's round, which it begins awake: it claims until a claim brings less than it asked for. */
  const round = (wanting: ReadonlyArray<number>, now: number, meanwhile: () => void): void => {
    isWoken = false
    let during = meanwhile
    for (;;) {
      const limit = slots.ask(now)?.limit
      const brought = claim(wanting, now, during)
      during = () => {}
      if (limit === undefined || brought < limit) return
    }
  }

  return { slots, claim, round, end, count, underWay, isWoken: () => isWoken }
}

const everyone = Array.from({ length: 12 }, (_, n) => n)

describe("the places of a worker", () => {
  it("are never more than there are, in all and of one organisation, whoever wants them and however they end", () =>
    forEvery(
      fc.array(
        fc.oneof(
          fc.record({ wanting: fc.subarray(everyone, { minLength: 1 }) }),
          fc.record({ ends: fc.constantFrom(...everyone), answered: fc.boolean(), after: fc.nat(11_000) })
        ),
        { maxLength: 60 }
      ),
      (script) => {
        const { claim, count, end, slots } = world()
        let now = 0
        for (const step of script) {
          if ("wanting" in step) claim(step.wanting, now)
          else {
            now += step.after
            end(step.ends, step.answered, now)
          }
          assert.isAtMost(slots.size(), capacity.total)
          assert.strictEqual(count(everyone), slots.size())
          for (let tenant = 0; tenant < everyone.length / perTenant; tenant++) {
            const its = everyone.filter((n) => Math.floor(n / perTenant) === tenant)
            assert.isAtMost(count(its), capacity.perOrganisation)
          }
        }
      }
    ))

  it("are never empty while something waits for them and the worker sleeps", () => {
    fc.assert(
      fc.property(
        // Where only one organisation wants any, its own places are what is short.
        fc.oneof(fc.subarray(everyone, { minLength: 1 }), fc.subarray(everyone.slice(0, perTenant), { minLength: 2 })),
        fc.array(
          fc.record({
            meanwhile: fc.array(fc.constantFrom(...everyone), { maxLength: 10 }),
            ends: fc.array(fc.constantFrom(...everyone), { maxLength: 10 })
          }),
          { maxLength: 30 }
        ),
        (wanting, rounds) => {
          const { claim, end, isWoken, round } = world()
          // Endpoints that are known to be fast have room enough, so that the organisation's is what is short.
          for (const n of wanting) {
            for (let each = 0; each < capacity.perFastEndpoint; each++) {
              claim([n], 0)
              end(n, true, 0)
            }
          }
          const ending = (all: ReadonlyArray<number>) => {
            for (const n of all) end(n, true, 0)
          }
          for (const { ends, meanwhile } of rounds) {
            round(wanting, 0, () => ending(meanwhile))
            if (!isWoken()) assert.strictEqual(claim(wanting, 0), 0, "there was room after the round")
            ending(ends)
            if (!isWoken()) assert.strictEqual(claim(wanting, 0), 0, "there was room after an end")
          }
        }
      )
    )
  })

  it("are there for an endpoint that has nothing under way, however much others hold", () =>
    forEvery(
      fc.array(fc.subarray(everyone.slice(0, 8), { minLength: 1 }), { minLength: 1, maxLength: 20 }),
      (greedy) => {
        const { claim, count } = world()
        for (const wanting of greedy) claim(wanting, 0)
        // Eight hang, of two organisations; the ninth is of a third.
        const wanted = 8
        if (count(everyone.slice(0, 8)) < capacity.total) {
          claim([wanted], 0)
          assert.isAtLeast(count([wanted]), 1)
        }
        const idle = everyone.slice(0, 8).filter((n) => count([n]) === 0)
        assert.isAtMost(count(everyone.slice(0, 8)), capacity.total - capacity.kept + (8 - idle.length))
      }
    ))
})

const windows = { first: 4, fast: 64 }

describe("an endpoint that hangs", () => {
  it("is given nothing more within seconds, and then one place at a time, ever less often", () =>
    forEvery(fc.nat(60), (fastBefore) => {
      const health = makeEndpointHealth(windows)
      const id = endpoint(1)
      let now = 1_000
      for (let each = 0; each < fastBefore; each++) {
        health.begin(id, 0, now)
        health.end(id, { answered: true, duration_ms: 1 }, now)
      }
      const window = health.room(id, 0, now)
      assert.isAtMost(window, windows.fast)
      for (let each = 0; each < window; each++) health.begin(id, each, now)
      const begun = now
      assert.strictEqual(health.room(id, 1, begun + 2_000), 0, "nothing was heard for two seconds")
      now = begun + 10_000
      for (let each = 0; each < window; each++) health.end(id, { answered: false, duration_ms: 10_000 }, now)
      assert.strictEqual(health.room(id, 0, now), 0, "open")
      let opened = 0
      for (let probe = 0; probe < 6; probe++) {
        const from = now
        while (health.room(id, 0, now) === 0) now += 100
        assert.isAtLeast(now - from, opened)
        assert.isAtMost(now - from, 62_000)
        opened = Math.min(30_000, now - from)
        assert.strictEqual(health.room(id, 0, now), 1, "half open")
        health.begin(id, 0, now)
        assert.strictEqual(health.room(id, 1, now), 0)
        now += 10_000
        health.end(id, { answered: false, duration_ms: 10_000 }, now)
      }
      while (health.room(id, 0, now) === 0) now += 100
      health.begin(id, 0, now)
      health.end(id, { answered: true, duration_ms: 50 }, now + 50)
      assert.isAtLeast(health.room(id, 0, now + 50), windows.first, "an answer closes it")
    }))

  it("is told apart from one whose other exchanges are answered", () => {
    const health = makeEndpointHealth(windows)
    const id = endpoint(1)
    for (let each = 0; each < 3; each++) health.begin(id, each, 0)
    health.end(id, { answered: true, duration_ms: 9_000 }, 9_000)
    health.end(id, { answered: false, duration_ms: 10_000 }, 10_000)
    assert.isAtLeast(health.room(id, 1, 10_000), 1)
  })

  it("is told apart from one that refuses at once", () =>
    forEvery(fc.array(fc.nat(4_000), { minLength: 1, maxLength: 50 }), (durations) => {
      const health = makeEndpointHealth(windows)
      const id = endpoint(1)
      let now = 0
      for (const duration_ms of durations) {
        health.begin(id, 0, now)
        now += duration_ms
        health.end(id, { answered: false, duration_ms }, now)
      }
      assert.isAtLeast(health.room(id, 0, now), windows.first)
    }))
})

describe("an endpoint that answers quickly", () => {
  it("is given ever more, up to its share, and less when it turns slow", () => {
    const health = makeEndpointHealth(windows)
    const id = endpoint(1)
    assert.strictEqual(health.room(id, 0, 0), windows.first)
    for (let each = 0; each < 100; each++) health.end(id, { answered: true, duration_ms: 5 }, each)
    assert.strictEqual(health.room(id, 0, 100), windows.fast)
    for (let each = 0; each < 10; each++) health.end(id, { answered: true, duration_ms: 3_000 }, 100)
    assert.strictEqual(health.room(id, 0, 100), windows.first)
  })
})
