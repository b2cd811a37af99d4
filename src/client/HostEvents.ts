import type { Attempt } from "./Attempt.ts"
import type { Event, EventId, HostEventType, OrganisationId } from "./generated/Records.ts"
import type { OutputOf, StandardSchema } from "./StandardSchema.ts"
import type { Page } from "./Types.ts"

/** The schemas of the data of event types that a host of the service declares, by their names: `x.pledge.signed`. */
export type DeclaredEvents = { readonly [T in HostEventType]: StandardSchema }

/** Event types by their schemas: another name than one of a host's own does not compile. */
export type DeclaredOnly<Events> = { readonly [T in keyof Events]: T extends HostEventType ? StandardSchema : never }

/** An event of a type that the host declares, as lists show it; the data are what its schema gives. */
export type HostEvent<Events> = {
  readonly [T in keyof Events & HostEventType]: {
    readonly id: EventId
    readonly type: T
    readonly occurred_at: string
    readonly organisation_id: OrganisationId
    readonly data: OutputOf<Events[T]>
    readonly created_at: string
  }
}[keyof Events & HostEventType]

/** An event of the catalogue, or of a type that the host declares. */
export type AnyEvent<Events> = Event | HostEvent<Events>

/** A call with the events of the host's declaration in its answer. */
type Telling<M, Events> = M extends (...args: infer Given) => AsyncGenerator<Event, void, void>
  ? (...args: Given) => AsyncGenerator<AnyEvent<Events>, void, void>
  : M extends (...args: infer Given) => Attempt<infer A, infer E, infer B>
    ? (...args: Given) => Attempt<A extends Page<Event> ? Page<AnyEvent<Events>> : AnyEvent<Events>, E, B>
    : never

/** Calls that read events, with the types that the host declares. Mapped one by one, so that each keeps its words. */
export type TypedCalls<C, Events> = { readonly [N in keyof C]: Telling<C[N], Events> }
