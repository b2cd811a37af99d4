import { Effect, Option, Result } from "effect"
import { makeMailMessages } from "../../src/app/outbox/mail/MailMessages.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import * as Mail from "../../src/domain/kernel/Mail.ts"
import { realNow } from "../../src/ports/kernel/AheadClock.ts"
import { MailOutbox } from "../../src/ports/kernel/MailOutbox.ts"
import type { Service } from "./Service.ts"

const query = Result.getOrThrow(parse(Mail.listing, [["limit", "100"]]))

/** The mails with codes that an organisation has in its outbox, as they would be sent now, the oldest first. */
export const codeMails = (service: Service, { id }: Pick<Organisation, "id">) =>
  service.run(
    Effect.gen(function* () {
      const outbox = yield* MailOutbox
      const messageOf = yield* makeMailMessages
      const { data } = yield* outbox.list(id, query)
      const ids = data.toReversed().filter(({ template }) => template === "card_code")
      const messages = yield* Effect.forEach(ids, ({ id: mail_id }) =>
        Effect.flatMap(Effect.map(outbox.find(id, Mail.Mail.fields.id.make(mail_id)), Option.getOrThrow), (mail) =>
          Effect.flatMap(realNow, (now) => messageOf(mail, now))
        )
      )
      return messages.flatMap(Option.toArray)
    }).pipe(Effect.orDie)
  )

/** The codes that an address was sent, as somebody reads them in their mails. */
export const codesSentTo = async (service: Service, organisation: Pick<Organisation, "id">, address: string) =>
  (await codeMails(service, organisation))
    .filter(({ to }) => to === address)
    .map(({ text }) => /^Code: (\d{6})$/m.exec(text)?.[1] ?? "")
