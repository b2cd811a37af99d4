import { Effect, Redacted, type Scope } from "effect"
import type pg from "pg"
import { Almoner, type Caller, type WebhookRequest } from "../../src/index.ts"
import { type HostClient, postgres } from "../../src/postgres.ts"
import { freshPool } from "../support/HostPool.ts"
import { rowsOf } from "../support/TableRows.ts"
import { callerIn, keys, receiverAnswer } from "./Charity.ts"

/** A host with a table of its own in Almoner's database. */
export interface Host {
  readonly pool: pg.Pool
  readonly almoner: Almoner<HostClient>
  readonly caller: Caller
  /** The requests that receivers were sent. */
  readonly sent: ReadonlyArray<WebhookRequest>
}

/** How Almoner is connected: by the host's pool, or by connections of its own. */
export type ConnectionKind = "pool" | "url"

/** Opens Almoner in a host. */
export const makeHost = (connected: ConnectionKind): Effect.Effect<Host, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { pool, url } = yield* freshPool
    const sent: Array<WebhookRequest> = []
    const almoner = yield* Effect.acquireRelease(
      Effect.promise(() =>
        Almoner.open({
          backend:
            connected === "pool" ? postgres({ pool }) : postgres({ url: Redacted.value(url), maxConnections: 2 }),
          keys,
          operatorCidrs: ["192.0.2.0/24"],
          webhookTransport: (request) => {
            sent.push(request)
            return Promise.resolve(receiverAnswer)
          }
        })
      ),
      (open) => Effect.promise(() => open.close())
    )
    yield* Effect.promise(() => pool.query("CREATE TABLE pledges (name text PRIMARY KEY)"))
    const caller = yield* Effect.promise(() => callerIn(almoner))
    return { pool, almoner, caller, sent }
  })

/** Runs with a host of its own. */
export const withHost = (connected: ConnectionKind, body: (host: Host) => Promise<void>): Effect.Effect<void> =>
  Effect.scoped(Effect.flatMap(makeHost(connected), (host) => Effect.promise(() => body(host))))

/** Runs in a transaction of the host's, which ends as told. */
export const inTransaction = async (
  { pool }: Host,
  ending: "COMMIT" | "ROLLBACK",
  body: (client: pg.PoolClient) => Promise<void>
): Promise<void> => {
  const client = await pool.connect()
  try {
    await client.query("BEGIN")
    await body(client)
    await client.query(ending)
  } finally {
    client.release()
  }
}

/** The rows of every table, the host's too, as text. */
export const contents = async ({ pool }: Host): Promise<string> => (await rowsOf(pool)).join("\n")

/** The names that the host has kept. */
export const pledges = async ({ pool }: Host): Promise<ReadonlyArray<string>> =>
  (await pool.query<{ name: string }>("SELECT name FROM pledges ORDER BY name")).rows.map(({ name }) => name)
