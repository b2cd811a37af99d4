import { Schema } from "effect"
import { Membership, NewUser, Role, User } from "../../../domain/access/Membership.ts"
import { body, operationsOf, value } from "../steps/Operation.ts"
import { asks, Users } from "../Users.ts"

const users = operationsOf(Users)

/** The operations of {@link Users}. */
export const userOperations = {
  create: users.forInstallation({ takes: [body(NewUser)], gives: User, run: (use, input) => use.create(input) }),
  find: users.forInstallation({
    takes: [value("user", Schema.String)],
    gives: User,
    run: (use, user) => use.find(user)
  }),
  list: users.forInstallation({
    takes: [],
    gives: Schema.Array(User.mapFields((fields) => ({ ...fields, memberships: Schema.Array(Membership) }))),
    run: (use) => use.list()
  }),
  addToOrganisation: users.forOperator({
    asks: asks.addToOrganisation,
    takes: [value("user", Schema.String), value("role", Role)],
    gives: Membership,
    run: (use, user, role) => use.addToOrganisation(user, role)
  }),
  removeFromOrganisation: users.forOperator({
    asks: asks.removeFromOrganisation,
    takes: [value("user", Schema.String)],
    gives: Membership,
    run: (use, user) => use.removeFromOrganisation(user)
  })
}
