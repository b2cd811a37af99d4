import { Config, ConfigProvider, Effect, Option, Redacted, Result, Schema } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import { withoutSlash } from "../../domain/kernel/PublicAddress.ts"
import { standardPlan } from "../../domain/outbox/Sweep.ts"
import { isCidr } from "../../domain/outbox/WebhookAddress.ts"
import {
  httpsSources,
  integer,
  isDatabaseUrl,
  isWebUrl,
  listOf,
  logLevels,
  mailServer,
  noticeSecrets,
  oneOf,
  origins,
  pathOf,
  type Setting,
  secretKey,
  sender,
  setting,
  stripeKey
} from "./SettingKinds.ts"

/** A setting has a value that is not allowed. `reason` completes a sentence that begins with its name. */
export class SettingInvalid extends Schema.TaggedError<SettingInvalid>()("SettingInvalid", {
  name: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.name} ${this.reason}.`
  }
}

/** Every setting. {@link settingsTable} prints it; nothing else reads the environment. */
const table = {
  port: setting("PORT", "`8080`", { description: "Port to listen on.", ...integer(1, 65_535) }),
  host: setting("HOST", "`127.0.0.1`", {
    description: "Address to listen on: this machine only, as the first start makes keys; `0.0.0.0` or `::` for all.",
    expected: "a host name or an address",
    read: (text) => (/^[\w.:%-]+$/.test(text) ? Option.some(text) : Option.none())
  }),
  databaseUrl: setting("DATABASE_URL", "the embedded database", {
    description:
      "PostgreSQL server to use, `postgres://user:password@host:port/database`; over a Unix socket `postgres://user@/database?host=/var/run/postgresql`. `embedded`: the database in `DATA_DIR`, which must be said where anything looks like production.",
    expected:
      "postgres://user:password@host:port/database, postgres://user@/database?host=/folder for a Unix socket, or embedded",
    read: (text): Option.Option<"embedded" | Redacted.Redacted<string>> => {
      if (text === "embedded") return Option.some(text)
      return isDatabaseUrl(text) ? Option.some(Redacted.make(text)) : Option.none()
    }
  }),
  databasePoolSize: setting("DATABASE_POOL_SIZE", "`10`", {
    description:
      "Connections to the PostgreSQL server at most; three of ten are for deliveries, mails and sweeps. The embedded database has one.",
    ...integer(1, Limits.poolConnections)
  }),
  databasePrepare: setting("DATABASE_PREPARE", "`auto`", {
    description:
      "Whether statements are prepared: `auto` is on, and off where a pooler stands before the server; `on` for a pooler that keeps track of them.",
    ...oneOf(["auto", "on", "off"])
  }),
  dataDir: setting("DATA_DIR", "`.almoner`", {
    description: "Folder of the embedded database, of its encryption keys and of `demo.json`. It must not be shared.",
    ...pathOf("a folder")
  }),
  regimesFile: setting("REGIMES_FILE", "none", {
    description:
      "File of disclosure regimes that take the place of shipped ones or stand beside them ([Disclosures](docs/disclosures.md)).",
    ...pathOf("a file")
  }),
  demo: setting("DEMO", "`on`; `off` with a PostgreSQL server and in production", {
    description:
      "`on`: a start on an empty database makes a demo organisation and writes its keys to `DATA_DIR/demo.json`. `off`: `almoner organisation create` makes the first organisation.",
    ...oneOf(["on", "off"])
  }),
  embeddedDurability: setting("EMBEDDED_DURABILITY", "`synced`", {
    description:
      "`synced`: a change is on disk before it is answered. `relaxed`: faster, but a power cut may lose or damage data.",
    ...oneOf(["synced", "relaxed"])
  }),
  encryptionKeys: setting("ALMONER_ENCRYPTION_KEYS", "made once in `DATA_DIR/keys.json`", {
    description:
      "Keys that seal secrets at rest, `id:base64` of 32 bytes each, comma-separated, newest first. Required with a PostgreSQL server.",
    expected: "id:base64 of 32 bytes, comma-separated",
    read: (text) => Option.some(Redacted.make(text))
  }),
  apiBaseUrl: setting("API_BASE_URL", "`http://localhost:PORT`", {
    description: "Where callers reach the service; links in answers begin with it.",
    expected: "an http or https URL without query and fragment",
    read: (text) => (isWebUrl(text) ? Option.some(withoutSlash(text)) : Option.none())
  }),
  publicUrlTemplate: setting("PUBLIC_URL_TEMPLATE", "`http://{slug}.localhost:PORT`", {
    description: "Where donors and invitees reach an organisation's pages; `{slug}` stands for the organisation.",
    expected: "an http or https URL that contains {slug}",
    read: (text) =>
      text.includes("{slug}") && isWebUrl(text.replaceAll("{slug}", "slug"))
        ? Option.some(withoutSlash(text))
        : Option.none()
  }),
  stripeSources: setting("PAGES_STRIPE_SOURCES", "none", {
    description:
      "Origins that the page of a payment at Stripe may ask beside those of Stripe's guide to policies, comma-separated; `https://*.example.com` is allowed.",
    expected: "a comma-separated list of https origins",
    read: httpsSources
  }),
  applePayFile: setting("APPLE_PAY_FILE", "none", {
    description: "File that the hosts of organisations serve to Apple ([Wallets](docs/guides/stripe.md#on-the-page)).",
    ...pathOf("a file")
  }),
  pagesPreviews: setting("PAGES_PREVIEWS", "`on`; `off` with a PostgreSQL server and in production", {
    description: "`on`: pages for whoever works on the service are shown, such as `/_components`.",
    ...oneOf(["on", "off"])
  }),
  smtpUrl: setting("SMTP_URL", "mails are written to `DATA_DIR/outbox`", {
    description: "Mail server to send with, `smtp://user:password@host:port`, or `smtps:`. Needs `MAIL_FROM`.",
    ...mailServer
  }),
  mailFrom: setting("MAIL_FROM", "`Almoner <almoner@localhost>`", {
    description: "The sender of mails, an address or `Name <address>`.",
    ...sender
  }),
  rateLimiter: setting("RATE_LIMITER", "`memory`", {
    description: "Where request rates are counted: `memory` for one process, `postgres` exactly over several.",
    ...oneOf(["memory", "postgres"])
  }),
  rateLimitPerSecond: setting("RATE_LIMIT_PER_SECOND", "`100`", {
    description: "Requests that an organisation may make each second.",
    ...integer(1, 1_000_000)
  }),
  rateLimitBurst: setting("RATE_LIMIT_BURST", "`100`", {
    description: "Requests that an organisation may make at once.",
    ...integer(1, 1_000_000)
  }),
  maxConnections: setting("MAX_CONNECTIONS", "`4096`, or a quarter of what the process may open", {
    description:
      "Connections that the server has open at once; never more than half of the files and sockets that the process may open.",
    ...integer(1, 1_000_000)
  }),
  maxConnectionsPerAddress: setting("MAX_CONNECTIONS_PER_ADDRESS", "`512`", {
    description:
      "Connections of one client address, or of one /64 of IPv6. Those of `TRUSTED_PROXIES` are not counted.",
    ...integer(1, 1_000_000)
  }),
  idleTimeoutSeconds: setting("IDLE_TIMEOUT_SECONDS", `\`${Limits.idleTimeoutSeconds}\``, {
    description:
      "How long a connection without a request is kept, seconds. It must exceed that of a proxy in front, which would else send a request on a connection that just ends.",
    ...integer(1, 3_600)
  }),
  trustedProxies: setting("TRUSTED_PROXIES", "none", {
    description: "Networks of the proxies in front of the server, comma-separated.",
    expected: "networks such as 10.1.0.0/16, comma-separated",
    read: listOf(isCidr)
  }),
  proxyHeader: setting("PROXY_HEADER", "none", {
    description:
      "The one header in which `TRUSTED_PROXIES` tell the client's address, such as `x-forwarded-for`, or `forwarded` (RFC 7239).",
    expected: "the name of a header, such as x-forwarded-for",
    read: (text) => (text.length <= 100 && /^[\w-]+$/.test(text) ? Option.some(text.toLowerCase()) : Option.none())
  }),
  corsOrigins: setting("CORS_ORIGINS", "none", {
    description: "Origins whose pages may call the API, each in full, comma-separated, or `*` alone for all.",
    expected:
      "origins such as https://app.example.org, each in full without a wildcard, comma-separated, or * alone for all",
    read: (text) => (text === "*" ? Option.some([text]) : origins(text))
  }),
  webhookAllowCidrs: setting("WEBHOOK_ALLOW_CIDRS", "none", {
    description: "Networks that sandbox organisations may have webhooks in, although others may not, comma-separated.",
    expected: "networks such as 10.1.0.0/16, comma-separated",
    read: listOf(isCidr)
  }),
  stripeSecretKey: setting("STRIPE_SECRET_KEY", "none", {
    description: "The secret key of your platform account at Stripe, which takes the gifts of live organisations.",
    ...secretKey("live")
  }),
  stripePublishableKey: setting("STRIPE_PUBLISHABLE_KEY", "none", {
    description: "Its publishable key, which donors' pages need.",
    ...stripeKey(["pk"], "live")
  }),
  stripeNoticeSecrets: setting("STRIPE_NOTICE_SECRETS", "none", {
    description: "The signing secrets of the endpoints at which Stripe sends its webhooks; two while one is rotated.",
    ...noticeSecrets
  }),
  stripeTestSecretKey: setting("STRIPE_TEST_SECRET_KEY", "none", {
    description: "The same of Stripe's test mode, for sandbox organisations with an account there.",
    ...secretKey("test")
  }),
  stripeTestPublishableKey: setting("STRIPE_TEST_PUBLISHABLE_KEY", "none", {
    description: "The publishable key of test mode.",
    ...stripeKey(["pk"], "test")
  }),
  stripeTestNoticeSecrets: setting("STRIPE_TEST_NOTICE_SECRETS", "none", {
    description: "The signing secrets of test mode.",
    ...noticeSecrets
  }),
  stripeOwnAccounts: setting("STRIPE_OWN_ACCOUNTS", "`false`", {
    description:
      "Whether organisations may have accounts at Stripe with keys of their own where no platform account is set; with one they may in any case.",
    expected: "true or false",
    read: (text) => (text === "true" || text === "false" ? Option.some(text === "true") : Option.none())
  }),
  stripeApiUrl: setting("STRIPE_API_URL", "`https://api.stripe.com`", {
    description: "Where Stripe is reached, such as a double of it for tests.",
    expected: "an https URL without path, or an http one of this machine",
    read: (text) =>
      isWebUrl(text) && /^(https:\/\/[^/]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)\/?$/u.test(text)
        ? Option.some(withoutSlash(text))
        : Option.none()
  }),
  workers: setting("WORKERS", "`on`", {
    description: "`off`: this process serves requests and leaves deliveries, mails and sweeps to others.",
    ...oneOf(["on", "off"])
  }),
  sweepIntervalMinutes: setting("SWEEP_INTERVAL_MINUTES", "`60`", {
    description: "How often what has expired is written, and what is kept no longer is forgotten, minutes.",
    ...integer(1, Limits.sweepIntervalMinutes)
  }),
  deliveryRetentionDays: setting("DELIVERY_RETENTION_DAYS", "`90`", {
    description:
      "For how long webhook deliveries are kept after their end, days. Events and the audit are kept for good.",
    ...integer(1, Limits.deliveryRetentionDays)
  }),
  logLevel: setting("LOG_LEVEL", "`Info`", { description: "What is logged at least.", ...oneOf(logLevels) }),
  logFormat: setting("LOG_FORMAT", "`pretty`", {
    description: "How it is logged; with `json` every line on standard output is JSON.",
    ...oneOf(["pretty", "json"])
  }),
  accessLog: setting("ACCESS_LOG", "`on`", {
    description: "A line at `Info` for each request: method, route, status, time, request id and organisation.",
    ...oneOf(["on", "off"])
  })
}

export const settingNames: ReadonlyArray<string> = Object.values(table).map(({ name }) => name)

const given = (name: string): Effect.Effect<Option.Option<string>, Config.ConfigError> =>
  Effect.map(Config.option(Config.String(name)), (found) => Option.map(found, (text) => text.trim()))

/**
 * Reads a variable. One that is set and empty is refused: a secret that a script could not read is empty, and the service would
 * begin another installation without it.
 */
const find = Effect.fnUntraced(function* <A>({ expected, name, read }: Setting<A>) {
  const invalid = () => new SettingInvalid({ name, reason: `must be ${expected}` })
  const text = yield* Effect.mapError(given(name), invalid)
  if (Option.isNone(text)) return Option.none<A>()
  if (text.value === "") {
    return yield* new SettingInvalid({ name, reason: "is set and empty. Give it a value, or do not set it" })
  }
  const value = read(text.value)
  return Option.isSome(value) ? value : yield* invalid()
})

const orElse = <A>(of: Setting<A>, standard: A): Effect.Effect<A, SettingInvalid> =>
  Effect.map(find(of), (found) => Option.getOrElse(found, () => standard))

/** The first sign that this is no trial: whoever set it up has a database elsewhere, or would lose one that lies in a container. */
const signOfProduction = Effect.gen(function* () {
  const text = Effect.fnUntraced(function* (name: string) {
    return Option.getOrElse(yield* Effect.orElseSucceed(given(name), () => Option.none<string>()), () => "")
  })
  if ((yield* text("NODE_ENV")).toLowerCase() === "production") return "NODE_ENV is production"
  if ((yield* text(table.encryptionKeys.name)) !== "") return `${table.encryptionKeys.name} is set`
  if ((yield* text(table.apiBaseUrl.name)).startsWith("https:")) return `${table.apiBaseUrl.name} is an https address`
  if ((yield* text("KUBERNETES_SERVICE_HOST")) !== "") return "Kubernetes runs it"
  return process.pid === 1 ? "it is the first process of a container" : null
})

/** Whether somebody tries the service on their own machine: by the database, and by what looks like production. */
const isTrial = (databaseUrl: Option.Option<unknown>): Effect.Effect<boolean> =>
  Option.isSome(databaseUrl) ? Effect.succeed(false) : Effect.map(signOfProduction, (sign) => sign === null)

/** The URL of the PostgreSQL server; none for the embedded database. */
const databaseUrlOrEmbedded = Effect.gen(function* () {
  const found = yield* find(table.databaseUrl)
  const { name } = table.databaseUrl
  const sign = Option.isNone(found) ? yield* signOfProduction : null
  if (sign === null) return Option.filter(found, (value) => value !== "embedded")
  const reason = `is not set, and this looks like production: ${sign}. Set ${name} to the PostgreSQL server, or to embedded for the database in ${table.dataDir.name}`
  return yield* new SettingInvalid({ name, reason })
})

const configuration = Effect.gen(function* () {
  const port = yield* orElse(table.port, 8080)
  const databaseUrl = yield* databaseUrlOrEmbedded
  const trial = (yield* isTrial(databaseUrl)) ? "on" : "off"
  const smtpUrl = yield* find(table.smtpUrl)
  const mailFrom = yield* find(table.mailFrom)
  if (Option.isSome(smtpUrl) && Option.isNone(mailFrom)) {
    return yield* new SettingInvalid({ name: "MAIL_FROM", reason: "must be set when SMTP_URL is: the sender of mails" })
  }
  const proxyHeader = yield* find(table.proxyHeader)
  const trustedProxies = yield* orElse(table.trustedProxies, [])
  if (Option.isSome(proxyHeader) && trustedProxies.length === 0) {
    return yield* new SettingInvalid({
      name: "TRUSTED_PROXIES",
      reason: "must be set when PROXY_HEADER is: the networks whose header is believed"
    })
  }
  return {
    port,
    host: yield* orElse(table.host, "127.0.0.1"),
    databaseUrl,
    databasePoolSize: yield* orElse(table.databasePoolSize, 10),
    databasePrepare: yield* orElse(table.databasePrepare, "auto"),
    dataDir: yield* orElse(table.dataDir, ".almoner"),
    regimesFile: yield* find(table.regimesFile),
    // Keys with full access are made in a database on this machine, and not in one that others can reach.
    demo: yield* orElse(table.demo, trial),
    embeddedDurability: yield* orElse(table.embeddedDurability, "synced"),
    encryptionKeys: yield* find(table.encryptionKeys),
    apiBaseUrl: yield* orElse(table.apiBaseUrl, `http://localhost:${port}`),
    publicUrlTemplate: yield* orElse(table.publicUrlTemplate, `http://{slug}.localhost:${port}`),
    pagesPreviews: yield* orElse(table.pagesPreviews, trial),
    smtpUrl,
    mailFrom: Option.getOrElse(mailFrom, () => "Almoner <almoner@localhost>"),
    rateLimiter: yield* orElse(table.rateLimiter, "memory"),
    rateLimitPerSecond: yield* orElse(table.rateLimitPerSecond, 100),
    rateLimitBurst: yield* orElse(table.rateLimitBurst, 100),
    maxConnections: yield* find(table.maxConnections),
    maxConnectionsPerAddress: yield* orElse(table.maxConnectionsPerAddress, Limits.connectionsPerAddress),
    idleTimeoutSeconds: yield* orElse(table.idleTimeoutSeconds, Limits.idleTimeoutSeconds),
    trustedProxies,
    proxyHeader,
    corsOrigins: yield* orElse(table.corsOrigins, []),
    stripeSources: yield* orElse(table.stripeSources, []),
    applePayFile: yield* find(table.applePayFile),
    webhookAllowCidrs: yield* orElse(table.webhookAllowCidrs, []),
    stripeSecretKey: yield* find(table.stripeSecretKey),
    stripePublishableKey: yield* find(table.stripePublishableKey),
    stripeNoticeSecrets: yield* orElse(table.stripeNoticeSecrets, []),
    stripeTestSecretKey: yield* find(table.stripeTestSecretKey),
    stripeTestPublishableKey: yield* find(table.stripeTestPublishableKey),
    stripeTestNoticeSecrets: yield* orElse(table.stripeTestNoticeSecrets, []),
    stripeOwnAccounts: yield* orElse(table.stripeOwnAccounts, false),
    stripeApiUrl: yield* find(table.stripeApiUrl),
    workers: yield* orElse(table.workers, "on"),
    sweepIntervalMinutes: yield* orElse(table.sweepIntervalMinutes, standardPlan.interval_minutes),
    deliveryRetentionDays: yield* orElse(table.deliveryRetentionDays, standardPlan.delivery_retention_days),
    logLevel: yield* orElse(table.logLevel, "Info"),
    logFormat: yield* orElse(table.logFormat, "pretty"),
    accessLog: yield* orElse(table.accessLog, "on")
  } as const
})

export type Settings = Effect.Success<typeof configuration>

const from = <A, E, R>(reading: Effect.Effect<A, E, R>, options: Parameters<typeof ConfigProvider.fromEnv>[0] = {}) =>
  Effect.suspend(() =>
    Effect.provideService(
      reading,
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ ...options, preserveEmptyStrings: true })
    )
  )

/** The configuration from the environment. Fails with {@link SettingInvalid}, which names the variable. */
export const settings: Effect.Effect<Settings, SettingInvalid> = from(configuration)

/** Every variable whose value is not allowed, and what is wrong of several together. */
export const settingFaults: Effect.Effect<ReadonlyArray<SettingInvalid>> = from(
  Effect.gen(function* () {
    const each = yield* Effect.forEach(Object.values(table), (one) => Effect.result(Effect.asVoid(find<unknown>(one))))
    const faults = each.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))
    if (faults.length > 0) return faults
    const whole = yield* Effect.result(configuration)
    return Result.isFailure(whole) ? [whole.failure] : []
  })
)

/** The configuration from these variables: for tests. */
export const settingsFrom = (environment: Readonly<Record<string, string>>): Effect.Effect<Settings, SettingInvalid> =>
  from(configuration, { env: { ...environment } })

/** The settings as a Markdown table for the README. */
export const settingsTable = (): string =>
  [
    "| Variable | Default | Meaning |",
    "|---|---|---|",
    ...Object.values(table).map(
      ({ description, expected, name, standard }) => `| \`${name}\` | ${standard} | ${description}${values(expected)} |`
    )
  ].join("\n")

/** A text of the table for a terminal: of links, where they lead. */
const plain = (text: string): string => text.replaceAll(/\[[^[\]]*\]\(([^()[\]]*)\)/g, "$1").replaceAll("`", "")

export const settingsHelp = (): string => {
  const width = Math.max(...Object.values(table).map(({ name }) => name.length))
  return [
    "VARIABLES",
    ...Object.values(table).map(({ description, expected, name, standard }) => {
      const meaning = plain(`${description}${values(expected)}`)
      return `  ${name.padEnd(width)}  ${meaning}${standard === "none" ? "" : ` (default: ${plain(standard)})`}`
    })
  ].join("\n")
}

const values = (expected: string): string => (expected.startsWith("one of ") ? ` O${expected.slice(1)}.` : "")
