import type { JsonSchema } from "effect"
import { operatorWords, sortsOf, sortWords } from "../../../app/access/operation/ListParameters.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { type Dimension, type ListSpec, type Operator, operatorsOf } from "../../../domain/kernel/Listing.ts"
import type { Parameter, Pointer } from "./Spec.ts"

/** Finds the named schema with these values. */
type Named = (values: ReadonlyArray<string>) => Pointer

const valueOf = (dimension: Dimension, named: Named): JsonSchema.JsonSchema => {
  switch (dimension.kind) {
    case "enum":
      return { ...named(dimension.values ?? []) }
    case "integer":
      return { type: "integer" }
    case "boolean":
      return { type: "boolean" }
    case "timestamp":
    case "day":
      return {
        anyOf: [
          { type: "string", format: "date-time" },
          { type: "string", format: "date" }
        ]
      }
    case "text":
      return { type: "string" }
  }
}

const query = (name: string, description: string, schema: JsonSchema.JsonSchema): Parameter => ({
  name,
  in: "query",
  required: false,
  description,
  schema
})

const operated = (name: string, dimension: Dimension, operator: Operator, named: Named): Parameter => {
  const description = `${dimension.description}: ${operatorWords[operator]}`
  const value = valueOf(dimension, named)
  return operator === "in" || operator === "not_in"
    ? {
        ...query(`${name}[${operator}]`, description, { type: "array", items: value, minItems: 1 }),
        style: "form",
        explode: false
      }
    : query(`${name}[${operator}]`, description, value)
}

const filters = (spec: ListSpec, named: Named): ReadonlyArray<Parameter> =>
  Object.entries(spec.filters).flatMap(([name, dimension]) => [
    query(name, dimension.description, valueOf(dimension, named)),
    ...operatorsOf(dimension).map((operator) => operated(name, dimension, operator, named))
  ])

/** The query parameters of a list with their JSON types, as OpenAPI shows them. decisions, section 1: Lists. */
export const listParameters = (spec: ListSpec, named: Named): ReadonlyArray<Parameter> => [
  query("limit", `Records on a page, 1 to ${Limits.pageMaximum}.`, {
    type: "integer",
    minimum: 1,
    maximum: Limits.pageMaximum,
    default: Limits.pageDefault
  }),
  query("starting_after", "The id of the last record of the page before.", { type: "string" }),
  ...(spec.archivable === true
    ? [query("archived", "Whether archived records are listed, too.", { type: "boolean", default: false })]
    : []),
  ...(spec.words === undefined
    ? []
    : [
        query(
          "search",
          "Words, each of which must begin a part of a name or of the e-mail address; case, accents and signs make no difference.",
          { type: "string", maxLength: Limits.searchCharacters }
        )
      ]),
  ...(spec.segments === true ? [query("segment", "A segment's slug.", { type: "string" })] : []),
  ...(spec.sorts === undefined
    ? []
    : [query("sort", `${sortWords(spec)}.`, { ...named(sortsOf(spec)), default: "-created_at" })]),
  ...Object.entries(spec.flags ?? {}).map(([name, flag]) =>
    query(name, `${flag.description}.`, { type: "boolean", default: flag.default })
  ),
  ...filters(spec, named)
]

/** Request headers that many operations take. */
export const parameters: Readonly<Record<string, Parameter>> = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: `Makes a repetition safe: the same key with the same body answers the first answer again, for ${Limits.idempotencyRecordHours} hours.`,
    schema: { type: "string", minLength: 1, maxLength: Limits.idempotencyKeyCharacters },
    example: "gift-2026-04-01-0001"
  },
  RequestId: {
    name: "x-request-id",
    in: "header",
    required: false,
    description: "A name of your own for this request; the answer repeats it. One is made when none is sent.",
    schema: { type: "string", minLength: 1, maxLength: Limits.requestIdCharacters }
  }
}

const deliveryHeader = (name: string, description: string, schema: JsonSchema.JsonSchema): Parameter => ({
  name,
  in: "header",
  required: true,
  description,
  schema
})

/** The headers of a delivery. service-spec, Delivery shape. */
export const deliveryParameters: Readonly<Record<string, Parameter>> = {
  WebhookId: deliveryHeader("webhook-id", "The delivery's id, the same on every retry. Deduplicate by it.", {
    type: "string"
  }),
  WebhookTimestamp: deliveryHeader(
    "webhook-timestamp",
    `When this attempt was signed, Unix seconds. Refuse one that is more than ${Limits.webhookToleranceSeconds / 60} minutes old.`,
    { type: "integer" }
  ),
  WebhookSignature: deliveryHeader(
    "webhook-signature",
    "`v1,` and the signature; several are separated by a space while a secret is being rotated.",
    { type: "string" }
  )
}
