import { Schema } from "effect"
import { RecipientAccountLinkId } from "../../../domain/kernel/Ids.ts"
import * as RecipientAccount from "../../../domain/sharing/RecipientAccount.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, RecipientAccounts } from "../RecipientAccounts.ts"

const recipientAccounts = operationsOf(RecipientAccounts)

const recipientAccountId = id(RecipientAccountLinkId, "recipient account")

/** The operations of {@link RecipientAccounts}. */
export const recipientAccountOperations = {
  link: recipientAccounts.forCaller({
    asks: asks.link,
    keyed: true,
    takes: [body(RecipientAccount.PassphraseExchange, RecipientAccount.RecipientAccountRecord)],
    gives: Schema.Struct({ link: RecipientAccount.RecipientAccountDetail, created: Schema.Boolean }),
    run: (use, input) => use.link(input)
  }),
  read: recipientAccounts.forCaller({
    asks: asks.read,
    takes: [recipientAccountId],
    gives: RecipientAccount.RecipientAccountDetail,
    run: (use, link) => use.read(link)
  }),
  list: recipientAccounts.forCaller({
    asks: asks.list,
    takes: [query(RecipientAccount.listing)],
    gives: pageOf(RecipientAccount.RecipientAccountRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: recipientAccounts.forCaller({
    asks: asks.update,
    keyed: true,
    takes: [recipientAccountId, body(RecipientAccount.RecipientAccountPatch, RecipientAccount.RecipientAccountDetail)],
    gives: RecipientAccount.RecipientAccountDetail,
    run: (use, link, patch) => use.update(link, patch)
  }),
  deactivate: recipientAccounts.forCaller({
    asks: asks.deactivate,
    keyed: false,
    takes: [recipientAccountId],
    gives: RecipientAccount.RecipientAccountDetail,
    run: (use, link) => use.deactivate(link)
  })
}
