import type { Scope } from "./ApiKey.ts"
import type { Organisation } from "./Organisation.ts"

/** Who acts, as the audit records it. */
export interface Actor {
  readonly type: "API_KEY" | "USER" | "SYSTEM"
  /** The key's or the user's id; for the system, the name of what acts. */
  readonly id: string
}

/** On whose behalf a use case runs. The organisation is the only tenant that it can see. */
export interface Caller {
  readonly organisation: Organisation
  readonly actor: Actor
  readonly scope: Scope
  readonly request_id: string
}
