import { Schema } from "effect"
import { RecipientAccountLinkId } from "../../../domain/kernel/Ids.ts"
import * as RecipientAccount from "../../../domain/sharing/RecipientAccount.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { RecipientAccounts } from "../RecipientAccounts.ts"

const recipientAccounts = operationsOf(RecipientAccounts)

const recipientAccountId = id(RecipientAccountLinkId, "recipient account")

/** The operations of {@link RecipientAccounts}. */
export const recipientAccountOperations = {
  link: recipientAccounts.forCaller({
    name: "recipient_accounts.link",
    takes: [body(RecipientAccount.PassphraseExchange, RecipientAccount.RecipientAccountRecord)],
    gives: Schema.Struct({ link: RecipientAccount.RecipientAccountDetail, created: Schema.Boolean }),
    run: (use, input) => use.link(input)
  }),
  read: recipientAccounts.forCaller({
    name: "recipient_accounts.read",
    takes: [recipientAccountId],
    gives: RecipientAccount.RecipientAccountDetail,
    run: (use, link) => use.read(link)
  }),
  list: recipientAccounts.forCaller({
    name: "recipient_accounts.list",
    takes: [query(RecipientAccount.listing)],
    gives: pageOf(RecipientAccount.RecipientAccountRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: recipientAccounts.forCaller({
    name: "recipient_accounts.update",
    takes: [recipientAccountId, body(RecipientAccount.RecipientAccountPatch, RecipientAccount.RecipientAccountDetail)],
    gives: RecipientAccount.RecipientAccountDetail,
    run: (use, link, patch) => use.update(link, patch)
  }),
  deactivate: recipientAccounts.forCaller({
    name: "recipient_accounts.deactivate",
    takes: [recipientAccountId],
    gives: RecipientAccount.RecipientAccountDetail,
    run: (use, link) => use.deactivate(link)
  })
}
