import { Effect, HashMap, Layer, Option, Result } from "effect"
import { admin, type Membership, type User, userEmailKey } from "../../../domain/access/Membership.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { UserStore } from "../../../ports/access/UserStore.ts"
import { Memory } from "../Memory.ts"
import { oldestFirst } from "../Order.ts"
import { get, put, remove, type State } from "../State.ts"

const byEmail = (state: State, email: string): Option.Option<User> => {
  const key = userEmailKey(email)
  return Option.fromNullishOr(HashMap.toValues(state.users).find((user) => userEmailKey(user.email) === key))
}

const membershipsOf = (state: State, user_id: string): ReadonlyArray<Membership> =>
  HashMap.toValues(state.memberships)
    .flatMap((members) => Option.toArray(HashMap.get(members, user_id)))
    .map((membership) => ({ ...membership, id: membership.organisation_id }))
    .sort(oldestFirst)
    .map(({ id: _, ...membership }) => membership)

const adminsOf = (state: State, organisation_id: string): ReadonlyArray<User> =>
  Option.toArray(HashMap.get(state.memberships, organisation_id))
    .flatMap((members) => HashMap.toValues(members))
    .filter((membership) => Rule.holds(admin, membership))
    .map((membership) => ({ ...membership, id: membership.user_id }))
    .sort(oldestFirst)
    .flatMap(({ user_id }) => Option.toArray(HashMap.get(state.users, user_id)))

/** Users and memberships in memory. */
export const layer = Layer.effect(
  UserStore,
  Effect.map(Memory, (memory) =>
    UserStore.of({
      insert: (user) =>
        memory.decide((state) => {
          const holder = byEmail(state, user.email)
          return Option.isSome(holder)
            ? Result.fail(new AlreadyTaken({ record: "user", field: "email", holder_id: holder.value.id }))
            : Result.succeed([undefined, { ...state, users: HashMap.set(state.users, user.id, user) }])
        }),
      find: (id) => memory.read((state) => HashMap.get(state.users, id)),
      findByEmail: (email) => memory.read((state) => byEmail(state, email)),
      all: memory.read((state) => HashMap.toValues(state.users).sort(oldestFirst)),
      putMembership: (membership) =>
        memory.decide((state) => {
          const { organisation_id, user_id } = membership
          const known = get(state.memberships, organisation_id, user_id)
          const kept = Option.match(known, {
            onNone: () => membership,
            onSome: ({ created_at }) => ({ ...membership, created_at })
          })
          return Result.succeed([
            kept,
            { ...state, memberships: put(state.memberships, organisation_id, user_id, kept) }
          ])
        }),
      removeMembership: (organisation_id, user_id) =>
        memory.decide((state) =>
          Result.succeed([
            get(state.memberships, organisation_id, user_id),
            { ...state, memberships: remove(state.memberships, organisation_id, user_id) }
          ])
        ),
      findMembership: (organisation_id, user_id) =>
        memory.read((state) => get(state.memberships, organisation_id, user_id)),
      memberships: (user_id) => memory.read((state) => membershipsOf(state, user_id)),
      admins: (organisation_id) => memory.read((state) => adminsOf(state, organisation_id))
    })
  )
)
