import { assert } from "@effect/vitest"
import { Effect } from "effect"
import pg from "pg"
import type { DemoKeys } from "./Almoner.ts"

type Fields = { readonly [field: string]: unknown }

export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  /** The body as it came. */
  readonly text: string
  /** The body as JSON; empty when it is none. */
  readonly body: Fields
}

/** A request to the API. */
export interface Call {
  readonly key?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, or as it is when it is a text. */
  readonly body?: unknown
}

const fieldsOf = (text: string): Fields => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

const send = async (base_url: string, path: string, { body, headers, key, method }: Call): Promise<ApiAnswer> => {
  const answer = await fetch(`${base_url}/api/v1${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: fieldsOf(text) }
}

/** Sends a request; undefined when the connection broke before the answer was whole. */
export const attempt = (base_url: string, path: string, call: Call = {}): Effect.Effect<ApiAnswer | undefined> =>
  Effect.promise(() => send(base_url, path, call).catch(() => undefined))

/** Sends a request that is answered. */
export const call = (base_url: string, path: string, sent: Call = {}): Effect.Effect<ApiAnswer> =>
  Effect.promise(() => send(base_url, path, sent))

/** Every record of a list, by its pages. */
export const listAll = Effect.fnUntraced(function* (base_url: string, path: string, key: string) {
  const records: Array<Fields> = []
  for (let more = true; more; ) {
    const after = records.length === 0 ? "" : `&starting_after=${records.at(-1)?.["id"]}`
    const { body, status, text } = yield* call(base_url, `${path}?limit=100${after}`, { key })
    if (status !== 200) return yield* Effect.die(new Error(text))
    const { data, has_more } = body
    if (Array.isArray(data)) for (const record of data) records.push(record)
    more = has_more === true
  }
  return records
})

/** A gift, told from others by its amount. */
export const gift = (donor_id: string, amount_cents: number) => ({
  ...{ donor_id, amount_cents },
  donation_type: "MONETARY",
  donation_date: "2026-01-10"
})

/** Sends gifts by their number, each under a key of its own. */
export const giftSender = (base_url: string, key: string, donor_id: string) => (n: number) =>
  attempt(base_url, "/donations", { key, headers: { "idempotency-key": `gift ${n}` }, body: gift(donor_id, n) })

/** Every gift of an organisation, of which each number to the last must be there once. */
export const allGiven = Effect.fnUntraced(function* (base_url: string, key: string, last: number) {
  const gifts = yield* listAll(base_url, "/donations", key)
  assert.deepStrictEqual(
    gifts.map(({ amount_cents }) => Number(amount_cents)).sort((a, b) => a - b),
    Array.from({ length: last }, (_, index) => index + 1)
  )
  return gifts
})

/** A donor of the sandbox, and an endpoint there that takes both events of its gifts. */
export const prepare = Effect.fnUntraced(function* (demo: DemoKeys, url: string) {
  const key = demo.sandbox.write_key
  const donor = yield* call(demo.base_url, "/donors", { key, body: { first_name: "Ada" } })
  const event_types = ["donation.created", "donation.succeeded"]
  const endpoint = yield* call(demo.base_url, "/webhook-endpoints", { key, body: { url, event_types } })
  if (endpoint.status !== 201) return yield* Effect.die(new Error(endpoint.text))
  return { donor_id: `${donor.body["id"]}`, secret: `${endpoint.body["secret"]}` }
})

/** Runs one statement as the superuser and answers its rows. */
export const query = (url: string, statement: string): Effect.Effect<ReadonlyArray<Fields>> =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  })

/** Ends the sessions of every Almoner on this database. */
export const terminateBackends = (url: string) =>
  query(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
  )

/** Lets the leases of workers that are gone run out now. */
export const expireLeases = (url: string) =>
  query(url, "UPDATE pending_deliveries SET lease_until = to_timestamp(0) WHERE lease_id IS NOT NULL")

/** Makes every delivery due that waits for its next attempt. */
export const makeDue = (url: string) =>
  query(url, "UPDATE pending_deliveries SET next_attempt_at = least(next_attempt_at, now()) WHERE lease_id IS NULL")
