import fc from "fast-check"
import { Command, RecipientAccount } from "../../domain/sharing/RecipientAccount.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { instant } from "../Generators.ts"
import type { Subject } from "../Laws.ts"

const states: fc.Arbitrary<RecipientAccount> = fc
  .tuple(arbitraryOf(RecipientAccount), instant, fc.boolean())
  .map(([given, at, wasInactive]) => ({
    ...given,
    deactivated_at: given.is_active && !wasInactive ? null : at
  }))

const commands: fc.Arbitrary<Command> = fc
  .tuple(arbitraryOf(Command), instant)
  .map(([command, at]): Command => ({ ...command, at }))

/** Links to recipient accounts, active and not, for the laws. */
export const recipientAccounts: Subject<RecipientAccount, Command> = {
  schema: RecipientAccount,
  states,
  commands,
  // decisions, sections 4 and 5: Recipient account link.
  expect: {
    Deactivate: {
      from: ["ACTIVE"],
      to: "INACTIVE",
      events: ["recipient_org_account_link.deactivated"],
      changes: (_, { at }) => ({ deactivated_at: at, updated_at: at })
    },
    Reactivate: {
      from: ["INACTIVE"],
      to: "ACTIVE",
      events: ["recipient_org_account_link.updated"],
      changes: (_, { at }) => ({ updated_at: at })
    },
    Introduce: {
      from: ["ACTIVE", "INACTIVE"],
      to: "ACTIVE",
      changes: (_, { at, introduction_id }) => ({ introduction_id, updated_at: at })
    },
    Rename: {
      from: ["ACTIVE", "INACTIVE"],
      to: "same",
      events: ["recipient_org_account_link.updated"],
      changes: (_, { at, label }) => ({ label, updated_at: at })
    }
  },
  steps: {
    "a link leads to the same account through its whole life": ({ after, before }) =>
      after.recipient_organisation_id === before.recipient_organisation_id &&
      after.processor_connect_account_id === before.processor_connect_account_id
  }
}
