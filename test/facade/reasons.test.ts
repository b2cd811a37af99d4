import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type pg from "pg"
import { Almoner, AlmonerUnavailable, type Caller, type Outcome } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { type HostClient, postgres } from "../../src/postgres.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { makeProxy } from "../support/Proxy.ts"
import { callerIn, keys } from "./Charity.ts"
import { type Host, withHost } from "./Host.ts"

/** The reason and the database's code of a call that was not carried out. */
const toldOf = (outcome: Outcome<unknown, unknown>): ReadonlyArray<unknown> =>
  !outcome.ok && outcome.failure instanceof AlmonerUnavailable
    ? [outcome.failure.reason, outcome.failure.sqlstate]
    : [outcome]

/** Two transactions of a host's at once, which are rolled back. */
const withTwo = async (
  { pool }: Host,
  beginning: string,
  body: (one: pg.PoolClient, other: pg.PoolClient) => Promise<void>
): Promise<void> => {
  const clients = [await pool.connect(), await pool.connect()] as const
  try {
    for (const client of clients) await client.query(beginning)
    await body(...clients)
  } finally {
    for (const client of clients) await client.query("ROLLBACK").finally(() => client.release())
  }
}

const changing = ({ almoner, caller }: Host, client: pg.PoolClient, id: string) =>
  almoner.within(client).donors.update(caller, id, { occupation: "Nurse" }).outcome()

const added = ({ almoner, caller }: { readonly almoner: Almoner<HostClient>; readonly caller: Caller }) =>
  almoner.donors.create(caller, { first_name: "Mary" })

describe("a call that was not carried out says why", () => {
  it.live("retry: transactions that waited for each other, and one that another change came before", () =>
    withHost("pool", async (host) => {
      const [mary, ada] = [await added(host), await added(host)]
      // Whoever waits asks after 10 ms whether it waits in a circle.
      await withTwo(host, "BEGIN; SET LOCAL deadlock_timeout = 10", async (one, other) => {
        await changing(host, one, mary.id)
        await changing(host, other, ada.id)
        const calls = [changing(host, one, ada.id), changing(host, other, mary.id)]
        const answered = calls.map(async (call, index) => [index, await call] as const)
        const [loser, refused] = await Promise.race(answered)
        assert.deepStrictEqual(toldOf(refused), ["retry", "40P01"])
        // What the loser had written before holds the other one until it is undone.
        await [one, other][loser]?.query("ROLLBACK")
        assert.isTrue((await calls[1 - loser])?.ok)
      })
      await withTwo(host, "BEGIN ISOLATION LEVEL REPEATABLE READ", async (one, other) => {
        await other.query("SELECT FROM donors")
        await changing(host, one, mary.id)
        await one.query("COMMIT")
        assert.deepStrictEqual(toldOf(await changing(host, other, mary.id)), ["retry", "40001"])
      })
    })
  )

  it.live("read_only: a transaction that may not write", () =>
    withHost("url", async (host) => {
      await withTwo(host, "BEGIN READ ONLY", async (client) => {
        const outcome = await host.almoner.within(client).donors.create(host.caller, { first_name: "Mary" }).outcome()
        assert.deepStrictEqual(toldOf(outcome), ["read_only", "25006"])
      })
    })
  )

  it.live("away: a database to which there is no way", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshUrl)
      const proxy = yield* makeProxy(Number(new URL(url).port))
      yield* Effect.promise(async () => {
        await using almoner = await Almoner.open({ backend: postgres({ url: proxy.through(url) }), keys })
        const caller = await callerIn(almoner)
        proxy.set("Reset")
        const outcome = await almoner.donors.create(caller, { first_name: "Mary" }).outcome()
        assert.strictEqual(toldOf(outcome)[0], "away")
        proxy.set("Pass")
        await added({ almoner, caller })
      })
    }).pipe(Effect.scoped)
  )

  it("broken: an adapter that throws", async () => {
    await using almoner = await Almoner.open({
      backend: memory(),
      adapters: { WebhookAddresses: { vet: () => Effect.die(new Error("no")) } }
    })
    const caller = await callerIn(almoner)
    const given = { url: "https://example.org/", event_types: ["donor.created"] } as const
    assert.deepStrictEqual(toldOf(await almoner.webhookEndpoints.create(caller, given).outcome()), [
      "broken",
      undefined
    ])
  })
})
