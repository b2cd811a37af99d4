/**
 * What a good engineer writes by hand with Fastify and `pg`: the same authentication, rate limit, headers, validation
 * and records as the service, one statement after the other. DATABASE_URL names an empty database, ENDPOINT_URL the
 * receiver of its one webhook endpoint, DONORS how many donors it has. Its first message is `{ port, write_key, donor_ids }`.
 */
import { createHash } from "node:crypto"
import Fastify from "fastify"
import pg from "pg"
import { createDonation, listDonations } from "./donations.mjs"
import { updateDonor } from "./donors.mjs"
import { newId } from "./ids.mjs"
import { prepare } from "./schema.mjs"
import { createSet } from "./sets.mjs"

const keyCacheMillis = 5_000
const perSecond = Number(process.env.RATE_LIMIT_PER_SECOND ?? 1_000_000)
const burst = Number(process.env.RATE_LIMIT_BURST ?? 1_000_000)

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
const seeded = await prepare(pool, process.env.ENDPOINT_URL ?? "http://127.0.0.1:9/", Number(process.env.DONORS ?? 100))

const callers = new Map()

async function findCaller(key) {
  const hash = createHash("sha256").update(key).digest("hex")
  const known = callers.get(hash)
  if (known !== undefined && known.until > Date.now()) return known.caller
  const { rows } = await pool.query(
    "select id as key_id, organisation_id, scope from api_keys where key_hash = $1 and revoked_at is null",
    [hash]
  )
  const caller = rows[0] ?? null
  callers.set(hash, { caller, until: Date.now() + keyCacheMillis })
  return caller
}

const buckets = new Map()

function take(organisation) {
  const now = Date.now()
  const bucket = buckets.get(organisation) ?? { tokens: burst, at: now }
  bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond)
  bucket.at = now
  buckets.set(organisation, bucket)
  const allowed = bucket.tokens >= 1
  if (allowed) bucket.tokens -= 1
  const reset = Math.ceil((burst - bucket.tokens) / perSecond)
  const remaining = Math.floor(bucket.tokens)
  return {
    allowed,
    headers: {
      "ratelimit-limit": burst,
      "ratelimit-remaining": remaining,
      "ratelimit-reset": reset,
      "ratelimit-policy": `${burst};w=1;policy=token bucket`,
      "x-ratelimit-limit": burst,
      "x-ratelimit-remaining": remaining,
      "x-ratelimit-reset": Math.floor(now / 1_000) + reset
    }
  }
}

const app = Fastify({
  genReqId: (request) => request.headers["x-request-id"] ?? newId("req"),
  bodyLimit: 1_048_576
})

const fail = (request, reply, status, code, message) =>
  reply.code(status).send({ error: { type: "api_error", code, message, request_id: request.id, doc_url: null } })

app.decorateRequest("caller", null)
app.decorateRequest("rawBody", null)

app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
  request.rawBody = body
  try {
    done(null, JSON.parse(body.toString("utf8")))
  } catch (error) {
    error.statusCode = 400
    done(error)
  }
})

app.addHook("onRequest", async (request, reply) => {
  reply.header("x-request-id", request.id)
  const { authorization = "" } = request.headers
  const caller = authorization.startsWith("Bearer ") ? await findCaller(authorization.slice(7)) : null
  if (caller === null) return fail(request, reply, 401, "unauthorized", "a known API key is required")
  request.caller = caller
  const { allowed, headers } = take(caller.organisation_id)
  reply.headers(headers)
  if (!allowed) return fail(request, reply, 429, "rate_limited", "too many requests")
})

app.setErrorHandler((error, request, reply) => {
  if (error.validation !== undefined) return fail(request, reply, 400, "validation_failed", error.message)
  const status = error.statusCode ?? 500
  return fail(request, reply, status, status < 500 ? "invalid_request" : "internal_error", error.message)
})

app.get(
  "/api/v1/whoami",
  {
    schema: {
      response: {
        200: { type: "object", properties: { organisation_id: { type: "string" }, scope: { type: "string" } } }
      }
    }
  },
  async ({ caller }) => ({ organisation_id: caller.organisation_id, scope: caller.scope })
)

const newDonation = {
  type: "object",
  required: ["donor_id", "donation_type", "amount_cents", "donation_date"],
  additionalProperties: false,
  properties: {
    donor_id: { type: "string", minLength: 1, maxLength: 50 },
    donation_type: { enum: ["MONETARY", "IN_KIND"] },
    amount_cents: { type: "integer", minimum: 1, maximum: 1_000_000_000 },
    donation_date: { type: "string", format: "date" },
    external_id: { type: ["string", "null"], maxLength: 255 },
    payment_method: { type: ["string", "null"], maxLength: 255 }
  }
}

const keyedHeaders = {
  type: "object",
  required: ["idempotency-key"],
  properties: { "idempotency-key": { type: "string", minLength: 1, maxLength: 255 } }
}

const writing = (work) => async (request, reply) => {
  const { refusal, response, status } = await work(pool, {
    caller: request.caller,
    id: request.params.id,
    input: request.body,
    key: request.headers["idempotency-key"],
    rawBody: request.rawBody,
    requestId: request.id
  })
  if (refusal !== undefined) return fail(request, reply, refusal.status, refusal.code, refusal.message)
  return reply.code(status).type("application/json").send(response)
}

app.post("/api/v1/donations", { schema: { body: newDonation, headers: keyedHeaders } }, writing(createDonation))

const donationFilters = {
  type: "object",
  required: ["donor_id"],
  additionalProperties: false,
  properties: {
    donor_id: { type: "string", minLength: 1, maxLength: 50 },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 10 }
  }
}

app.get("/api/v1/donations", { schema: { querystring: donationFilters } }, ({ caller, query }) =>
  listDonations(pool, caller, query)
)

const donorPatch = {
  type: "object",
  additionalProperties: false,
  properties: { phone: { type: ["string", "null"], maxLength: 50 } }
}

app.patch("/api/v1/donors/:id", { schema: { body: donorPatch, headers: keyedHeaders } }, writing(updateDonor))

const newSet = {
  type: "object",
  required: ["name", "allocations"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 1, maxLength: 255 },
    allocations: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: {
        type: "object",
        required: ["recipient_org_account_link_id", "amount_cents"],
        additionalProperties: false,
        properties: {
          recipient_org_account_link_id: { type: "string", minLength: 1, maxLength: 50 },
          amount_cents: { type: "integer", minimum: 1, maximum: 1_000_000_000 }
        }
      }
    }
  }
}

app.post("/api/v1/recommendation-sets", { schema: { body: newSet, headers: keyedHeaders } }, writing(createSet))

await app.listen({ port: 0, host: "127.0.0.1" })
process.once("disconnect", () => process.exit())
process.send({ port: app.server.address().port, ...seeded })
