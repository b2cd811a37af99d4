import { Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import { Users, userOperations } from "../../../app/access/Users.ts"
import { Membership, Role, roles, User } from "../../../domain/access/Membership.ts"
import { type Operation, ofInstallation, ofOrganisation } from "../Operation.ts"
import { overInstallation } from "../Over.ts"
import { Empty, listOf, withDescription } from "./Parameters.ts"

/** The flag that names a user by id or e-mail address. */
export const userFlag = withDescription(Flag.String("user"), "The user's id or e-mail address")

const Listed = User.mapFields((fields) => ({ ...fields, organisations: Schema.Array(Schema.String) }))

export const userCommands: ReadonlyArray<Operation> = [
  overInstallation(userOperations.create, {
    group: "user",
    name: "create",
    parameters: {
      email: withDescription(Flag.String("email"), "The user's e-mail address, which no other user has"),
      name: withDescription(Flag.String("name"), "The user's name")
    }
  }),
  ofOrganisation({
    group: "user",
    name: "add-to-organisation",
    description: userOperations.addToOrganisation.summary,
    parameters: {
      user: userFlag,
      role: withDescription(Flag.Literals("role", roles), "ADMIN does everything, EDITOR changes records, VIEWER reads")
    },
    input: Schema.Struct({ user: Schema.String, role: Role }),
    output: Membership,
    run: ({ role, user }) => Users.use((users) => users.addToOrganisation(user, role))
  }),
  ofOrganisation({
    group: "user",
    name: "remove-from-organisation",
    description: userOperations.removeFromOrganisation.summary,
    parameters: { user: userFlag },
    input: Schema.Struct({ user: Schema.String }),
    output: Membership,
    run: ({ user }) => Users.use((users) => users.removeFromOrganisation(user))
  }),
  ofInstallation({
    group: "user",
    name: "list",
    description: userOperations.list.summary,
    parameters: {},
    input: Empty,
    output: listOf(Listed),
    columns: ["id", "email", "name", "organisations"],
    run: () =>
      Users.use((users) =>
        Effect.map(users.list(), (all) => ({
          data: all.map(({ memberships, ...user }) => ({
            ...user,
            organisations: memberships.map(({ organisation_id, role }) => `${organisation_id} ${role}`)
          }))
        }))
      )
  })
]
