import { ApiKey, Command } from "../../domain/access/ApiKey.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { at } from "./Month.ts"

/** API keys, in use and revoked. */
export const apiKeys: Subject<ApiKey, Command> = {
  schema: ApiKey,
  states: arbitraryOf(ApiKey),
  commands: at(arbitraryOf(Command)),
  // decisions, section 5: API key. ACTIVE → REVOKED, terminal.
  expect: { Revoke: { from: ["ACTIVE"], to: "REVOKED", changes: (_, { at }) => ({ revoked_at: at }) } },
  steps: {
    "what opens nothing any more never opens again": ({ before, after }) =>
      before.revoked_at === null || after.revoked_at === before.revoked_at
  }
}
