import fc from "fast-check"
import { emissionsOf } from "../../domain/kernel/Machine.ts"
import * as RecipientAccount from "../../domain/sharing/RecipientAccount.ts"
import type { Model } from "../Models.ts"
import { again, type Charity, charity, type Driven, hour, nothing, real, stateOf } from "./Charity.ts"

/** A link of the organisation to an account of another one, by its passphrase. */
export const linkedAccount = async (driven: Driven, { calls, id: organisation_id }: Charity) => {
  const recipient = await charity(driven)
  const { passphrase } = await driven.almoner.integrations.create(recipient.caller, {
    label: "Main account",
    processor_connect_account_id: "acct_1"
  })
  const { link } = await calls.recipientAccounts.link({ passphrase })
  const state = stateOf(RecipientAccount.RecipientAccount, await calls.recipientAccounts.read(link.id), {
    organisation_id,
    recipient_organisation_id: recipient.id,
    introduction_id: null,
    updated_at: "2026-01-01T00:00:00.000Z",
    deactivated_at: null
  })
  return { state, passphrase }
}

const commands: fc.Arbitrary<RecipientAccount.Command> = fc.oneof(
  fc.record({ _tag: fc.constantFrom("Deactivate" as const, "Reactivate" as const), at: hour }),
  fc.record({ _tag: fc.constant("Rename" as const), at: hour, label: fc.constantFrom("Shelter", "Riverside Shelter") })
)

/**
 * Links to recipients' accounts that are deactivated, made active again by their passphrase, and renamed, beside
 * {@link RecipientAccount.machine}.
 */
export const recipientAccounts = (
  driven: Driven
): Model<
  RecipientAccount.RecipientAccount,
  RecipientAccount.Status,
  RecipientAccount.Command,
  RecipientAccount.RecipientAccountEvent
> => ({
  machine: RecipientAccount.machine,
  commands,
  fields: Object.keys(RecipientAccount.RecipientAccountDetail.fields),
  open: async () => {
    const linking = await charity(driven)
    const { passphrase, state: born } = await linkedAccount(driven, linking)
    const { deactivate, link, read, update } = linking.calls.recipientAccounts
    return real(driven, linking.calls, born, read, (command: RecipientAccount.Command) => {
      if (command._tag === "Rename") return update(born.id, { label: command.label })
      return command._tag === "Reactivate" ? link({ passphrase }) : deactivate(born.id)
    })
  },
  answers: (decides, state, command) => {
    if (command._tag === "Deactivate" && !state.is_active) {
      const types = ["recipient_org_account_link.deactivated"] as const
      return again(state, emissionsOf(RecipientAccount.machine, types, state, command))
    }
    const isNothing =
      (command._tag === "Reactivate" && state.is_active) || (command._tag === "Rename" && command.label === state.label)
    return isNothing ? nothing(state) : decides(state, command)
  }
})
