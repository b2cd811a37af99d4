/** A record whose time has run out. Only these fields are read to find it: the others may be damaged. */
export interface Expirable {
  readonly organisation_id: string
  readonly id: string
  /** When it ran out, milliseconds since the epoch. */
  readonly expired_millis: number
}
