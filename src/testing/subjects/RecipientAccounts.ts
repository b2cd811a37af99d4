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
export const recipientAccounts: Subject<RecipientAccount, Command> = { schema: RecipientAccount, states, commands }
