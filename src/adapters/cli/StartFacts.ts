import { join, resolve } from "node:path"
import { Option, Redacted } from "effect"
import { hasOwnHosts } from "../../domain/kernel/PublicAddress.ts"
import type { Settings } from "./Settings.ts"

/** Where records are kept. It never holds a user or a password. */
export type DatabaseFacts =
  | { readonly kind: "embedded"; readonly folder: string }
  | { readonly kind: "postgresql"; readonly host: string; readonly name: string }

/** Where mails go. It never holds a user or a password. */
export type MailFacts =
  | { readonly kind: "smtp"; readonly host: string }
  | { readonly kind: "files"; readonly folder: string }

/** What a server is, and what it runs on. */
export interface StartFacts {
  readonly version: string
  readonly database: DatabaseFacts
  /** The migrations that this start ran. */
  readonly migrations: ReadonlyArray<string>
  /** The modes in which each payment processor takes gifts. */
  readonly processors: Readonly<Record<string, ReadonlyArray<string>>>
  readonly workers: "on" | "off"
  readonly mail: MailFacts
}

/** The folder for mails that no server sends. */
export const outboxFolder = (data_dir: string): string => join(data_dir, "outbox")

const mailOf = ({ dataDir, smtpUrl }: Settings): MailFacts => {
  if (Option.isNone(smtpUrl)) return { kind: "files", folder: resolve(outboxFolder(dataDir)) }
  const { host, protocol } = new URL(Redacted.value(smtpUrl.value))
  return { kind: "smtp", host: `${protocol}//${host}` }
}

const processorsOf = (chosen: Settings): StartFacts["processors"] => {
  const { stripeOwnAccounts, stripeSecretKey, stripeTestSecretKey } = chosen
  const stripe = [
    ...(Option.isSome(stripeSecretKey) ? ["live"] : []),
    ...(Option.isSome(stripeTestSecretKey) ? ["test"] : []),
    ...(stripeOwnAccounts ? ["own accounts"] : [])
  ]
  return { ...(stripe.length === 0 ? {} : { stripe }), bank: ["live"], test: ["sandbox"] }
}

export const startFactsOf = (
  chosen: Settings,
  known: Pick<StartFacts, "database" | "migrations" | "version">
): StartFacts => ({ ...known, processors: processorsOf(chosen), workers: chosen.workers, mail: mailOf(chosen) })

const databaseText = (database: DatabaseFacts): string =>
  database.kind === "embedded"
    ? `the embedded database in ${database.folder}`
    : `the PostgreSQL database ${database.name} at ${database.host}`

const migrationsText = (migrations: ReadonlyArray<string>): string => {
  const [only, ...others] = migrations
  if (only === undefined) return "no migration to run"
  return others.length === 0 ? `the migration ${only} run` : `${migrations.length} migrations run`
}

export const startLine = ({ database, mail, migrations, processors, version, workers }: StartFacts): string => {
  const modes = Object.entries(processors).map(([name, of]) => `${name} (${of.join(", ")})`)
  return [
    `Almoner ${version} on ${databaseText(database)}, ${migrationsText(migrations)}`,
    `processors ${modes.join(", ")}`,
    `workers ${workers}`,
    mail.kind === "smtp" ? `mails to ${mail.host}` : `mails into files in ${mail.folder}`
  ].join("; ")
}

/** Whether a URL leads to the machine that it is opened on, and to no other. */
const isLocal = (url: string): boolean =>
  /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/u.test(new URL(url.replaceAll("{slug}", "slug")).hostname)

/** What is said of settings that are well by themselves, and do nothing, or not what they are for, beside the others. */
export const settingWarnings = (chosen: Settings): ReadonlyArray<string> => {
  const idle = (
    name: string,
    isSet: boolean,
    [needed, other]: readonly [string, Option.Option<unknown>],
    loss: string
  ) =>
    isSet && Option.isNone(other)
      ? [`${name} is set and ${needed} is not, so that ${loss}. Set ${needed}, or leave ${name} out.`]
      : []
  const live = ["STRIPE_SECRET_KEY", chosen.stripeSecretKey] as const
  const test = ["STRIPE_TEST_SECRET_KEY", chosen.stripeTestSecretKey] as const
  const header = ["PROXY_HEADER", chosen.proxyHeader] as const
  const untaken = "nothing is taken at Stripe with it"
  return [
    ...idle("STRIPE_PUBLISHABLE_KEY", Option.isSome(chosen.stripePublishableKey), live, untaken),
    ...idle("STRIPE_NOTICE_SECRETS", chosen.stripeNoticeSecrets.length > 0, live, untaken),
    ...idle("STRIPE_TEST_PUBLISHABLE_KEY", Option.isSome(chosen.stripeTestPublishableKey), test, untaken),
    ...idle("STRIPE_TEST_NOTICE_SECRETS", chosen.stripeTestNoticeSecrets.length > 0, test, untaken),
    ...idle("TRUSTED_PROXIES", chosen.trustedProxies.length > 0, header, "callers have the proxies' addresses"),
    ...(isLocal(chosen.publicUrlTemplate) && !isLocal(chosen.apiBaseUrl)
      ? [
          `API_BASE_URL is public and pages are not: donors and invitees are sent to ${chosen.publicUrlTemplate}, on their own machines. Set PUBLIC_URL_TEMPLATE, such as https://{slug}.give.example.org.`
        ]
      : []),
    ...(hasOwnHosts(chosen.publicUrlTemplate)
      ? []
      : [
          "PUBLIC_URL_TEMPLATE has {slug} in its path alone: the pages of all organisations share one origin, and browsers do not keep them apart. A host of their own, as in https://{slug}.give.example.org, is better."
        ])
  ]
}
