import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type pg from "pg"
import { Almoner } from "../../src/index.ts"
import { postgres } from "../../src/postgres.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { hostPool } from "../support/HostPool.ts"
import { charity, keys } from "./Charity.ts"

/** A pool like that of a function in the cloud: few sessions, and whoever waits for one is told before long. */
const withPool = (max: number, body: (pool: pg.Pool) => Promise<void>) =>
  freshUrl.pipe(
    Effect.flatMap((url) => hostPool(url, { max, connectionTimeoutMillis: 15_000 })),
    Effect.flatMap((pool) => Effect.promise(() => body(pool))),
    Effect.scoped
  )

describe("a host's pool", () => {
  it.live("of one session is enough: everything comes in turn, inside the host's transaction too", () =>
    withPool(1, async (pool) => {
      const sent: Array<string> = []
      await using almoner = await Almoner.open({
        backend: postgres({ pool }),
        keys,
        operatorCidrs: ["192.0.2.0/24"],
        mailer: () => Promise.resolve({ _tag: "Sent" }),
        webhookTransport: ({ body }) => {
          sent.push(String(body))
          return Promise.resolve({
            response_status: 204,
            response_excerpt: null,
            retry_after: null,
            error: null,
            duration_ms: 1
          })
        }
      })
      const { sandbox } = await almoner.organisations.create({ ...charity, plan: "ENTERPRISE" })
      const caller = await almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE" })
      await almoner.webhookEndpoints.create(caller, { url: "http://192.0.2.7/hook", event_types: ["donor.created"] })
      const names = ["Ada", "Kim", "Zoe", "Lee", "Sam"]
      await Promise.all(names.map((first_name) => almoner.donors.create(caller, { first_name })))
      assert.lengthOf((await almoner.donors.list(caller, { limit: 100 })).data, names.length)
      const account = { label: "Main", processor_connect_account_id: "acct_1" }
      const { passphrase } = await almoner.integrations.create(caller, account)
      assert.isFalse((await almoner.recipientAccounts.link(caller, { passphrase: "no such words" }).outcome()).ok)
      assert.isNotEmpty(passphrase)
      const client = await pool.connect()
      await client.query("BEGIN")
      const inside = almoner.within(client)
      await inside.donors.create(caller, { first_name: "Pat" })
      await client.query("COMMIT")
      client.release()
      await inside.committed()
      assert.strictEqual(await almoner.dispatch(), names.length + 1)
      assert.lengthOf(sent, names.length + 1)
      await almoner.sendMails()
      await almoner.sweep()
      almoner.workers.start()
      await almoner.donors.create(caller, { first_name: "Last" })
      while (sent.length < names.length + 2) await new Promise((resolve) => setTimeout(resolve, 50))
      await almoner.workers.stop()
    })
  )
})

describe("inside a host's transaction", () => {
  it.live("an organisation and a key that were made in it have a caller, and nobody else has", () =>
    withPool(2, async (pool) => {
      await using almoner = await Almoner.open({ backend: postgres({ pool }), keys })
      const client = await pool.connect()
      await client.query("BEGIN")
      for (const wrong of [pool, undefined, null, {}, "client"]) {
        assert.throws(() => almoner.within(wrong as never), /^almoner\.within takes the client of the driver pg/)
      }
      const inside = almoner.within(client)
      const { live } = await inside.organisations.create(charity)
      const user = { organisation: live.id, user: "ada", scope: "WRITE" } as const
      const caller = await inside.caller(user)
      assert.strictEqual(caller.organisation.slug, "riverside")
      const { secret } = await inside.apiKeys.create(caller, { name: "Till", scope: "READ" })
      const byKey = await inside.authenticate(secret, "req-1")
      assert.deepInclude(byKey, { scope: "READ", request_id: "req-1" })
      assert.isUndefined(await inside.authenticate("alm_live_nothing"))
      const donor = await inside.as(caller).donors.create({ first_name: "Ada" })
      assert.isUndefined(await almoner.authenticate(secret))
      const outside = await almoner.caller(user).outcome()
      assert.strictEqual(outside.ok ? "found" : outside.failure._tag, "NotFound")
      await client.query("ROLLBACK")
      client.release()
      assert.isUndefined(await almoner.authenticate(secret))
      assert.isFalse((await almoner.caller(user).outcome()).ok)
      assert.isFalse((await almoner.donors.read(caller, donor.id).outcome()).ok)
    })
  )
})
