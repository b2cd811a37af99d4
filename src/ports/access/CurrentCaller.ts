import { Context } from "effect"
import type { Caller } from "../../domain/access/Caller.ts"

/** The caller on whose behalf the use case runs: provided by whatever authenticated the request. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("almoner/ports/CurrentCaller") {}
