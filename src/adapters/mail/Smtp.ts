import { Effect, Layer, Predicate, Redacted } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import { textAt } from "../../domain/kernel/Text.ts"
import { type Finding, findingsOf } from "../../ports/kernel/Finding.ts"
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

/**
 * What nodemailer is opened with. A password goes over a network encrypted or not at all: somebody in between can leave out that
 * the server knows STARTTLS. `?requireTLS=false` in the URL, which counts before this, says otherwise.
 */
const optionsOf = (url: Redacted.Redacted<string>) => {
  const { hostname, password } = new URL(Redacted.value(url))
  const isNear = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
  return { url: Redacted.value(url), requireTLS: password !== "" && !isNear, ...timeouts }
}

const codeOf = (cause: unknown): string => textAt(cause, "code") ?? "UNKNOWN"

const statusOf = (cause: unknown): number =>
  Predicate.hasProperty(cause, "responseCode") ? Number(cause.responseCode) : Number.NaN

const codesOf = (cause: unknown): string => {
  const status = statusOf(cause)
  return Number.isNaN(status) ? codeOf(cause) : `${codeOf(cause)} ${status}`
}

/** The outcome of a failure to send. Its reason is the codes only: messages and answers of servers repeat addresses. */
const outcomeOf = (cause: unknown): MailOutcome => {
  const status = statusOf(cause)
  const isForGood = codeOf(cause) === "EENVELOPE" && status >= 500 && status < 600
  return {
    _tag: isForGood ? "Refused" : "Failed",
    reason: codesOf(cause)
  }
}

const mail = findingsOf("mail")

/** What is said of a failure to log in at the server; a refusal lasts until somebody changes something. */
const findingOf = (host: string, cause: unknown): Finding => {
  const code = codeOf(cause)
  const status = statusOf(cause)
  const said = codesOf(cause)
  if (code === "EAUTH" && !(status >= 400 && status < 500)) {
    return mail.wrong(
      `${host} refuses the user or the password (${said}). Set the right ones in SMTP_URL, percent-encoded.`
    )
  }
  if (code === "ETLS" || (code === "ESOCKET" && /wrong version number|SSL/.test(String(cause)))) {
    return mail.wrong(
      `${host} does not speak TLS as SMTP_URL asks (${said}). Use smtps:// where TLS is from the first byte, mostly port 465, and smtp:// elsewhere.`
    )
  }
  return mail.away(
    `${host} cannot be used now (${said}). Look at host and port in SMTP_URL, and whether this machine reaches them.`
  )
}

/** Connects to the mail server and logs in, and sends nothing. */
export const lookAtServer = ({ url }: Pick<SmtpOptions, "url">): Effect.Effect<Finding> => {
  const { host } = new URL(Redacted.value(url))
  return Effect.tryPromise({
    try: async () => {
      const { createTransport } = await import("nodemailer")
      const transport = createTransport(optionsOf(url))
      try {
        await transport.verify()
      } finally {
        transport.close()
      }
    },
    catch: (cause) => findingOf(host, cause)
  }).pipe(
    Effect.as(mail.ok(`${host} takes mails`)),
    Effect.catch((found) => Effect.succeed(found))
  )
}

/** Sends by SMTP. Connections are kept and shared, and nodemailer is loaded with the first mail. */
export const layer = ({ from, url }: SmtpOptions): Layer.Layer<MailTransport> =>
  Layer.effect(
    MailTransport,
    Effect.gen(function* () {
      let opened: ReturnType<typeof open> | undefined
      const open = async () => {
        const { createTransport } = await import("nodemailer")
        return createTransport({ ...optionsOf(url), pool: true, maxConnections: Limits.mailsAtOnce })
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
