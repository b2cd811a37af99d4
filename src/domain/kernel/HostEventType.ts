/** A type of events that a host declares. The catalogue has none that begins so. docs/decisions/0054. */
export type HostEventType = `x.${string}`
