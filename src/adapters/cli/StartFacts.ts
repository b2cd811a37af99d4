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

/** What is said of a template of pages' addresses that all organisations share an origin by; null of any other. pages, section 1. */
export const originWarning = (publicUrlTemplate: string): string | null =>
  hasOwnHosts(publicUrlTemplate)
    ? null
    : "PUBLIC_URL_TEMPLATE has {slug} in its path alone: the pages of all organisations share one origin, and browsers do not keep them apart. A host of their own, as in https://{slug}.give.example.org, is better."
