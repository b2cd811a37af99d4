import { Schema } from "effect"
import { Membership, NewUser, Role, User } from "../../../domain/access/Membership.ts"
import { body, operationsOf, value } from "../steps/Operation.ts"
import { Users } from "../Users.ts"

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
    name: "users.add_to_organisation",
    takes: [value("user", Schema.String), value("role", Role)],
    gives: Membership,
    run: (use, user, role) => use.addToOrganisation(user, role)
  }),
  removeFromOrganisation: users.forOperator({
    name: "users.remove_from_organisation",
    takes: [value("user", Schema.String)],
    gives: Membership,
    run: (use, user) => use.removeFromOrganisation(user)
  })
}
