import { ApiKey, Command } from "../../domain/access/ApiKey.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { at } from "./Month.ts"

/** API keys, in use and revoked. */
export const apiKeys: Subject<ApiKey, Command> = {
  schema: ApiKey,
  states: arbitraryOf(ApiKey),
  commands: at(arbitraryOf(Command))
}
