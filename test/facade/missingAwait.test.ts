import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { closeGate } from "../../src/adapters/postgres/host/HostPool.ts"
import { fieldsOf } from "../support/Answer.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { rounds } from "../support/Rounds.ts"
import { type ConnectionKind, type Host, inTransaction, makeHost, pledges } from "./Host.ts"

type Kind = "ours" | "ours refused by a rule" | "ours refused by the database" | "host"

interface Step {
  readonly kind: Kind
  /** What passes before it is begun: nothing, a turn of the promises, or of the event loop. */
  readonly after: "at once" | "a promise" | "a turn"
  readonly form: "promise" | "callback" | "config"
}

const script = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom<Kind>("ours", "ours refused by a rule", "ours refused by the database", "host", "host"),
    after: fc.constantFrom("at once", "a promise", "a turn"),
    form: fc.constantFrom("promise", "callback", "config")
  }),
  { minLength: 2, maxLength: 9 }
)

type Client = Parameters<Parameters<typeof inTransaction>[2]>[0]

const insert = "INSERT INTO pledges VALUES ($1)"

const hosts = (client: Client, form: Step["form"], name: string): Promise<unknown> => {
  if (form === "promise") return client.query(insert, [name])
  return new Promise((resolve, reject) => {
    const done = (error: Error | null | undefined) => (error instanceof Error ? reject(error) : resolve(null))
    if (form === "callback") client.query(insert, [name], done)
    else client.query({ text: insert, values: [name] }, done)
  })
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Begins every step without waiting for those before it, and answers the names that must be kept. */
const interleaved = async ({ almoner, caller }: Host, client: Client, steps: ReadonlyArray<Step>, run: number) => {
  const { revenueCodes } = almoner.within(client).as(caller)
  const ours: Array<string> = []
  const theirs: Array<string> = []
  const under: Array<Promise<unknown>> = []
  for (const [index, { after, form, kind }] of steps.entries()) {
    const name = `${run}-${index}`
    if (after === "a promise") await Promise.resolve()
    else if (after === "a turn") await turn()
    if (kind === "host") {
      theirs.push(name)
      under.push(hosts(client, form, name))
    } else if (kind === "ours") {
      ours.push(name)
      under.push(revenueCodes.create({ code: name }))
    } else {
      const code = kind === "ours refused by a rule" ? "" : "taken"
      under.push(revenueCodes.create({ code }).outcome())
    }
  }
  await Promise.all(under)
  return { ours, theirs }
}

const withHost = (connected: ConnectionKind, body: (host: Host) => Promise<void>) =>
  Effect.scoped(Effect.flatMap(makeHost(connected), (host) => Effect.promise(() => body(host))))

describe("statements that a host does not await, beside ours on its client", () => {
  it.live(
    "are never undone with a part of ours, in whatever order they are begun",
    () =>
      withHost("pool", async (host) => {
        const { almoner, caller, pool } = host
        await almoner.revenueCodes.create(caller, { code: "taken" })
        let run = 0
        await forEveryAsyncWith({ numRuns: 170 * rounds }, script, async (steps) => {
          run += 1
          const kept = { ours: [] as string[], theirs: [] as string[] }
          await inTransaction(host, "COMMIT", async (client) => {
            const own = Object.getOwnPropertyNames(client)
            Object.assign(kept, await interleaved(host, client, steps, run))
            assert.deepStrictEqual(Object.getOwnPropertyNames(client), own)
          })
          const isOfRun = (text: string) => text.startsWith(`${run}-`)
          assert.deepStrictEqual((await pledges(host)).filter(isOfRun), kept.theirs.toSorted())
          const { rows } = await pool.query("SELECT code FROM revenue_codes WHERE code LIKE $1 ORDER BY code", [
            `${run}-%`
          ])
          assert.deepStrictEqual(rows.map(({ code }) => code).toSorted(), kept.ours.toSorted())
        })
      }),
    60_000 * rounds
  )

  it.live("wait in their order: a COMMIT that is not awaited comes after our part", () =>
    withHost("pool", async (host) => {
      const { almoner, caller, pool } = host
      const client = await pool.connect()
      await client.query("BEGIN")
      const ours = almoner.within(client).as(caller).revenueCodes.create({ code: "last" })
      await turn()
      const ended = client.query("COMMIT")
      await ours
      await ended
      client.release()
      assert.strictEqual((await almoner.revenueCodes.list(caller)).data[0]?.code, "last")
    })
  )

  it.live("a COMMIT comes after all of ours that were begun before it, and after the host's between them", () =>
    withHost("pool", async (host) => {
      const { almoner, caller, pool } = host
      const client = await pool.connect()
      const own = Object.getOwnPropertyNames(client)
      await client.query("BEGIN")
      const { revenueCodes } = almoner.within(client).as(caller)
      const ours = [revenueCodes.create({ code: "first" }), revenueCodes.create({ code: "second" })]
      const between = client.query(insert, ["between"])
      ours.push(revenueCodes.create({ code: "third" }))
      const ended = client.query("COMMIT")
      const made = await Promise.all(ours.map((each) => each.outcome()))
      assert.deepStrictEqual(fieldsOf(made, "ok"), [true, true, true])
      await Promise.all([between, ended])
      assert.deepStrictEqual(Object.getOwnPropertyNames(client), own)
      client.release()
      assert.lengthOf((await almoner.revenueCodes.list(caller)).data, 3)
      assert.deepStrictEqual(await pledges(host), ["between"])
    })
  )
})

describe("the gate of a client", () => {
  it("gives a cursor back at once, rejects what the driver throws, and leaves the client as it was", async () => {
    const sent: Array<unknown> = []
    class Client {
      query(asked: unknown): Promise<{ rows: []; command: string }> {
        if (asked === null) throw new TypeError("no query")
        sent.push(asked)
        return Promise.resolve({ rows: [], command: "" })
      }
    }
    const client = new Client()
    const { direct, open } = closeGate(client)
    const cursor = { submit: () => {} }
    assert.strictEqual(client.query(cursor) as unknown, cursor)
    const refused = client.query(null).catch((error: unknown) => error)
    const text = client.query("a")
    assert.deepStrictEqual(sent, [])
    await direct.query({ text: "ours", values: [], types: { getTypeParser: () => String } })
    assert.lengthOf(sent, 1)
    open()
    assert.instanceOf(await refused, TypeError)
    await text
    assert.deepStrictEqual(sent.slice(1), [cursor, "a"])
    assert.deepStrictEqual(Object.getOwnPropertyNames(client), [])
  })

  it("refuses a client that cannot be held back", () => {
    const frozen = Object.freeze({ query: () => Promise.resolve({ rows: [], command: "" }) })
    assert.throws(() => closeGate(frozen), TypeError)
  })
})
