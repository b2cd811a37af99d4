import { Effect } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { uncheckedService } from "../../../../app/access/operation/ServiceChecks.ts"
import { RecipientAccounts, recipientAccountOperations } from "../../../../app/sharing/RecipientAccounts.ts"
import { Limits } from "../../../../domain/kernel/Limits.ts"
import { RecipientAccountRecord } from "../../../../domain/sharing/RecipientAccount.ts"
import { AnswerWith, type OwnHandlersOf } from "../../pipeline/Handler.ts"
import { del, get, patch, post } from "../Declare.ts"
import { idOf, instant, page } from "../Example.ts"

const account = {
  id: idOf("recipientAccountLink"),
  label: "Harbour Food Bank",
  recipient_org_name: "Harbour Food Bank",
  recipient_org_slug: "harbour-food-bank",
  recipient_account_label: "Main account",
  is_active: true,
  created_at: instant
}

const detail = {
  ...account,
  recipient_integration_id: idOf("integration"),
  processor_connect_account_id: "acct_1Q8harbour",
  charges_enabled: true
}

export class RecipientAccountsGroup extends HttpApiGroup.make("recipient-accounts")
  .add(
    post(recipientAccountOperations.link, "link", "/recipient-accounts", {
      success: [
        RecipientAccountRecord.pipe(HttpApiSchema.status(201)),
        RecipientAccountRecord.pipe(HttpApiSchema.status(200))
      ],
      description: `201 for a new link; 200 for one that was there, which becomes active if it was not and keeps its label.

A passphrase that is wrong or the organisation's own is refused, and so is one of a sandbox in a live organisation and the reverse. After ${Limits.passphraseFailures} such refusals within an hour, every exchange is answered with 429 and \`Retry-After\` until the first of them is an hour old. That answer has no rate-limit headers, is never kept under an Idempotency-Key and does not count.`,
      example: { request: { passphrase: "gravel tiptop outlet zebra unmasked dollar" }, answer: account }
    }),
    get(recipientAccountOperations.list, "list", "/recipient-accounts", {
      description: "Newest first. Deactivated links stay listed.",
      example: { answer: page(account) }
    }),
    get(recipientAccountOperations.read, "read", "/recipient-accounts/:id", {
      description: "Deactivated links can be read, too.",
      example: { answer: detail }
    }),
    patch(recipientAccountOperations.update, "update", "/recipient-accounts/:id", {
      description: "The label is the organisation's own name for the account; the recipient does not see it.",
      example: { request: { label: "Food bank" }, answer: { ...detail, label: "Food bank" } }
    }),
    del(recipientAccountOperations.deactivate, "deactivate", "/recipient-accounts/:id", {
      description: "It cannot be a recipient any more. The passphrase links it again, under the same id.",
      example: { answer: { ...detail, is_active: false } }
    })
  )
  .annotate(OpenApi.Description, "Recipients' payment accounts, which distributions go to.") {}

export const recipientAccountsHandlers = Effect.map(
  Effect.map(RecipientAccounts, uncheckedService),
  (accounts): OwnHandlersOf<typeof RecipientAccountsGroup> => ({
    link: {
      run: ({ payload }) =>
        Effect.map(accounts.link(payload), ({ created, link }) => new AnswerWith(created ? 201 : 200, link))
    }
  })
)
