import { Schema } from "effect"
import * as RecipientAccount from "../../../domain/sharing/RecipientAccount.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, RecipientAccounts, takes } from "../RecipientAccounts.ts"

const recipientAccounts = operationsOf(RecipientAccounts)

/** The operations of {@link RecipientAccounts}. */
export const recipientAccountOperations = {
  link: recipientAccounts.forCaller({
    asks: asks.link,
    keyed: true,
    takes: takes.link,
    gives: Schema.Struct({ link: RecipientAccount.RecipientAccountDetail, created: Schema.Boolean }),
    run: (use, input) => use.link(input)
  }),
  read: recipientAccounts.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: RecipientAccount.RecipientAccountDetail,
    run: (use, link) => use.read(link)
  }),
  list: recipientAccounts.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(RecipientAccount.RecipientAccountRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: recipientAccounts.forCaller({
    asks: asks.update,
    keyed: true,
    takes: takes.update,
    gives: RecipientAccount.RecipientAccountDetail,
    run: (use, link, patch) => use.update(link, patch)
  }),
  deactivate: recipientAccounts.forCaller({
    asks: asks.deactivate,
    keyed: false,
    takes: takes.deactivate,
    gives: RecipientAccount.RecipientAccountDetail,
    run: (use, link) => use.deactivate(link)
  })
}
