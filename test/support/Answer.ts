import { assert } from "@effect/vitest"
import { Predicate } from "effect"
import { codes, statusOf } from "../../src/adapters/http/pipeline/ErrorEnvelope.ts"

/** An answer as it came over the wire, and ways to look into it. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  readonly text: string
  /** The value at a path of the body such as `error.code` or `data.0.id`. */
  at(path: string): unknown
  /** The same where a text must stand. */
  textAt(path: string): string
  /** The same where a list must stand. */
  listAt(path: string): ReadonlyArray<unknown>
}

export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((inner, key) => (Predicate.isObjectOrArray(inner) ? Reflect.get(inner, key) : undefined), value)

/** What each of some records has in a field, or in each of several. */
export const fieldsOf = (records: ReadonlyArray<unknown>, ...names: ReadonlyArray<string>): Array<unknown> =>
  records.map((record) => {
    const values = names.map((name) => valueAt(record, name))
    return values.length === 1 ? values[0] : values
  })

export const answerOf = (status: number, headers: Headers, bytes: Uint8Array): Answer => {
  const isText = !headers.has("content-encoding") && headers.get("content-type")?.startsWith("image/") !== true
  const text = isText ? new TextDecoder("utf-8", { fatal: true }).decode(bytes) : ""
  let body: unknown
  const at = (path: string): unknown => {
    body ??= JSON.parse(text)
    return path === "" ? body : valueAt(body, path)
  }
  return {
    status,
    headers,
    bytes,
    text,
    at,
    textAt: (path) => {
      const found = at(path)
      assert.isString(found, `${path} of ${text}`)
      return String(found)
    },
    listAt: (path) => {
      const found = at(path)
      assert.isArray(found, `${path} of ${text}`)
      return Array.isArray(found) ? found : []
    }
  }
}

/** The properties that every answer of a service must have. */
export interface Expectation {
  readonly burst: number
  readonly perSecond: number
  /** The service's time, milliseconds since the epoch. */
  readonly now: number
  readonly apiBaseUrl: string
  readonly sentRequestId: string | undefined
  /** Whether it is outside the API, where there are pages and pictures, too. */
  readonly isOutside?: boolean
}

const integerHeader = (answer: Answer, name: string): number => {
  const text = answer.headers.get(name)
  assert.match(text ?? "", /^\d+$/, name)
  return Number(text)
}

const requestIdShape = /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** decisions, section 2, step 1: a legal value of 1 to 255 characters is echoed. */
const isEchoed = (id: string): boolean => /^[\t\x20-\x7e]{1,255}$/.test(id)

/** service-spec, Limits: Rate-limit headers. */
const assertRateHeaders = (answer: Answer, { burst, now, perSecond }: Expectation): void => {
  const remaining = integerHeader(answer, "RateLimit-Remaining")
  const reset = integerHeader(answer, "RateLimit-Reset")
  assert.strictEqual(integerHeader(answer, "RateLimit-Limit"), burst)
  assert.strictEqual(integerHeader(answer, "X-RateLimit-Limit"), burst)
  assert.strictEqual(integerHeader(answer, "X-RateLimit-Remaining"), remaining)
  assert.strictEqual(answer.headers.get("RateLimit-Policy"), `${perSecond};w=1;policy=token bucket`)
  assert.isAtMost(remaining, burst)
  assert.isTrue(reset >= (burst - remaining - 1) / perSecond && reset <= Math.ceil(burst / perSecond), `reset ${reset}`)
  const until = integerHeader(answer, "X-RateLimit-Reset") - now / 1_000
  assert.isTrue(until >= reset - 1 && until <= reset + 1, `X-RateLimit-Reset ${until} s from here, ${reset} s promised`)
}

/** The headers that tell of the rate limit. */
export const rateHeaders = [
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "RateLimit-Policy",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset"
] as const

/** Whether it is the 429 of a limit that is not the rate limit: that one is answered with tokens left. */
const isLockout = (answer: Answer): boolean =>
  answer.status === 429 && rateHeaders.every((name) => !answer.headers.has(name))

/** service-spec, Errors: one envelope; no key is beside the stated ones. A replayed error keeps its first id. */
const assertEnvelope = (answer: Answer, { apiBaseUrl }: Expectation): void => {
  const { error, ...rest } = Object(answer.at(""))
  assert.deepStrictEqual(rest, {})
  const code = codes.find((each) => each === error.code)
  assert.isDefined(code, answer.text)
  // A transfer coding that is not read has a status of its own.
  const status = answer.status === 501 ? 400 : answer.status
  assert.strictEqual(code === undefined ? 0 : statusOf[code], status)
  const doc_url = `${apiBaseUrl}/docs#error-${code}`
  const replayed = answer.headers.has("Idempotent-Replayed")
  const request_id = replayed ? error.request_id : answer.headers.get("x-request-id")
  const param = code === "validation_failed" ? { param: error.param } : {}
  assert.deepStrictEqual(error, { type: doc_url, code, message: error.message, ...param, request_id, doc_url })
  assert.isTrue(typeof error.message === "string" && error.message.length > 0 && error.message.length < 2_000)
  if (code === "validation_failed") assert.isTrue(typeof error.param === "string" && error.param !== "", answer.text)
  if (code === "rate_limited") assert.isAtLeast(integerHeader(answer, "Retry-After"), 1)
  if (code === "method_not_allowed") assert.match(answer.headers.get("Allow") ?? "", /^[A-Z]+(, [A-Z]+)*$/)
}

/** Holds an answer to what the contract says of every answer. */
export const assertLaws = (answer: Answer, expectation: Expectation): void => {
  const { isOutside, sentRequestId } = expectation
  const requestId = answer.headers.get("x-request-id") ?? ""
  if (sentRequestId !== undefined && isEchoed(sentRequestId)) assert.strictEqual(requestId, sentRequestId)
  else assert.match(requestId, requestIdShape)
  if (!isLockout(answer)) assertRateHeaders(answer, expectation)
  if (answer.status === 204 || answer.status === 304) {
    assert.deepStrictEqual([answer.bytes.byteLength, answer.headers.get("content-type")], [0, null])
    return
  }
  assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
  if (isOutside === true && answer.headers.get("content-type") !== "application/json") return
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  // RFC 9110, section 15.5.2.
  assert.strictEqual(answer.headers.get("WWW-Authenticate"), answer.status === 401 ? "Bearer" : null)
  // 503 is what a probe is told, and no error of the API.
  if (answer.status >= 400 && answer.status !== 503 && answer.bytes.byteLength > 0) assertEnvelope(answer, expectation)
}

/** Asserts a refusal: its code, and the input that it names. */
export const assertRefused = (answer: Answer, code: string, param?: string): void => {
  assert.deepStrictEqual(
    { code: answer.at("error.code"), param: answer.at("error.param") },
    { code, param },
    `${answer.status} ${answer.text}`
  )
}
