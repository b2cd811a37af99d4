import { Predicate, Result, Schema } from "effect"
import { Scope } from "../../../domain/access/ApiKey.ts"
import { Actor, type Caller, RequestId } from "../../../domain/access/Caller.ts"
import { Organisation } from "../../../domain/access/Organisation.ts"
import { MalformedInput } from "../../../domain/kernel/Rejection.ts"

const isCaller = Schema.is(
  Schema.Struct({ organisation: Organisation, actor: Actor, scope: Scope, request_id: RequestId })
)

const known = new WeakSet<object>()

const isKnown = (caller: object): caller is Caller => known.has(caller)

const noCaller = () =>
  new MalformedInput({ message: "The caller must be one that almoner.caller or almoner.authenticate gave." })

/** Reading a field of what a host made may fail. */
const isSound = (caller: unknown): caller is Caller =>
  Result.getOrElse(Result.try({ try: () => isCaller(caller), catch: () => false }), () => false)

/** Refuses a value that is no caller: a host may have made it by itself. Each is checked once. */
export const readCaller = (caller: unknown): Result.Result<Caller, MalformedInput> => {
  if (!Predicate.isObject(caller)) return Result.fail(noCaller())
  if (!isKnown(caller) && !isSound(caller)) return Result.fail(noCaller())
  known.add(caller)
  return Result.succeed(caller)
}
