import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { AlmonerUnavailable, type Outcome } from "../../src/index.ts"
import { fieldsOf } from "../support/Answer.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { contents, type Host, inTransaction, pledges, withHost } from "./Host.ts"

const code = (text: string) => ({ code: text })

type Step = "ours" | "ours refused by a rule" | "ours refused by the database" | "host"

const steps: ReadonlyArray<Step> = ["ours", "ours refused by a rule", "ours refused by the database", "host"]

/** The reason and the database's code of a call that was not carried out. */
const toldOf = (outcome: Outcome<unknown, unknown>): ReadonlyArray<unknown> =>
  !outcome.ok && outcome.failure instanceof AlmonerUnavailable
    ? [outcome.failure.reason, outcome.failure.sqlstate]
    : [outcome]

/** Does a step and answers what it leaves behind if the host commits. */
const perform = async (host: Host, client: Parameters<Host["almoner"]["within"]>[0], step: Step, name: string) => {
  const { almoner, caller } = host
  const codes = almoner.within(client).as(caller).revenueCodes
  switch (step) {
    case "host":
      await client.query({ text: "INSERT INTO pledges VALUES ($1)", values: [name], types: hostTypes })
      return
    case "ours":
      await codes.create(code(name))
      return
    case "ours refused by a rule":
      assert.strictEqual((await codes.create(code("")).outcome()).ok, false)
      return
    case "ours refused by the database": {
      const outcome = await codes.create(code("taken")).outcome()
      assert.strictEqual(outcome.ok ? "recorded" : outcome.failure._tag, "AlreadyTaken")
    }
  }
}

const hostTypes = { getTypeParser: () => (text: string) => text }

for (const connected of ["pool", "url"] as const) {
  describe(`the transaction of a host, Almoner connected by ${connected}`, () => {
    it.live("host's rows and ours commit together or not at all, whatever was refused on the way", () =>
      withHost(connected, async (host) => {
        const { almoner, caller } = host
        await almoner.revenueCodes.create(caller, code("taken"))
        let run = 0
        await forEveryAsyncWith(
          { numRuns: 12 },
          fc.array(fc.constantFrom(...steps), { maxLength: 6 }),
          fc.constantFrom("COMMIT" as const, "ROLLBACK" as const),
          async (script, ending) => {
            run += 1
            const name = (index: number) => `${run}-${index}`
            const before = await contents(host)
            await inTransaction(host, ending, async (client) => {
              for (const [index, step] of script.entries()) await perform(host, client, step, name(index))
            })
            if (ending === "ROLLBACK") return assert.strictEqual(await contents(host), before)
            const kept = (step: Step) => script.flatMap((each, index) => (each === step ? [name(index)] : []))
            const isOfRun = (text: string) => text.startsWith(`${run}-`)
            assert.deepStrictEqual((await pledges(host)).filter(isOfRun), kept("host"))
            const { data } = await almoner.revenueCodes.list(caller, { limit: 100 })
            const codes = data.map((each) => each.code).filter(isOfRun)
            assert.deepStrictEqual(codes.toSorted(), kept("ours"))
          }
        )
      })
    )

    it.live("an event is delivered when the host has committed, and not before", () =>
      withHost(connected, async (host) => {
        const { almoner, caller, sent } = host
        await almoner.webhookEndpoints.create(caller, { url: "http://192.0.2.7/hook", event_types: ["donor.created"] })
        await inTransaction(host, "ROLLBACK", async (client) => {
          await almoner.within(client).donors.create(caller, { first_name: "Gone" })
        })
        await inTransaction(host, "COMMIT", async (client) => {
          await almoner.within(client).donors.create(caller, { first_name: "Mary" })
          assert.strictEqual(await almoner.dispatch(), 0)
        })
        assert.strictEqual(await almoner.dispatch(), 1)
        assert.lengthOf(sent, 1)
        assert.include(sent[0]?.body, "Mary")
      })
    )

    it.live("reads inside give the same as reads outside, whatever the host's timezone and parsers", () =>
      withHost(connected, async (host) => {
        const { almoner, caller } = host
        const donor = await almoner.donors.create(caller, { first_name: "Mary", email: "mary@example.org" })
        const given = { donor_id: donor.id, amount_cents: 5_000, donation_type: "MONETARY" } as const
        await almoner.donations.create(caller, { ...given, donation_date: "1890-02-03" })
        await almoner.webhookEndpoints.create(caller, { url: "http://192.0.2.7/hook", event_types: ["donor.created"] })
        await inTransaction(host, "COMMIT", async (client) => {
          const inside = almoner.within(client)
          assert.deepStrictEqual(await inside.donors.read(caller, donor.id), donor)
          assert.deepStrictEqual(
            await inside.webhookEndpoints.list(caller),
            await almoner.webhookEndpoints.list(caller)
          )
          const since = { donation_date: { gte: "1890-01-01" } }
          assert.deepStrictEqual(
            await inside.donations.list(caller, since),
            await almoner.donations.list(caller, since)
          )
          assert.deepStrictEqual(await inside.events.list(caller), await almoner.events.list(caller))
        })
      })
    )

    it.live("calls on one client take turns, and one that is refused undoes its own writes only", () =>
      withHost(connected, async (host) => {
        const { almoner, caller } = host
        await inTransaction(host, "COMMIT", async (client) => {
          const names = Array.from({ length: 8 }, (_, index) => `code-${index % 6}`)
          const outcomes = await Promise.all(
            names.map((name) => almoner.within(client).revenueCodes.create(caller, code(name)).outcome())
          )
          assert.deepStrictEqual(
            fieldsOf(outcomes, "ok"),
            names.map((_, index) => index < 6)
          )
        })
        assert.lengthOf((await almoner.revenueCodes.list(caller)).data, 6)
      })
    )

    it.live("a client with no open transaction is refused, and nothing is written", () =>
      withHost(connected, async (host) => {
        const { almoner, caller, pool } = host
        const before = await contents(host)
        const client = await pool.connect()
        const outcome = await almoner.within(client).donors.create(caller, { first_name: "Mary" }).outcome()
        client.release()
        assert.deepStrictEqual(toldOf(outcome), ["no_transaction", "25P01"])
        assert.strictEqual(await contents(host), before)
      })
    )

    it.live("a transaction of the host's that has failed stays the host's to end", () =>
      withHost(connected, async (host) => {
        const { almoner, caller } = host
        const before = await contents(host)
        await inTransaction(host, "ROLLBACK", async (client) => {
          await client.query("SELECT nothing").catch(() => {})
          const outcome = await almoner.within(client).donors.create(caller, { first_name: "Mary" }).outcome()
          assert.deepStrictEqual(toldOf(outcome), ["no_transaction", "25P02"])
        })
        assert.strictEqual(await contents(host), before)
      })
    )
  })
}
