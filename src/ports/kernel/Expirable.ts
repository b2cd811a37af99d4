/** A record whose time has run out, as far as it need be read to be found: it may be damaged otherwise. */
export interface Expirable {
  readonly organisation_id: string
  readonly id: string
}
