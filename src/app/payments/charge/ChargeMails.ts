import { Effect } from "effect"
import * as Mail from "../../../domain/kernel/Mail.ts"
import { type Charge, owedMail } from "../../../domain/payments/Charge.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { MailOutbox } from "../../../ports/kernel/MailOutbox.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"

/** Writes the mail that the donor of a charge is owed for a move of it, if any, in the surrounding transaction. */
export const makeChargeMails = Effect.gen(function* () {
  const mails = yield* MailOutbox
  const tokens = yield* Tokens

  return Effect.fnUntraced(function* (before: Charge, after: Charge) {
    const template = owedMail(before, after)
    if (template === null) return
    const about = { organisation_id: after.organisation_id, template, subject_id: after.id, recipient_id: null }
    yield* mails.add(Mail.create({ id: yield* tokens.id("mail"), ...about }, yield* realNow))
  })
})
