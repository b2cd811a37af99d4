import { Result } from "effect"
import fc from "fast-check"
import { IntroductionId } from "../../domain/kernel/Ids.ts"
import * as InviteToken from "../../domain/sharing/InviteToken.ts"
import * as RecipientAccount from "../../domain/sharing/RecipientAccount.ts"
import {
  again,
  type Charity,
  charity,
  editorOf,
  hour,
  modelOf,
  noChange,
  real,
  type ServiceUnderTest,
  stateOf,
  timedCommand
} from "./Charity.ts"

/** A link of the organisation to an account of another one, by its passphrase. */
export const linkedAccount = async (driven: ServiceUnderTest, { calls, id: organisation_id }: Charity) => {
  const recipient = await charity(driven)
  const { id: integration_id, passphrase } = await driven.almoner.integrations.create(recipient.caller, {
    label: "Main account",
    processor_connect_account_id: "acct_1"
  })
  const { link } = await calls.recipientAccounts.link({ passphrase })
  const state = stateOf(RecipientAccount.RecipientAccount, await calls.recipientAccounts.read(link.id), {
    organisation_id,
    recipient_organisation_id: recipient.id,
    updated_at: "2026-01-01T00:00:00.000Z"
  })
  return { state, passphrase, recipient, integration_id }
}

/** An introduction of the organisation's that a user has accepted for a recipient; `link` links the recipient's account. */
const accepted = async (driven: ServiceUnderTest, { calls }: Charity, recipient: string, integration_id: string) => {
  const { invitations } = driven.almoner
  const { id, invite_url } = await calls.introductions.send({ invitee_email: "kim@example.org" })
  const visit = { token: InviteToken.tokenIn(invite_url), request_id: "model" }
  const user_id = await editorOf(driven, [recipient])
  await invitations.accept({ ...visit, user_id, organisation_id: recipient })
  return { id: IntroductionId.make(id), link: () => invitations.link({ ...visit, user_id, integration_id }) }
}

/** Stands for an introduction until it is made. */
const placeholder = IntroductionId.make("intr_00000000000000000000000000")

const commands: fc.Arbitrary<RecipientAccount.Command> = fc.oneof(
  fc.record({ _tag: fc.constant("Introduce" as const), at: hour, introduction_id: fc.constant(placeholder) }),
  timedCommand("Deactivate", "Reactivate"),
  fc.record({ _tag: fc.constant("Rename" as const), at: hour, label: fc.constantFrom("Shelter", "Riverside Shelter") })
)

/**
 * Links to recipients' accounts that are deactivated, made active again by their passphrase or by an introduction, and
 * renamed, beside {@link RecipientAccount.machine}.
 */
export const recipientAccounts = modelOf(RecipientAccount.machine, (driven) => ({
  commands,
  fields: Object.keys(RecipientAccount.RecipientAccountDetail.fields),
  open: async () => {
    const linking = await charity(driven)
    const { integration_id, passphrase, recipient, state: born } = await linkedAccount(driven, linking)
    let introduced: () => Promise<unknown> = () => Promise.reject(new RangeError("no introduction was accepted"))
    const { deactivate, link, read, update } = linking.calls.recipientAccounts
    const prepare = async (command: RecipientAccount.Command): Promise<RecipientAccount.Command> => {
      if (command._tag !== "Introduce") return command
      driven.clock.set(command.at)
      const { id, link } = await accepted(driven, linking, recipient.id, integration_id)
      introduced = link
      return { ...command, introduction_id: id }
    }
    const account = real(driven, linking.calls, born, read, (command: RecipientAccount.Command) => {
      if (command._tag === "Introduce") return introduced()
      if (command._tag === "Rename") return update(born.id, { label: command.label })
      return command._tag === "Reactivate" ? link({ passphrase }) : deactivate(born.id)
    })
    return { ...account, prepare }
  },
  answers: (decides, state, command) => {
    // The introduction's own machine tells of the account that it leads to.
    if (command._tag === "Introduce") {
      return Result.map(decides(state, command), (introduced) => ({
        ...introduced,
        events: [RecipientAccount.emissionOf("recipient_org_account_link.created", introduced.state)]
      }))
    }
    if (command._tag === "Deactivate" && !state.is_active) {
      return again(RecipientAccount.machine, "recipient_org_account_link.deactivated", state, command)
    }
    const isNothing =
      (command._tag === "Reactivate" && state.is_active) || (command._tag === "Rename" && command.label === state.label)
    return isNothing ? noChange(state) : decides(state, command)
  }
}))
