import { Clock, Effect, Layer, Logger, References, Schema } from "effect"
import type { HostEventType } from "../client/generated/Records.ts"
import type { OrganisationStore } from "../ports/access/OrganisationStore.ts"
import { discreet } from "../ports/kernel/LoggedCause.ts"
import type { SecretBox } from "../ports/kernel/SecretBox.ts"
import type { Tokens } from "../ports/kernel/Tokens.ts"
import type { MailMessage, MailOutcome, MailTransport } from "../ports/outbox/MailTransport.ts"
import { type WebhookOutcome, type WebhookRequest, WebhookTransport } from "../ports/outbox/WebhookTransport.ts"
import type { PaymentProcessor } from "../ports/payments/PaymentProcessors.ts"
import type { Adapters } from "./Adapters.ts"
import type { Backend } from "./Backend.ts"
import type { EventSchema, NoEvents } from "./HostEvents.ts"
import type { OwnProcessors } from "./OwnProcessors.ts"

/** A line that Almoner logs. It never holds secrets or personal data. */
export interface LogLine {
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "fatal"
  readonly message: string
  /** The time of the line, ISO 8601 in UTC. */
  readonly at: string
  /** The failure as text, where something failed. */
  readonly cause?: string
}

/** Event types by their schemas: another name than one of a host's own does not compile. */
type DeclaredOnly<Events> = { readonly [T in keyof Events]: T extends HostEventType ? EventSchema : never }

/** Accounts at Stripe, as `stripe` of `almoner/stripe` gives them. */
export interface StripeAccounts {
  readonly processor: Effect.Effect<PaymentProcessor, never, OrganisationStore | SecretBox>
}

/** The parts that a host chooses, and those that it may replace. */
export interface Options<Client = never, Events = NoEvents> {
  /** Where records are kept: `memory()`, `pglite({ … })`, `postgres({ … })`, each from the entry of its name. */
  readonly backend: Backend<Client>
  /**
   * The keys that seal webhook secrets, newest first: `id:base64` with 32 random bytes, comma-separated. When absent the
   * memory makes one, the embedded database keeps one in its folder, and a server refuses to open.
   */
  readonly keys?: string | undefined
  /** The clock, milliseconds since the epoch. `Date.now` when absent. Waiting always takes real time. */
  readonly clock?: (() => number) | undefined
  /** Ids, secrets and digests, in place of TypeIDs and the platform's cryptography. */
  readonly tokens?: Tokens["Service"] | undefined
  /** The receiver of log lines; what it throws is dropped. When absent, warnings and errors go to the console. */
  readonly logger?: ((line: LogLine) => void) | undefined
  /**
   * The transport of deliveries: `webhookTransport` of `almoner/webhooks`, or one of your own. Without one nothing is
   * delivered.
   */
  readonly webhookTransport?:
    | Layer.Layer<WebhookTransport>
    | ((request: WebhookRequest) => Promise<WebhookOutcome>)
    | undefined
  /**
   * Your platform accounts at Stripe: `stripe({ live: { secretKey: "sk_live_…" } })` of `almoner/stripe`. Without them no gift
   * is taken there; `stripe({})` is for organisations with keys of their own alone. docs/guides/stripe.md.
   */
  readonly stripe?: StripeAccounts | undefined
  /**
   * Payment processors of your own, by the names that integrations have of them: `{ adyen: processor }`. The names of ours
   * are taken. `examples/own-processor`.
   */
  readonly processors?: OwnProcessors | undefined
  /** How mails are sent, `mailHtml` of `almoner/mail` makes their HTML. One that rejects is asked again later. Without one mails wait. */
  readonly mailer?: ((message: MailMessage) => Promise<MailOutcome>) | undefined
  /**
   * The address of an organisation's pages, with `{slug}` for the organisation: links in mails and answers begin with
   * it. `http://{slug}.localhost:8080` when absent.
   */
  readonly publicUrlTemplate?: string | undefined
  /** The interval of started workers' sweeps, minutes. 60 when absent. */
  readonly sweepIntervalMinutes?: number | undefined
  /** How long deliveries are kept after their end, days. 90 when absent. Events and the audit are kept for ever. */
  readonly deliveryRetentionDays?: number | undefined
  /** Networks that webhooks of every sandbox organisation may reach, CIDR. None when absent. */
  readonly operatorCidrs?: ReadonlyArray<string> | undefined
  /**
   * Types of events of your own, each with the schema of its data: `{ "x.pledge.signed": z.object({ id: z.string() }) }`.
   * They are emitted by `almoner.events.emit`. The schema is one of any library that has Standard Schema version 1, or of
   * Effect; what it gives must be JSON. None when absent. docs/decisions/0054.
   */
  readonly events?: (Events & DeclaredOnly<Events>) | undefined
  /**
   * Adapters of your own in the place of ours, by the names of their ports: `{ WebhookSigner: { sign }, AuditStore:
   * layer }`.
   */
  readonly adapters?: Adapters | undefined
}

export const hasTransport = ({ adapters, webhookTransport }: Pick<Options, "adapters" | "webhookTransport">): boolean =>
  webhookTransport !== undefined || adapters?.WebhookTransport !== undefined

export const hasMailer = ({ adapters, mailer }: Pick<Options, "adapters" | "mailer">): boolean =>
  mailer !== undefined || adapters?.MailTransport !== undefined

/** A clock with the host's wall time; its monotonic time and its sleep are real. */
export const clockOf = (now: () => number, real: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: now,
  currentTimeMillis: Effect.sync(now),
  currentTimeNanosUnsafe: () => BigInt(Math.trunc(now())) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(Math.trunc(now())) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: real.monotonicTimeNanos,
  sleep: (duration) => real.sleep(duration)
})

/** The loggers that are there already, which are told causes without values. */
const discreetly: Layer.Layer<never> = Layer.effect(
  Logger.CurrentLoggers,
  Effect.map(Logger.CurrentLoggers, (loggers) => new Set([...loggers].map(discreet)))
)

/** The host's clock and logger. No logger is given a value of a request or a record. reliability, Secrets and personal data. */
export const hostServices = ({ clock, logger }: Pick<Options, "clock" | "logger">): Layer.Layer<never> =>
  Layer.mergeAll(
    clock === undefined
      ? Layer.empty
      : Layer.effect(
          Clock.Clock,
          Effect.clockWith((real) => Effect.succeed(clockOf(clock, real)))
        ),
    logger === undefined
      ? Layer.merge(discreetly, Layer.succeed(References.MinimumLogLevel, "Warn"))
      : Logger.layer([discreet(loggerOf(logger))])
  )

const levels: Readonly<Record<string, LogLine["level"]>> = {
  Trace: "trace",
  Debug: "debug",
  Info: "info",
  Warn: "warn",
  Error: "error",
  Fatal: "fatal"
}

const loggerOf = (write: (line: LogLine) => void): Logger.Logger<unknown, void> =>
  Logger.make((entry) => {
    const { cause, message } = Logger.formatStructured.log(entry)
    const line: LogLine = {
      level: levels[entry.logLevel] ?? "info",
      message: Array.isArray(message) ? message.map(String).join(" ") : String(message),
      at: entry.date.toISOString(),
      ...(cause === undefined ? {} : { cause })
    }
    try {
      write(line)
    } catch {
      // It must not end the work that tells of something.
    }
  })

const brokenTransport: WebhookOutcome = {
  response_status: null,
  response_excerpt: null,
  retry_after: null,
  error: "connection_failed",
  duration_ms: 0
}

const isWebhookOutcome = Schema.is(
  Schema.Struct({
    response_status: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 999 }))),
    response_excerpt: Schema.NullOr(Schema.String),
    retry_after: Schema.NullOr(Schema.String),
    error: Schema.NullOr(Schema.String),
    duration_ms: Schema.Finite
  })
)

const isMailOutcome = Schema.is(
  Schema.Union([
    Schema.Struct({ _tag: Schema.Literal("Sent") }),
    Schema.Struct({ _tag: Schema.Literals(["Failed", "Refused"]), reason: Schema.String })
  ])
)

/** The transport that the host chose. A rejection counts as a broken connection, as does what is no outcome. */
export const transportOf = (given: Options["webhookTransport"]): Layer.Layer<WebhookTransport> => {
  if (given === undefined) return Layer.succeed(WebhookTransport, { post: () => Effect.succeed(brokenTransport) })
  if (typeof given !== "function") return given
  return Layer.succeed(WebhookTransport, {
    post: (request) =>
      Effect.promise(() =>
        Promise.resolve()
          .then(() => given(request))
          .then((outcome) => (isWebhookOutcome(outcome) ? outcome : brokenTransport))
          .catch(() => brokenTransport)
      )
  })
}

/** How the host chose to send mails. */
export const mailTransportOf = (given: Options["mailer"]): MailTransport["Service"] => ({
  send: (message) =>
    Effect.promise(async (): Promise<MailOutcome> => {
      if (given === undefined) return { _tag: "Failed", reason: "no mailer" }
      try {
        const outcome: unknown = await given(message)
        return isMailOutcome(outcome) ? outcome : { _tag: "Failed", reason: "the host's mailer gave no outcome" }
      } catch {
        return { _tag: "Failed", reason: "the host's mailer rejected it" }
      }
    })
})
