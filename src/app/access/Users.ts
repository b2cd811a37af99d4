import { Context, Effect, Layer, Option, Schema } from "effect"
import { Membership, NewUser, Role, User } from "../../domain/access/Membership.ts"
import { staffWrites } from "../../domain/access/Policy.ts"
import { UserId } from "../../domain/kernel/Ids.ts"
import { InvalidInput, NotFound } from "../../domain/kernel/Rejection.ts"
import { GivenId, nameOrNull } from "../../domain/kernel/Text.ts"
import { UserStore } from "../../ports/access/UserStore.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireStaff } from "./caller/CallerContext.ts"
import { ChangeLog } from "./change/Change.ts"
import { body, operationsOf, operationTable, value } from "./operation/Operation.ts"
import { checkedService } from "./operation/ServiceChecks.ts"

const isUserId = Schema.is(UserId)

/** A user with the organisations that they belong to. */
export const UserWithMemberships = User.mapFields((fields) => ({
  ...fields,
  memberships: Schema.Array(Membership)
})).annotate({ identifier: "UserWithMemberships" })
export type UserWithMemberships = typeof UserWithMemberships.Type

const operations = operationTable({
  create: { summary: "Make a user", requires: null, input: [body(NewUser)], output: User },
  find: {
    summary: "Find a user by id or e-mail address",
    requires: null,
    input: [value("user", GivenId)],
    output: User
  },
  list: {
    summary: "List all users, oldest first",
    requires: null,
    input: [],
    output: Schema.Array(UserWithMemberships)
  },
  addToOrganisation: {
    summary: "Make a user a member of an organisation; one who is a member already gets the role",
    requires: staffWrites("users.add_to_organisation"),
    input: [value("user", GivenId), value("role", Role)],
    output: Membership
  },
  removeFromOrganisation: {
    summary: "End a user's membership of an organisation; the user stays, for other organisations and in the audit",
    requires: staffWrites("users.remove_from_organisation"),
    input: [value("user", GivenId)],
    output: Membership
  }
})

/** Keeps people and what organisations they belong to. For operators. decisions, section 9. */
export class Users extends Context.Service<Users>()("almoner/app/Users", {
  make: Effect.gen(function* () {
    const store = yield* UserStore
    const changeLog = yield* ChangeLog
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    /** Makes a user. Fails with {@link AlreadyTaken} when another one has the e-mail address, whatever its case. */
    const create = Effect.fn("Users.create")(function* (input: NewUser) {
      const name = nameOrNull(input.name)
      if (name === null) return yield* new InvalidInput({ param: "name", message: "name must not be empty." })
      const user: User = {
        id: yield* tokens.id("user"),
        email: input.email.trim(),
        name,
        created_at: yield* realNow
      }
      yield* store.insert(user)
      return user
    }, transaction.run)

    /** The user of this id or e-mail address. */
    const find = Effect.fn("Users.find")(function* (idOrEmail: string) {
      const found = yield* isUserId(idOrEmail) ? store.find(idOrEmail) : store.findByEmail(idOrEmail)
      return Option.isSome(found) ? found.value : yield* new NotFound({ record: "user", id: idOrEmail })
    })

    /** Makes a user a member of the caller's organisation with a role; an existing member gets the role. */
    const addToOrganisation = Effect.fn("Users.addToOrganisation")(function* (idOrEmail: string, role: Role) {
      const { organisation } = yield* requireStaff(operations.addToOrganisation)
      const { id: user_id } = yield* find(idOrEmail)
      const at = yield* realNow
      const membership = yield* store.putMembership({
        organisation_id: organisation.id,
        user_id,
        role,
        created_at: at,
        updated_at: at
      })
      yield* changeLog.write({
        operation: operations.addToOrganisation.requires.name,
        subject_id: user_id,
        at,
        events: []
      })
      return membership
    }, transaction.run)

    /**
     * Ends a user's membership of the caller's organisation, and returns it as it was. The user stays: they may belong
     * to other organisations, and records name who did what. Fails with {@link NotFound} for a user who is no member.
     */
    const removeFromOrganisation = Effect.fn("Users.removeFromOrganisation")(function* (idOrEmail: string) {
      const { organisation } = yield* requireStaff(operations.removeFromOrganisation)
      const { id: user_id } = yield* find(idOrEmail)
      const ended = yield* store.removeMembership(organisation.id, user_id)
      if (Option.isNone(ended)) return yield* new NotFound({ record: "member", id: idOrEmail })
      const at = yield* realNow
      yield* changeLog.write({
        operation: operations.removeFromOrganisation.requires.name,
        subject_id: user_id,
        at,
        events: []
      })
      return ended.value
    }, transaction.run)

    /** All users, oldest first, each with their memberships. */
    const list = Effect.fn("Users.list")(function* () {
      const users = yield* store.all
      return yield* Effect.forEach(users, (user) =>
        Effect.map(store.memberships(user.id), (memberships): UserWithMemberships => ({ ...user, memberships }))
      )
    })

    return checkedService(operations, { create, find, addToOrganisation, removeFromOrganisation, list })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** The operations of {@link Users}. */
export const userOperations = operationsOf(Users, operations)
