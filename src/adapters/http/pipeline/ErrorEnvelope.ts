import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The ten codes of the contract with their HTTP statuses. service-spec, Errors. */
export const statusOf = {
  invalid_request: 400,
  validation_failed: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  idempotency_conflict: 409,
  rate_limited: 429,
  internal_error: 500
} as const

export type Code = keyof typeof statusOf

const isCode = (name: string): name is Code => Object.hasOwn(statusOf, name)

/** The codes, in the contract's order. */
export const codes: ReadonlyArray<Code> = Object.keys(statusOf).filter(isCode)

/** The schema of a status's codes; it has a name where there are several. */
const codeSchema = (status: number, own: ReadonlyArray<Code>) => {
  const schema = Schema.Literals(own)
  return own.length === 1 ? schema : schema.annotate({ identifier: `Error${status}Code` })
}

const envelope = (status: number) => {
  const own = codes.filter((code) => statusOf[code] === status)
  return Schema.Struct({
    error: Schema.Struct({
      type: Schema.String.annotate({ description: "URL of the code's documentation", format: "uri" }),
      code: codeSchema(status, own),
      message: Schema.String.annotate({ description: "For people; may change" }),
      param: Schema.optionalKey(
        Schema.String.annotate({ description: "Path of the offending input; only with validation_failed" })
      ),
      request_id: Schema.String.annotate({ description: "The same as the x-request-id header" }),
      doc_url: Schema.String.annotate({ description: "The same as type", format: "uri" })
    }).annotate({ description: "What is wrong with the request; `internal_error`: what went wrong with the service" })
  })
    .annotate({ identifier: `Error${status}`, description: `The body of every ${status}: ${own.join(" or ")}` })
    .pipe(HttpApiSchema.status(status))
}

const badRequest = envelope(400)
const unauthorized = envelope(401)
const forbidden = envelope(403)
const notFound = envelope(404)
const conflict = envelope(409)
/** 405, of a path that has other verbs. No operation answers it. */
export const methodNotAllowed = envelope(405)
const rateLimited = envelope(429)
const internalError = envelope(500)

const common = [badRequest, unauthorized, forbidden, rateLimited, internalError] as const

/** The errors of an operation without a record of its own, such as a list. */
export const listErrors = common
export const readErrors = [...common, notFound] as const
export const createErrors = [...common, conflict] as const
export const changeErrors = [...common, notFound, conflict] as const
export const publicErrors = [badRequest, rateLimited, internalError] as const
