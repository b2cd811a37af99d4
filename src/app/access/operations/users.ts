import { Schema } from "effect"
import { Membership, User } from "../../../domain/access/Membership.ts"
import { operationsOf } from "../steps/Operation.ts"
import { asks, takes, Users } from "../Users.ts"

const users = operationsOf(Users)

const UserWithMemberships = User.mapFields((fields) => ({
  ...fields,
  memberships: Schema.Array(Membership)
})).annotate({ identifier: "UserWithMemberships" })

/** The operations of {@link Users}. */
export const userOperations = {
  create: users.forInstallation({
    says: "Make a user",
    example: [{ email: "bea@example.org", name: "Bea" }],
    takes: takes.create,
    gives: User,
    run: (use, input) => use.create(input)
  }),
  find: users.forInstallation({
    says: "Find a user by id or e-mail address",
    example: ["bea@example.org"],
    takes: takes.find,
    gives: User,
    run: (use, user) => use.find(user)
  }),
  list: users.forInstallation({
    says: "List all users, oldest first",
    takes: takes.list,
    gives: Schema.Array(UserWithMemberships),
    run: (use) => use.list()
  }),
  addToOrganisation: users.forOperator({
    says: "Make a user a member of an organisation; one who is a member already gets the role",
    example: ["bea@example.org", "EDITOR"],
    asks: asks.addToOrganisation,
    takes: takes.addToOrganisation,
    gives: Membership,
    run: (use, user, role) => use.addToOrganisation(user, role)
  }),
  removeFromOrganisation: users.forOperator({
    says: "End a user's membership of an organisation; the user stays, for other organisations and in the audit",
    example: ["bea@example.org"],
    asks: asks.removeFromOrganisation,
    takes: takes.removeFromOrganisation,
    gives: Membership,
    run: (use, user) => use.removeFromOrganisation(user)
  })
}
