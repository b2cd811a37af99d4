import { Effect, Option, Result } from "effect"
import { makeMailMessages } from "../../src/app/outbox/mail/MailMessages.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import * as Mail from "../../src/domain/kernel/Mail.ts"
import { MailOutbox, realNow } from "../../src/ports.ts"
import type { Service } from "./Service.ts"

const query = Result.getOrThrow(parse(Mail.listing, [["limit", "100"]]))

/** What an organisation's mails would say now, the oldest first, of one template or of all; nothing where one has nothing to say. */
export const mailsOf = (service: Service, { id }: Pick<Organisation, "id">, template?: Mail.Template) =>
  service.run(
    Effect.gen(function* () {
      const outbox = yield* MailOutbox
      const messageOf = yield* makeMailMessages
      const { data } = yield* outbox.list(id, query)
      const ids = data.toReversed().filter((mail) => template === undefined || mail.template === template)
      return yield* Effect.forEach(ids, ({ id: mail_id }) =>
        Effect.flatMap(Effect.map(outbox.find(id, Mail.Mail.fields.id.make(mail_id)), Option.getOrThrow), (mail) =>
          Effect.flatMap(realNow, (now) => messageOf(mail, now))
        )
      )
    }).pipe(Effect.orDie)
  )

/** The mails with codes that an organisation has in its outbox, as they would be sent now, the oldest first. */
export const codeMails = async (service: Service, organisation: Pick<Organisation, "id">) =>
  (await mailsOf(service, organisation, "card_code")).flatMap(Option.toArray)

/** The codes that an address was sent, as somebody reads them in their mails. */
export const codesSentTo = async (service: Service, organisation: Pick<Organisation, "id">, address: string) =>
  (await codeMails(service, organisation))
    .filter(({ to }) => to === address)
    .map(({ text }) => /^Code: (\d{6})$/m.exec(text)?.[1] ?? "")
