import { Context, type Effect } from "effect"
import type { HostEventType } from "../../domain/kernel/HostEventType.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"
import type { HostEventData } from "../../domain/outbox/Event.ts"

/** Checks the data of one type, and gives what is kept of them. `param` of the refusal begins with `data`. */
export type ReadHostEventData = (data: HostEventData) => Effect.Effect<unknown, InvalidInput>

/** The event types that a host declares, each with what checks its data. */
export type DeclaredEventTypes = ReadonlyMap<HostEventType, ReadHostEventData>

const none: DeclaredEventTypes = new Map()

/**
 * The event types that the host declares beside the catalogue, each with what checks its data: none when nobody declares
 * any, as in the bundled server. Processes that serve one database may declare different ones: each emits and offers its
 * own, and reads all. docs/decisions/0054.
 */
export const HostEvents = Context.Reference<DeclaredEventTypes>("almoner/ports/HostEvents", {
  defaultValue: () => none
})
