import { Schema } from "effect"
import { Limits } from "../kernel/Limits.ts"
import { GivenId, TextUpTo } from "../kernel/Text.ts"
import type { Scope } from "./ApiKey.ts"
import type { Organisation } from "./Organisation.ts"

/** The id of a request as the audit records it: the host's own, or one that the service made. */
export const RequestId = TextUpTo(Limits.requestIdCharacters).check(Schema.isMinLength(1))

/** Who acts, as the audit records it. */
export const Actor = Schema.Struct({
  type: Schema.Literals(["API_KEY", "USER", "SYSTEM"]),
  /** The key's or the user's id; for the system, the name of what acts. */
  id: GivenId
})
export type Actor = typeof Actor.Type

/** On whose behalf a use case runs. The organisation is the only tenant that it can see. */
export interface Caller {
  readonly organisation: Organisation
  readonly actor: Actor
  readonly scope: Scope
  readonly request_id: string
}
