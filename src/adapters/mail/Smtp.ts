import { Effect, Layer, Predicate, Redacted } from "effect"
import { textAt } from "../../domain/kernel/Text.ts"
import { type MailMessage, type MailOutcome, MailTransport } from "../../ports/outbox/MailTransport.ts"
import { messageOf } from "./Message.ts"

/** The mail server, and the sender. */
export interface SmtpOptions {
  /** `smtp://user:password@host:port`, or `smtps:` for TLS from the first byte. nodemailer's parameters may follow. */
  readonly url: Redacted.Redacted<string>
  /** The sender: an address, or `Name <address>`. */
  readonly from: string
}

/** The times after which an answer no longer counts, milliseconds. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 }

/** The outcome of a failure to send. Its reason is the codes only: messages and answers of servers repeat addresses. */
const outcomeOf = (cause: unknown): MailOutcome => {
  const code = textAt(cause, "code") ?? "UNKNOWN"
  const status = Predicate.hasProperty(cause, "responseCode") ? Number(cause.responseCode) : Number.NaN
  const isForGood = code === "EENVELOPE" && status >= 500 && status < 600
  return {
    _tag: isForGood ? "Refused" : "Failed",
    reason: Number.isNaN(status) ? code : `${code} ${status}`
  }
}

/** Sends by SMTP. Connections are kept and shared, and nodemailer is loaded with the first mail. */
export const layer = ({ from, url }: SmtpOptions): Layer.Layer<MailTransport> =>
  Layer.effect(
    MailTransport,
    Effect.gen(function* () {
      let opened: ReturnType<typeof open> | undefined
      const open = async () => {
        const { createTransport } = await import("nodemailer")
        return createTransport({ url: Redacted.value(url), pool: true, maxConnections: 4, ...timeouts })
      }
      const transport = () => {
        opened ??= open()
        return opened
      }
      yield* Effect.addFinalizer(() =>
        Effect.promise(async () => {
          if (opened !== undefined) (await opened).close()
        })
      )
      const send = async (mail: MailMessage): Promise<MailOutcome> => {
        await (await transport()).sendMail(messageOf(mail, from))
        return { _tag: "Sent" }
      }
      return MailTransport.of({
        send: (mail) =>
          Effect.catch(Effect.tryPromise({ try: () => send(mail), catch: outcomeOf }), (outcome) =>
            Effect.succeed(outcome)
          )
      })
    })
  )
