import { type DateTime, Effect } from "effect"
import type { User } from "../../../domain/access/Membership.ts"
import * as Mail from "../../../domain/kernel/Mail.ts"
import { UserStore } from "../../../ports/access/UserStore.ts"
import { MailOutbox } from "../../../ports/kernel/MailOutbox.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"

/** Makes the mails to an organisation's admins: whom they go to, and what writes one to each, in the surrounding transaction. */
export const makeAdminMails = Effect.gen(function* () {
  const mails = yield* MailOutbox
  const tokens = yield* Tokens
  const users = yield* UserStore

  const write = Effect.fnUntraced(function* (
    admins: ReadonlyArray<User>,
    about: Pick<Mail.Mail, "organisation_id" | "template" | "subject_id">,
    at: DateTime.Utc
  ) {
    for (const { id: recipient_id } of admins) {
      yield* mails.add(Mail.create({ id: yield* tokens.id("mail"), ...about, recipient_id }, at))
    }
  })

  return { adminsOf: users.admins, write } as const
})
