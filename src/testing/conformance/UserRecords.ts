import { Effect } from "effect"
import type { User } from "../../domain/access/Membership.ts"
import { UserId } from "../../domain/kernel/Ids.ts"
import { UserStore } from "../../ports/access/UserStore.ts"
import { at, freshId } from "./Records.ts"

/** A user who is not stored yet. */
export const userOf = Effect.fnUntraced(function* (given: Partial<User> = {}) {
  const id = UserId.make(yield* freshId("user"))
  const user: User = { id, email: `${id}@example.org`, name: "Bea", created_at: at(0), ...given }
  return user
})

/** A user who is stored. */
export const newUser = Effect.fnUntraced(function* (given: Partial<User> = {}) {
  return yield* Effect.tap(userOf(given), (user) => UserStore.use((store) => Effect.orDie(store.insert(user))))
})
