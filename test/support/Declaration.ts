import { assert } from "@effect/vitest"
import { Context, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { Lists, Performs, Writes } from "../../src/adapters/http/Annotations.ts"
import { Api } from "../../src/adapters/http/Api.ts"
import { eventTypes } from "../../src/domain/Event.ts"
import type { ListSpec } from "../../src/domain/Listing.ts"
import { type Operation, operations, type Requirement } from "../../src/domain/Policy.ts"
import type { Answer } from "./Answer.ts"

/** An operation as the API declares it. */
export interface Declared {
  readonly name: string
  readonly method: string
  /** With `:id` for the record's id, under `/api/v1`. */
  readonly path: string
  /** Null for health, which asks nothing of its caller. */
  readonly operation: Operation | null
  readonly requires: Requirement
  readonly list: ListSpec | undefined
  /** Names of the record's fields. */
  readonly writes: ReadonlyArray<string>
  readonly payload: Schema.Codec<unknown, unknown> | undefined
  readonly answers: ReadonlyMap<number, ReadonlyArray<Schema.Codec<unknown, unknown>>>
}

const codecs = (schemas: ReadonlyMap<number, ReadonlyArray<Schema.Top>>) =>
  [...schemas].map(
    ([status, all]) => [status, all.map((each) => Schema.toCodecJson(each as Schema.Codec<unknown>))] as const
  )

const declare = (): ReadonlyArray<Declared> => {
  const all: Array<Declared> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group, mergedAnnotations, successes }) => {
      const operation = Context.getOrUndefined(mergedAnnotations, Performs) ?? null
      const [payload] = [...endpoint.payload.values()].flatMap(({ schemas }): ReadonlyArray<Schema.Top> => schemas)
      all.push({
        name: `${group.identifier}.${endpoint.identifier}`,
        method: endpoint.method,
        path: endpoint.path.slice("/api/v1".length),
        operation,
        requires: operation === null ? { scope: "READ", plan: "FREE" } : operations[operation],
        list: Context.getOrUndefined(mergedAnnotations, Lists),
        writes: Context.getOrUndefined(mergedAnnotations, Writes) ?? [],
        payload: payload as Schema.Codec<unknown, unknown> | undefined,
        answers: new Map([...codecs(successes), ...codecs(errors)])
      })
    }
  })
  return all
}

/** Every operation of the API. */
export const declared: ReadonlyArray<Declared> = declare()

/** Every operation but health. */
export const guarded = declared.filter(({ operation }) => operation !== null)

/** Whether a body is read. */
export const writes = ({ method }: Declared): boolean => method !== "GET"

/** Whether an Idempotency-Key counts. */
export const keyed = ({ method }: Declared): boolean => method === "POST" || method === "PATCH"

/** Whether the operation concerns one record, named in its path. */
export const concernsOne = ({ path }: Declared): boolean => path.includes(":id")

const absent = "01jh00000000000000000000zz"

const prefixes: ReadonlyArray<readonly [start: string, prefix: string]> = [
  ["/donors", "dnr"],
  ["/donations", "don"],
  ["/revenue-codes", "rev"],
  ["/webhook-endpoints", "whe"],
  ["/webhook-deliveries", "dlv"],
  ["/events", "evt"]
]

/** The operation's path with the id of a record that does not exist. */
export const pathTo = ({ path }: Declared, id?: string): string => {
  const prefix = prefixes.find(([begin]) => path.startsWith(begin))?.[1]
  return path.replace(":id", id ?? `${prefix}_${absent}`)
}

const bodies: { readonly [O in Operation]?: unknown } = {
  "organisations.update_own": { name: "Charity" },
  "donors.create": { first_name: "Ada" },
  "donors.update": { first_name: "Grace" },
  "donations.create": {
    donor_id: `dnr_${absent}`,
    donation_type: "MONETARY",
    amount_cents: 100,
    donation_date: "2026-01-01"
  },
  "revenue_codes.create": { code: "General" },
  "revenue_codes.update": { description: "Where needed most" },
  "webhook_endpoints.create": { url: "https://hooks.example.org/in", event_types: eventTypes.slice(0, 1) },
  "webhook_endpoints.update": { description: "Ours" }
}

/** A body that passes decoding. */
export const soundBody = ({ operation }: Declared): unknown => (operation === null ? {} : (bodies[operation] ?? {}))

/** The declared operation that a request goes to. */
export const operationFor = (method: string, path: string): Declared | undefined => {
  const verb = method === "HEAD" ? "GET" : method
  return declared.find(
    (each) => each.method === verb && new RegExp(`^${each.path.replace(":id", "[^/]+")}$`).test(path)
  )
}

/** Holds an answer to what its operation declares: the status, and a body with all its fields and no other. */
export const assertDeclared = (operation: Declared, answer: Answer): void => {
  const schemas = operation.answers.get(answer.status)
  assert.isDefined(schemas, `${operation.name} does not declare ${answer.status}: ${answer.text}`)
  const exact = { onExcessProperty: "error" } as const
  const body = answer.at("")
  const fits = schemas?.some((schema) => Schema.decodeUnknownResult(schema)(body, exact)._tag === "Success")
  assert.isTrue(fits, `${operation.name} declares another body for ${answer.status}: ${answer.text}`)
}
