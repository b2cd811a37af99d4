import { Effect } from "effect"
import { RecipientAccounts } from "../../../app/sharing/RecipientAccounts.ts"
import type { RecipientAccountsGroup } from "../endpoints/sharing/recipientAccounts.ts"
import { AnswerWith, type HandlersOf } from "../pipeline/Handler.ts"

export const recipientAccountsHandlers = Effect.gen(function* () {
  const accounts = yield* RecipientAccounts
  const handlers: HandlersOf<typeof RecipientAccountsGroup> = {
    link: {
      run: ({ payload }) =>
        Effect.map(accounts.link(payload), ({ created, link }) => new AnswerWith(created ? 201 : 200, link))
    },
    list: { run: ({ list }) => accounts.list(list) },
    read: { run: ({ params }) => accounts.read(params.id) },
    update: { run: ({ params, payload }) => accounts.update(params.id, payload) },
    deactivate: { run: ({ params }) => accounts.deactivate(params.id) }
  }
  return handlers
})
