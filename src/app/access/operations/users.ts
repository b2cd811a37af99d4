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
  create: users.forInstallation({ takes: takes.create, gives: User, run: (use, input) => use.create(input) }),
  find: users.forInstallation({
    takes: takes.find,
    gives: User,
    run: (use, user) => use.find(user)
  }),
  list: users.forInstallation({
    takes: takes.list,
    gives: Schema.Array(UserWithMemberships),
    run: (use) => use.list()
  }),
  addToOrganisation: users.forOperator({
    asks: asks.addToOrganisation,
    takes: takes.addToOrganisation,
    gives: Membership,
    run: (use, user, role) => use.addToOrganisation(user, role)
  }),
  removeFromOrganisation: users.forOperator({
    asks: asks.removeFromOrganisation,
    takes: takes.removeFromOrganisation,
    gives: Membership,
    run: (use, user) => use.removeFromOrganisation(user)
  })
}
