import { Context } from "effect"
import type { Caller } from "../../domain/access/Caller.ts"

/** On whose behalf the use case runs: provided by whatever authenticated the request. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("almoner/ports/CurrentCaller") {}
