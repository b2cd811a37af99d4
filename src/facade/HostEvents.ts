import { Effect, Predicate, Schema } from "effect"
import { paramOf } from "../app/kernel/decoding/Finding.ts"
import { InvalidOption } from "../app/kernel/host/InvalidOption.ts"
import type { Event, EventId, HostEventType, OrganisationId } from "../client/generated/Records.ts"
import type { InputOf, OutputOf, StandardIssue, StandardSchema } from "../client/StandardSchema.ts"
import type { Wire } from "../client/Wire.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import { InvalidInput } from "../domain/kernel/Rejection.ts"
import { hostEventTypeForm, isHostEventType } from "../domain/outbox/HostEvent.ts"
import type { DeclaredEventTypes, ReadHostEventData } from "../ports/outbox/HostEvents.ts"

/**
 * The schema of an event's data: one of any library that gives Standard Schema version 1 (zod, valibot, arktype, …), or one
 * of Effect. What it gives must be JSON: that is stored and sent.
 */
export type EventSchema = StandardSchema | Schema.Codec<unknown, unknown>

/** The event types that a host declares, each with the schema of its data. */
export type EventSchemas = { readonly [T in HostEventType]: EventSchema }

/** No event types of the host's own. */
export type NoEvents = Readonly<Record<never, never>>

/** The names of the types that are declared. */
export type DeclaredType<Events> = keyof Events & HostEventType

/** The data that are given to be emitted. */
export type EmittedData<S> = S extends StandardSchema ? InputOf<S> : S extends Schema.Top ? Wire<S["Type"]> : never

/** The data as they are stored, sent and handled. */
export type StoredData<S> = S extends StandardSchema ? OutputOf<S> : S extends Schema.Top ? Wire<S["Type"]> : never

/** A host's event: a type that it declares, with its data. */
export type Emission<Events> = {
  readonly [T in DeclaredType<Events>]: { readonly type: T; readonly data: EmittedData<Events[T]> }
}[DeclaredType<Events>]

/** An event of a type that the host declares, as webhooks and lists carry it. */
export type HostEvent<Events> = {
  readonly [T in DeclaredType<Events>]: {
    readonly id: EventId
    readonly type: T
    readonly occurred_at: string
    readonly organisation_id: OrganisationId
    readonly data: StoredData<Events[T]>
    readonly created_at: string
  }
}[DeclaredType<Events>]

/** An event of the catalogue, or of a type that the host declares. */
export type AnyEvent<Events> = Event | HostEvent<Events>

/** An event of one of some types. */
export type EventAmong<Events, T> = Extract<AnyEvent<Events>, { readonly type: T }>

const isStandard = (value: unknown): value is StandardSchema<unknown, unknown> =>
  Predicate.hasProperty(value, "~standard") &&
  Predicate.hasProperty(value["~standard"], "validate") &&
  Predicate.isFunction(value["~standard"].validate)

const isEffectSchema = (value: unknown): value is Schema.Codec<unknown, unknown> => Schema.isSchema(value)

const fieldOf = (issue: StandardIssue | undefined): string =>
  paramOf(["data", ...(issue?.path ?? []).map((part) => (typeof part === "object" ? part.key : part))])

const refusal = (type: string, issue: StandardIssue | undefined): InvalidInput => {
  const param = fieldOf(issue)
  const said = issue?.message ?? "it gives no reason"
  return new InvalidInput({
    param,
    message: `${param} does not fit the schema of ${type}: ${said}.`.replace(/\.\.$/, ".")
  })
}

/** Asks the schema; one that throws or rejects is a defect of the host's. */
const validated =
  (type: string, { "~standard": standard }: StandardSchema<unknown, unknown>): ReadHostEventData =>
  (data) =>
    Effect.flatMap(
      Effect.promise(async () => standard.validate(data)),
      (result) =>
        result.issues === undefined ? Effect.succeed(result.value) : Effect.fail(refusal(type, result.issues[0]))
    )

/** Data of an Effect schema are given and kept as its JSON. */
const coded = (type: string, schema: Schema.Codec<unknown, unknown>): ReadHostEventData => {
  const codec = Schema.toCodecJson(schema)
  const decode = validated(type, Schema.toStandardSchemaV1(codec) as StandardSchema<unknown, unknown>)
  const encode = Schema.encodeUnknownEffect(codec)
  return (data) => Effect.flatMap(decode(data), (value) => Effect.orDie(encode(value)))
}

const where = "The option events of Almoner.open"

const invalid = (message: string) => new InvalidOption("events", message)

const readerOf = (type: string, schema: unknown): ReadHostEventData => {
  if (isStandard(schema)) return validated(type, schema)
  if (isEffectSchema(schema)) return coded(type, schema)
  throw invalid(
    `${where} must have a schema of the data for ${type}: one of Effect, or one that has Standard Schema version 1, as those of zod, valibot and arktype have.`
  )
}

/** The types that a host declares, ready to be used. Throws {@link InvalidOption} for what declares none. */
export const declaredBy = (events: unknown): DeclaredEventTypes => {
  const read = new Map<HostEventType, ReadHostEventData>()
  if (events === undefined) return read
  if (!Predicate.isObject(events) || Array.isArray(events)) {
    throw invalid(`${where} must be an object of schemas by the types of events: { "x.pledge.signed": schema }.`)
  }
  const entries = Object.entries(events)
  if (entries.length > Limits.hostEventTypes) {
    throw invalid(`${where} declares ${entries.length} types of events; there may be ${Limits.hostEventTypes}.`)
  }
  for (const [type, schema] of entries) {
    if (!isHostEventType(type)) {
      throw invalid(
        `${where} declares ${JSON.stringify(type)}, which cannot be a type: its form is ${hostEventTypeForm}.`
      )
    }
    read.set(type, readerOf(type, schema))
  }
  return read
}
