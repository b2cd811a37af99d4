/**
 * Notices accepted by hand: bare `node:http` and `pg`, which verify the signature over the body's bytes and its time, and store
 * each event once. DATABASE_URL names an empty database; its first message is `{ port }`. It applies nothing and looks no
 * address up: there is one integration, named in the address.
 */
import { timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import pg from "pg"
import { macOf, signatureHeader } from "../TestNotice.mjs"
import { newId } from "./ids.mjs"

const toleranceSeconds = 300

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
await pool.query(`
  create table notices (
    id text primary key, integration_id text not null, event_id text not null, type text not null, object text not null,
    reference text, charge_id text, status text not null, sent_at timestamptz not null, created_at timestamptz not null,
    unique (integration_id, event_id)
  );
  create index notices_by_time on notices (created_at);
  create index notices_waiting on notices (created_at) where status = 'RECEIVED'`)

const isSigned = (integrationId, header, body) => {
  const [, seconds, mac] = /^t=(\d{1,12}),v1=([\w-]{43})$/.exec(header ?? "") ?? []
  if (mac === undefined || Math.abs(Date.now() / 1_000 - Number(seconds)) > toleranceSeconds) return false
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(integrationId, seconds, body)))
}

async function keep(integrationId, { created_at, id, object, type }) {
  await pool.query(
    `insert into notices values ($1, $2, $3, $4, $5, $6, $7, 'RECEIVED', $8, now())
     on conflict (integration_id, event_id) do nothing`,
    [newId("ntc"), integrationId, id, type, object.kind, object.reference, object.charge_id, created_at]
  )
}

async function answer(request, chunks) {
  const [, integrationId] = /^\/processors\/([^/]+)\/notices$/.exec(request.url) ?? []
  if (integrationId === undefined) return 404
  const body = Buffer.concat(chunks)
  if (!isSigned(integrationId, request.headers[signatureHeader], body)) return 400
  await keep(integrationId, JSON.parse(body.toString("utf8")))
  return 200
}

const server = createServer((request, response) => {
  const chunks = []
  request.on("data", (chunk) => chunks.push(chunk))
  request.on("end", async () => {
    const status = await answer(request, chunks).catch(() => 500)
    response.writeHead(status, { "content-length": 0 }).end()
  })
})

process.once("disconnect", () => process.exit())
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))
