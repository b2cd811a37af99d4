import { Effect, Schema } from "effect"
import { Users } from "../../../app/access/Users.ts"
import { Invitations, invitationOperations } from "../../../app/sharing/Invitations.ts"
import { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { Invitation } from "../../../domain/sharing/Invitation.ts"
import * as InviteToken from "../../../domain/sharing/InviteToken.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { commandsOf, ofInstallation, ofOrganisation } from "../Operation.ts"
import { userFlag } from "./access.ts"
import { fileOf, text } from "./Parameters.ts"

const tokenFile = "token-file"

const shared = {
  token: fileOf(tokenFile, "A file with the invitation's token, or with the address that it was shared by")
}

const secrets = { token: tokenFile }

const given = { token: Schema.String }

export const invitationCommands = commandsOf("invitation", {
  open: ofInstallation({
    description: invitationOperations.open.summary,
    parameters: shared,
    secrets,
    input: Schema.Struct(given),
    output: Invitation,
    run: Effect.fnUntraced(function* (input) {
      const token = InviteToken.tokenIn(input.token)
      const request_id = yield* (yield* Tokens).id("request")
      return yield* Invitations.use((invitations) => invitations.open({ token, request_id }))
    })
  }),
  accept: ofOrganisation({
    description: "Accept an invitation as a user, for the organisation named by --organisation",
    parameters: { ...shared, user: userFlag },
    secrets,
    input: Schema.Struct({ ...given, user: Schema.String }),
    output: Invitation,
    run: Effect.fnUntraced(function* ({ user, ...input }) {
      const token = InviteToken.tokenIn(input.token)
      const { organisation, request_id } = yield* CurrentCaller
      const { id: user_id } = yield* Users.use((users) => users.find(user))
      return yield* Invitations.use((invitations) =>
        invitations.accept({ token, user_id, organisation_id: organisation.id, request_id })
      )
    })
  }),
  link: ofInstallation({
    description: invitationOperations.link.summary,
    parameters: {
      ...shared,
      user: userFlag,
      integration_id: text("integration", "The id of the organisation's integration")
    },
    secrets,
    input: Schema.Struct({ ...given, user: Schema.String, integration_id: IntegrationId }),
    output: Invitation,
    run: Effect.fnUntraced(function* ({ integration_id, user, ...input }) {
      const token = InviteToken.tokenIn(input.token)
      const request_id = yield* (yield* Tokens).id("request")
      const { id: user_id } = yield* Users.use((users) => users.find(user))
      return yield* Invitations.use((invitations) => invitations.link({ token, user_id, integration_id, request_id }))
    })
  })
})
