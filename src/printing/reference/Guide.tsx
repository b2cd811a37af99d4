import type { Child } from "hono/jsx"
import { codes, statusOf } from "../../adapters/http/pipeline/ErrorEnvelope.ts"
import { errorGuide, exampleError } from "../../adapters/http/reference/ErrorGuide.ts"
import type { OpenApiDocument } from "../../adapters/http/reference/Spec.ts"
import { operatorWords } from "../../app/access/operation/ListParameters.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { operators } from "../../domain/kernel/Listing.ts"
import { entry } from "./Fields.tsx"
import { bullets, code, jsonCode, paragraphs, prose, section } from "./Markup.tsx"

/** A section of the guide. */
type Topic = readonly [anchor: string, title: string, ...content: Array<Child>]

const serverOf = (document: OpenApiDocument): string => document.servers[0]?.url ?? ""

const authentication = (document: OpenApiDocument): Topic => [
  "authentication",
  "Authentication",
  paragraphs(
    "Every operation but health needs an API key: `Authorization: Bearer <API_KEY>`. The key identifies the caller and the organisation; there is no other way to choose an organisation, and a request with an `x-org-slug` header is refused.",
    "A key is shown once, when it is made. It begins with `alm_live_` for a live organisation and with `alm_test_` for a sandbox. It has a scope: every GET works with READ; every POST, PATCH and DELETE needs WRITE. Some operations need a plan. Each operation below says which key and plan it needs."
  ),
  code(`curl ${serverOf(document)}/api/v1/whoami \\\n  -H "Authorization: Bearer $ALMONER_KEY"`)
]

const requests = (): Topic => [
  "requests",
  "Requests and answers",
  bullets(
    "Bodies are JSON objects in UTF-8 with `Content-Type: application/json`, at most 1 MB.",
    "Timestamps are RFC 3339 date-times in UTC. Amounts named `*_cents` are integers in minor units of the stated currency. Identifiers are opaque strings.",
    "PATCH changes the fields that its body names; `null` clears a field that can be null. In POST, `null` for an optional field is the same as leaving it out.",
    "An unknown field is `invalid_request`; a field of the record that the operation cannot write is `validation_failed`.",
    "DELETE archives or ends; it erases nothing, and a repetition answers 200 again.",
    "Every answer carries `x-request-id`: yours when you send one, a new one otherwise. Quote it when asking for help.",
    "HEAD is GET without the body."
  )
]

const idempotency = (): Topic => [
  "idempotency",
  "Idempotency",
  paragraphs(
    "Send an `Idempotency-Key` of your own with POST and PATCH, and repeat the request with the same key and the same bytes whenever you do not know whether it arrived. The operation runs at most once."
  ),
  bullets(
    `Same key and same body within ${Limits.idempotencyRecordHours} hours: the first answer, byte for byte, with \`Idempotent-Replayed: true\`. That holds for refusals of the operation, too.`,
    "Same key, different body: 409 `idempotency_conflict`.",
    "Same key while the first request is still running: 409 `conflict`. Wait and repeat.",
    "A 401, 403, 429 or 5xx, or a crash, leaves the key free: repeat with the same one.",
    `A key has 1 to ${Limits.idempotencyKeyCharacters} characters and counts for one API key, method and path. Rotating the API key starts anew.`,
    `An answer over ${Limits.storedAnswerBytes / 1_024} KB is not kept: a repetition is 409 \`conflict\`, and the operation does not run again.`,
    "DELETE ignores the header."
  )
]

const rateLimits = (): Topic => [
  "rate-limits",
  "Rate limits",
  paragraphs(
    `An organisation may make ${Limits.requestsPerSecond} requests a second and ${Limits.requestBurst} at once, over all its keys: a bucket of tokens that refills continuously. Sandbox and live have buckets of their own. Requests without a valid key draw on a bucket for each client address. An operator may set another rate; the headers then say so.`,
    "A throttled request is answered 429 `rate_limited` with `Retry-After` in seconds and takes nothing from the bucket."
  ),
  <dl>
    {[
      entry("RateLimit-Limit", "integer", "Requests that a full bucket holds."),
      entry("RateLimit-Remaining", "integer", "Requests that are left."),
      entry("RateLimit-Reset", "integer", "Seconds until the bucket is full."),
      entry("RateLimit-Policy", "string", `\`${Limits.requestsPerSecond};w=1;policy=token bucket\``),
      entry("X-RateLimit-Limit", "integer", "The same as `RateLimit-Limit`."),
      entry("X-RateLimit-Remaining", "integer", "The same as `RateLimit-Remaining`."),
      entry("X-RateLimit-Reset", "integer", "When the bucket is full, Unix seconds.")
    ]}
  </dl>
]

const lists = (document: OpenApiDocument): Topic => [
  "lists",
  "Pagination and filters",
  paragraphs(
    `A list answers \`data\` and \`has_more\`, newest first. \`limit\` is ${Limits.pageDefault} unless given, at most ${Limits.pageMaximum}; a page of large records has fewer, and says \`has_more\`. For the next page send \`starting_after\` with the id of the last record that you have, and the same filters.`,
    "Records that change move in a list that is sorted by `updated_at`. To copy what changed without missing any, ask for a closed window, `sort=updated_at&updated_at[gte]=…&updated_at[lt]=…`, whose end is at least a minute ago. What changes meanwhile leaves the window and belongs to the next one. When the record that `starting_after` names has left it, the answer is `validation_failed` with `param` `starting_after`: go on without it, with `updated_at[gte]` set to the `updated_at` of the last record that you have.",
    "Filters are query parameters: `field=value` or `field[operator]=value`. All of them must hold. A record without a value passes `not_in` and no other operator. A timestamp may be given as a date: midnight UTC, or the organisation's calendar day for `donation_date` and `received_date`. An unknown filter or operator is `invalid_request`.",
    `A request has at most ${Limits.queryParameters} query parameters. \`search\` takes ${Limits.searchCharacters} characters and ${Limits.searchWords} different words, each of which must begin a part of a name or of the e-mail address. Case, accents, apostrophes, hyphens and other signs make no difference: \`zoe\` finds Zoë, \`lukasz\` Łukasz, \`obrien\` and \`brien\` O'Brien.`
  ),
  <dl>{operators.map((operator) => entry(operator, "operator", operatorWords[operator]))}</dl>,
  code(
    `curl -G ${serverOf(document)}/api/v1/donations \\\n  -H "Authorization: Bearer $ALMONER_KEY" \\\n  -d 'donation_date[gte]=2026-04-01' \\\n  -d 'status[in]=CONFIRMED,REFUNDED' \\\n  -d limit=50`
  )
]

const errors = (document: OpenApiDocument): Topic => [
  "errors",
  "Errors",
  paragraphs(
    "Every error is the same JSON envelope. Branch on `error.code`; `error.message` is for people and may change. `error.param` is there only with `validation_failed`. `error.type` and `error.doc_url` lead to the code's place on this page.",
    "Do not repeat a 4xx unchanged, except 429 after `Retry-After`. Repeat 5xx and network errors with exponential backoff and jitter, on POST and PATCH with an Idempotency-Key."
  ),
  jsonCode(exampleError("validation_failed", serverOf(document))),
  ...codes.map((each) =>
    section(
      `error-${each}`,
      3,
      <code>{each}</code>,
      <p class="marks">
        HTTP status <strong>{statusOf[each]}</strong>
      </p>,
      <p>
        <strong>When:</strong> {prose(errorGuide[each].when)}
      </p>,
      <p>
        <strong>What to do:</strong> {prose(errorGuide[each].what_to_do)}
      </p>
    )
  )
]

/** Verifies and accepts a delivery in a receiver on Node: sample code. */
export const receiverExample = `import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"

// The verifier takes the secret's UTF-8 bytes in base64.
const webhook = new Webhook(Buffer.from(process.env.WEBHOOK_SECRET, "utf8").toString("base64"))
const seen = new Set()

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString("utf8")
  try {
    webhook.verify(body, request.headers)
  } catch {
    return response.writeHead(400).end()
  }
  const id = request.headers["webhook-id"]
  if (!seen.has(id)) {
    seen.add(id)
    const event = JSON.parse(body)
    console.log(event.type, event.data.id)
  }
  response.writeHead(204).end()
}).listen(Number(process.env.PORT ?? 9000))
`

const waits = Limits.deliveryDelaysSeconds.slice(1).map((seconds) => {
  const minutes = seconds / 60
  return minutes < 60 ? `${minutes} min` : `${minutes / 60} h`
})

const webhooks = (): Topic => [
  "webhooks",
  "Webhooks",
  paragraphs(
    "Register an endpoint with the event types that it wants; there is no wildcard. A change, its event and the event's deliveries are committed together. A delivery is a POST of the event as JSON, signed by the Standard Webhooks scheme."
  ),
  section(
    "webhooks-signing",
    3,
    "Signing and verification",
    bullets(
      "`webhook-id`: the delivery's id, the same on every retry; a replay by hand has an id of its own.",
      "`webhook-timestamp`: Unix seconds of this attempt. Refuse one that is more than five minutes old.",
      "`webhook-signature`: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the UTF-8 bytes of the whole secret. While a secret is being rotated there are two signatures, separated by a space: accept either.",
      "Verify the bytes as received, before any JSON parser has touched them."
    ),
    code(receiverExample)
  ),
  section(
    "webhooks-retries",
    3,
    "Retries",
    bullets(
      `Answer 2xx within ${Limits.webhookTimeoutMillis / 1_000} seconds; the body is ignored. Everything else is a failure: other statuses, redirects, 410, a timeout.`,
      `There are ${Limits.deliveryAttempts} attempts: at once, and then ${waits.join(", ")} after the one before. After the last one the delivery is FAILED. \`Retry-After\` is recorded and does not change the schedule.`,
      "A delivery can arrive twice. Deduplicate by `webhook-id`, keep the ids for at least 24 hours, and answer 2xx to a duplicate.",
      "Deliveries are not ordered. Reconcile by `occurred_at` and `data.status`.",
      "An endpoint that fails for five days without a single 2xx, and has a delivery that used all its attempts, is disabled. Its record says so; `is_active: true` takes it up again.",
      "Every attempt is recorded, and every delivery can be replayed."
    )
  ),
  section(
    "webhooks-addresses",
    3,
    "Addresses",
    paragraphs(
      "Live organisations need https; sandboxes may use http. Private, loopback, link-local, shared and reserved addresses are refused when the endpoint is saved and again at every delivery, and redirects are not followed."
    )
  )
]

const versioning = (): Topic => [
  "versioning",
  "Versions",
  paragraphs(
    "The version is in the path: `/api/v1`. New operations, optional fields and event types may be added to it. A removal is announced at least six months ahead with `Deprecation` and `Sunset` headers. In donation events `tracking_code` and `tracking_code_id` are deprecated: use `revenue_code` and `revenue_code_id`."
  )
]

/** What comes before the operations. */
export const guideOf = (document: OpenApiDocument): ReadonlyArray<Topic> => [
  authentication(document),
  requests(),
  idempotency(),
  rateLimits(),
  lists(document),
  errors(document),
  webhooks(),
  versioning()
]
