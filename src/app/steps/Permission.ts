import { Effect } from "effect"
import { authorize, type Operation } from "../../domain/Policy.ts"
import { CurrentCaller } from "../../ports/CurrentCaller.ts"

/** The caller, when its scope and plan permit the operation; fails with {@link Forbidden} otherwise. */
export const permitted = Effect.fnUntraced(function* (operation: Operation) {
  const caller = yield* CurrentCaller
  yield* Effect.fromResult(authorize(caller, operation))
  return caller
})
