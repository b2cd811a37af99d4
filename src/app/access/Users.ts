import { Effect, Option, Schema } from "effect"
import { Membership, NewUser, Role, User } from "../../domain/access/Membership.ts"
import { UserId } from "../../domain/kernel/Ids.ts"
import { InvalidInput, NotFound } from "../../domain/kernel/Rejection.ts"
import { GivenId, nameOrNull } from "../../domain/kernel/Text.ts"
import { UserStore } from "../../ports/access/UserStore.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { Service } from "../kernel/service/Service.ts"
import { requireStaff } from "./caller/CallerContext.ts"
import { ChangeLog } from "./change/Change.ts"
import { body, operationsOf, value } from "./operation/Operation.ts"
import * as Row from "./operation/OperationRow.ts"
import { checkedService } from "./operation/ServiceChecks.ts"

const isUserId = Schema.is(UserId)

/** A user with the organisations that they belong to. */
export const UserWithMemberships = User.mapFields((fields) => ({
  ...fields,
  memberships: Schema.Array(Membership)
})).annotate({ identifier: "UserWithMemberships" })
export type UserWithMemberships = typeof UserWithMemberships.Type

const operations = Row.table("users", {
  create: Row.keeper("Make a user", [body(NewUser)], User),
  find: Row.keeper("Find a user by id or e-mail address", [value("user", GivenId)], User),
  list: Row.keeper("List all users, oldest first", [], Schema.Array(UserWithMemberships)),
  addToOrganisation: Row.staffChange(
    "Make a user a member of an organisation; one who is a member already gets the role",
    [value("user", GivenId), value("role", Role)],
    Membership
  ),
  removeFromOrganisation: Row.staffChange(
    "End a user's membership of an organisation; the user stays, for other organisations and in the audit",
    [value("user", GivenId)],
    Membership
  )
})

/** Keeps people and what organisations they belong to. For operators. decisions, section 9. */
export class Users extends Service<Users>()("almoner/app/Users", function* () {
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
}) {}

/** The operations of {@link Users}. */
export const userOperations = operationsOf(Users, operations)
