import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { ReadinessChecks, ReadinessState } from "../../src/ports/kernel/Readiness.ts"
import { assertRefused } from "../support/Answer.ts"
import { addressHeader, type Service, startService } from "../support/Service.ts"
import { memory } from "../support/Stores.ts"

const good: ReadinessChecks = { database: "ok", writes: "ok", migrations: "ok", key_ring: "ok" }

/** The needs that the probe finds, and the number of looks. */
interface Watched {
  needs: ReadinessChecks
  looks: number
  gate: Promise<void>
  readonly readiness: Effect.Effect<ReadinessChecks>
}

const makeWatched = (): Watched => {
  const watched: Watched = {
    needs: good,
    looks: 0,
    gate: Promise.resolve(),
    readiness: Effect.suspend(() => {
      watched.looks += 1
      return Effect.as(
        Effect.promise(() => watched.gate),
        watched.needs
      )
    })
  }
  return watched
}

const withService = async (run: (service: Service, watched: Watched) => Promise<void>) => {
  const watched = makeWatched()
  const service = await startService({ stores: memory, readiness: watched.readiness })
  await run(service, watched).finally(() => service.stop())
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

describe("GET /ready", () => {
  it("answers 200 without a key while all is well, and 503 with what is not", () =>
    withService(async (service, watched) => {
      service.pace = 1_001
      const standing = fc.constantFrom<ReadinessState>("ok", "failed", "unknown")
      const needs = fc.record({ database: standing, writes: standing, migrations: standing, key_ring: standing })
      const probed = fc.asyncProperty(needs, async (given) => {
        watched.needs = given
        const answer = await service.call("GET", "/ready")
        const isReady = Object.values(given).every((each) => each === "ok")
        assert.deepStrictEqual(answer.at(""), {
          status: isReady ? "ready" : "unavailable",
          checks: { ...given, server: "ok" },
          regimes_to_review: {},
          policy_violations: {},
          request_id: answer.headers.get("x-request-id")
        })
        assert.strictEqual(answer.status, isReady ? 200 : 503)
        assert.strictEqual(answer.headers.get("retry-after"), isReady ? null : "1")
        assert.strictEqual((await service.call("HEAD", "/ready")).status, answer.status)
      })
      await fc.assert(probed, { numRuns: 60 })
    }))

  it("says from their day on how many regimes of a jurisdiction are to be checked again, and stays ready", () =>
    withService(async (service) => {
      const due = async (day: string) => {
        service.clock.now = Date.parse(day)
        const answer = await service.call("GET", "/ready")
        assert.strictEqual(answer.status, 200)
        return answer.at("regimes_to_review")
      }
      assert.deepStrictEqual(await due("2026-12-30T23:59:59Z"), {})
      assert.deepStrictEqual(await due("2026-12-31T00:00:00Z"), { AU: 1 })
    }))

  it("is unavailable where looking breaks", async () => {
    const service = await startService({ stores: memory, readiness: Effect.die(new Error("it broke")) })
    const answer = await service.call("GET", "/ready")
    assert.deepStrictEqual([answer.status, answer.at("checks.database")], [503, "failed"])
    await service.stop()
  })

  it("is seen through a flood from one address, and asks the database once a second", () =>
    withService(async (service, watched) => {
      service.pace = 0
      for (let second = 1; second <= 3; second++) {
        const answers = await Promise.all(Array.from({ length: 500 }, () => service.call("GET", "/ready")))
        for (const { status } of answers) assert.strictEqual(status, 200)
        assert.strictEqual(watched.looks, second)
        service.clock.advance(1_000)
      }
    }))

  it("shares one look among those who ask while it is under way, however long it takes", () =>
    withService(async (service, watched) => {
      let open = () => {}
      watched.gate = new Promise((resolve) => {
        open = resolve
      })
      service.pace = 0
      const asked = Array.from({ length: 20 }, () => service.call("GET", "/ready"))
      while (watched.looks === 0) await new Promise((resolve) => setImmediate(resolve))
      open()
      for (const { status } of await Promise.all(asked)) assert.strictEqual(status, 200)
      assert.strictEqual(watched.looks, 1)
      service.clock.advance(1_000)
      await service.call("GET", "/ready")
      assert.strictEqual(watched.looks, 2)
    }))

  it("takes no other verb, and no organisation", () =>
    withService(async (service) => {
      assertRefused(await service.call("POST", "/ready", { json: {} }), "method_not_allowed")
      assertRefused(await service.call("GET", "/ready", { headers: { "x-org-slug": "a" } }), "invalid_request")
    }))

  it("is not there where nobody looks", async () => {
    const service = await startService({ stores: memory })
    assertRefused(await service.call("GET", "/ready"), "not_found")
    await service.stop()
  })

  it("is unavailable as soon as the server stops, for a probe that came before, too", () =>
    withService(async (service, watched) => {
      let open = () => {}
      watched.gate = new Promise((resolve) => {
        open = resolve
      })
      const port = await service.listen({ drainTimeoutMillis: 20_000 })
      const asked = fetch(`http://127.0.0.1:${port}/ready`)
      while (watched.looks === 0) await new Promise((resolve) => setImmediate(resolve))
      const stopped = service.stop()
      // Whoever asks from now on is refused the connection.
      while (await isListening(port)) await new Promise((resolve) => setImmediate(resolve))
      open()
      const answer = await asked
      const { checks, status } = Object(await answer.json())
      assert.deepStrictEqual([answer.status, status, checks], [503, "unavailable", { ...good, server: "draining" }])
      await stopped
    }))
})

describe("GET /api/v1/health", () => {
  it("does not look", () =>
    withService(async (service, watched) => {
      const answer = await service.call("GET", "/api/v1/health", { headers: { [addressHeader]: "192.0.2.9" } })
      assert.deepStrictEqual([answer.status, watched.looks], [200, 0])
    }))
})
