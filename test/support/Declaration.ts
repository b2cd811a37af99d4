import { assert } from "@effect/vitest"
import { Context, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/adapters/http/Api.ts"
import { Lists, Performs, Writes } from "../../src/adapters/http/endpoints/Annotations.ts"
import type { Example } from "../../src/adapters/http/endpoints/Example.ts"
import { shownBy } from "../../src/adapters/http/reference/OpenApi.ts"
import type { FieldNames } from "../../src/app/kernel/decoding/Decoder.ts"
import type { OperationName } from "../../src/app/Operations.ts"
import { type Requirement, reads } from "../../src/domain/access/Policy.ts"
import { idPrefixes } from "../../src/domain/kernel/Ids.ts"
import type { ListSpec } from "../../src/domain/kernel/Listing.ts"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import type { Answer } from "./Answer.ts"

/** The operations that ask something of their caller. */
export type Name = OperationName | "meta.whoami"

export interface DeclaredOperation {
  readonly name: string
  readonly method: string
  /** With `:id` for the record's id, under `/api/v1`. */
  readonly path: string
  /** Null for health, which asks nothing of its caller. */
  readonly operation: Name | null
  readonly requires: Requirement
  /** The names in the path, in its order, with the prefix of the id that each takes. */
  readonly ids: ReadonlyArray<readonly [name: string, prefix: string]>
  readonly list: ListSpec | undefined
  /** Names of the record's fields. */
  readonly writes: ReadonlyArray<string>
  /** The same with the names inside each. */
  readonly record: FieldNames
  /** The reference's example. */
  readonly example: Example
  readonly payload: Schema.Codec<unknown, unknown> | undefined
  readonly answers: ReadonlyMap<number, ReadonlyArray<Schema.Codec<unknown, unknown>>>
}

const codecs = (schemas: ReadonlyMap<number, ReadonlyArray<Schema.Top>>) =>
  [...schemas].map(
    ([status, all]) => [status, all.map((each) => Schema.toCodecJson(each as Schema.Codec<unknown>))] as const
  )

const absent = "01jh00000000000000000000zz"

/** The prefixes whose ids the declared parameters of a path accept, found by trial. */
const idsOf = (path: string, params: Schema.Top | undefined): DeclaredOperation["ids"] => {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)
  if (params === undefined || names.length === 0) return []
  const accepts = Schema.is(params as Schema.Codec<unknown>)
  const all = Object.values(idPrefixes)
  const trials = names.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (tried) => tried.flatMap((before) => all.map((prefix) => [...before, prefix])),
    [[]]
  )
  const pairs = (trial: ReadonlyArray<string>) => names.map((name, index) => [name, trial[index] ?? ""] as const)
  const fits = trials.find((trial) =>
    accepts(Object.fromEntries(pairs(trial).map(([name, prefix]) => [name, `${prefix}_${absent}`])))
  )
  assert.isDefined(fits, `${path} takes no identifier`)
  return pairs(fits ?? [])
}

const declare = (): ReadonlyArray<DeclaredOperation> => {
  const all: Array<DeclaredOperation> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group, mergedAnnotations, successes }) => {
      const asked = Context.getOrUndefined(mergedAnnotations, Performs)
      const record = Context.getOrUndefined(mergedAnnotations, Writes) ?? {}
      const [payload] = [...endpoint.payload.values()].flatMap(({ schemas }): ReadonlyArray<Schema.Top> => schemas)
      all.push({
        name: `${group.identifier}.${endpoint.identifier}`,
        method: endpoint.method,
        path: endpoint.path.slice("/api/v1".length),
        operation: (asked?.name ?? null) as Name | null,
        requires: asked ?? reads("meta.health"),
        ids: idsOf(endpoint.path, endpoint.params),
        list: Context.getOrUndefined(mergedAnnotations, Lists),
        writes: Object.keys(record),
        record,
        example: shownBy({ annotations: mergedAnnotations }) ?? { answer: undefined },
        payload: payload as Schema.Codec<unknown, unknown> | undefined,
        answers: new Map([...codecs(successes), ...codecs(errors)])
      })
    }
  })
  return all
}

/** Every operation of the API. */
export const declaredOperations: ReadonlyArray<DeclaredOperation> = declare()

/** Every operation but health. */
export const guardedOperations = declaredOperations.filter(({ operation }) => operation !== null)

/** Whether a body is read. */
export const writes = ({ method }: DeclaredOperation): boolean => method !== "GET"

/** Whether an Idempotency-Key counts. */
export const takesKey = ({ method }: DeclaredOperation): boolean => method === "POST" || method === "PATCH"

/** Whether the operation concerns one record, named in its path. */
export const concernsOne = ({ path }: DeclaredOperation): boolean => path.includes("/:")

/** The operation's path with this id first, and ids of records that do not exist for the rest. */
export const pathTo = ({ ids, path }: DeclaredOperation, id?: string): string =>
  ids.reduce(
    (text, [name, prefix], index) => text.replace(`:${name}`, (index === 0 ? id : undefined) ?? `${prefix}_${absent}`),
    path
  )

const bodies: { readonly [O in Name]?: unknown } = {
  "organisations.update_own": { name: "Charity" },
  "donors.create": { first_name: "Ada" },
  "donors.update": { first_name: "Grace" },
  "donors.merge": { duplicate_donor_id: `dnr_${absent}` },
  "contact_logs.create": { contact_method: "PHONE" },
  "contact_logs.update": { notes: "Called back" },
  "donations.create": {
    donor_id: `dnr_${absent}`,
    donation_type: "MONETARY",
    amount_cents: 100,
    donation_date: "2026-01-01"
  },
  "revenue_codes.create": { code: "General" },
  "revenue_codes.update": { description: "Where needed most" },
  "forms.create": { name: "Winter appeal" },
  "forms.update": { title: "Give this winter" },
  "forms.mint_link": { donor_id: `dnr_${absent}` },
  "recommendation_sets.mint_link": { donor_id: `dnr_${absent}` },
  "checkout_links.create": { donor_email: "ada@example.org", amount_cents: 100 },
  "checkout_links.update": { amount_cents: 200 },
  "recipient_accounts.link": { passphrase: "wrong" },
  "recipient_accounts.update": { label: "Ours" },
  "introductions.send": { invitee_email: "bea@example.org" },
  "webhook_endpoints.create": { url: "https://hooks.example.org/in", event_types: eventTypes.slice(0, 1) },
  "webhook_endpoints.update": { description: "Ours" }
}

/** A body that passes decoding. */
export const soundBody = ({ example, operation }: DeclaredOperation): unknown =>
  operation === null ? {} : (bodies[operation] ?? example.request ?? {})

/** The declared operation that a request goes to. */
export const operationFor = (method: string, path: string): DeclaredOperation | undefined => {
  const verb = method === "HEAD" ? "GET" : method
  return declaredOperations.find(
    (each) => each.method === verb && new RegExp(`^${each.path.replaceAll(/:\w+/g, "[^/]+")}$`).test(path)
  )
}

/** Holds an answer to what its operation declares: the status, and a body with all its fields and no other. */
export const assertDeclared = (operation: DeclaredOperation, answer: Answer): void => {
  const schemas = operation.answers.get(answer.status)
  assert.isDefined(schemas, `${operation.name} does not declare ${answer.status}: ${answer.text}`)
  const exact = { onExcessProperty: "error" } as const
  const body = answer.at("")
  const fits = schemas?.some((schema) => Schema.decodeUnknownResult(schema)(body, exact)._tag === "Success")
  assert.isTrue(fits, `${operation.name} declares another body for ${answer.status}: ${answer.text}`)
}

/** The names of the fields of the body that an operation takes. */
export const fieldNamesOf = ({ payload }: DeclaredOperation): ReadonlyArray<string> =>
  payload?.ast._tag === "Objects" ? payload.ast.propertySignatures.map(({ name }) => String(name)) : []
