import { existsSync } from "node:fs"
import { mkdir, open, readFile, rename, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Option, Predicate, Schema } from "effect"
import { ApiKeys } from "../../app/access/ApiKeys.ts"
import { type NewOrganisation, type Operator, Organisations } from "../../app/access/Organisations.ts"
import type { Caller } from "../../domain/access/Caller.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { CurrentCaller } from "../../ports/access/CurrentCaller.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Arrangement from "./Arrangement.ts"
import { CommandFailed } from "./CommandFailed.ts"

const DemoOrganisation = Schema.Struct({
  organisation_id: Schema.String,
  slug: Schema.String,
  write_key: Schema.String,
  read_key: Schema.String
})

const Page = Schema.Struct({ id: Schema.String, url: Schema.String })

/** The pages on which donors give to the sandbox. */
const DemoPages = Schema.Struct({ form: Page, checkout_link: Page, recommendation_set: Page })

export const DemoFile = Schema.Struct({
  base_url: Schema.String,
  live: DemoOrganisation,
  sandbox: DemoOrganisation,
  /** A demo of an earlier version has none. */
  pages: Schema.optionalKey(DemoPages)
})
export type DemoFile = typeof DemoFile.Type

const decodeFile = Schema.decodeUnknownOption(Schema.fromJsonString(DemoFile))

export const demoPath = (data_dir: string): string => resolve(join(data_dir, "demo.json"))

const demoOrganisation: NewOrganisation = {
  slug: "demo",
  name: "Demo",
  timezone: "Australia/Sydney",
  default_currency: "AUD",
  plan: "ENTERPRISE",
  sandbox_webhook_cidrs: ["127.0.0.0/8", "::1/128"]
}

const failed = (path: string) => (cause: unknown) =>
  new CommandFailed({
    message: `The demo's keys cannot be written to ${path} (${Predicate.hasProperty(cause, "code") ? cause.code : cause}). Set DEMO=off to start without a demo.`
  })

const sync = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const draftOf = (path: string): string => `${path}.new`

/** Writes the draft; only its owner can read it, from the first moment on. */
const draft = (path: string, demo: DemoFile): Effect.Effect<void, CommandFailed> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await rm(draftOf(path), { force: true })
      const file = await open(draftOf(path), "wx", 0o600)
      try {
        await file.writeFile(`${JSON.stringify(demo, null, 2)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await sync(dirname(path))
    },
    catch: failed(path)
  })

const adopt = (path: string): Effect.Effect<void, CommandFailed> =>
  Effect.tryPromise({
    try: async () => {
      await rename(draftOf(path), path)
      await sync(dirname(path))
    },
    catch: failed(path)
  })

const read = (path: string): Effect.Effect<Option.Option<DemoFile>> =>
  Effect.promise(() => readFile(path, "utf8").catch(() => "")).pipe(Effect.map(decodeFile))

const keysOf = Effect.gen(function* () {
  const { organisation } = yield* CurrentCaller
  const keys = yield* ApiKeys
  return {
    organisation_id: organisation.id,
    slug: organisation.slug,
    write_key: (yield* keys.create({ name: "Demo, write", scope: "WRITE" })).secret,
    read_key: (yield* keys.create({ name: "Demo, read", scope: "READ" })).secret
  }
})

/** What takes gifts: an account at the test processor, an ACTIVE form, a checkout link, and a set with a recipient. */
const pages = Effect.gen(function* () {
  const form = yield* Arrangement.form("Spring appeal")
  const link = yield* Arrangement.checkoutLink
  const { set } = yield* Arrangement.recommendationSet("Harvest")
  return {
    form: { id: form.id, url: form.hosted_page_url },
    checkout_link: { id: link.id, url: link.url },
    recommendation_set: { id: set.id, url: set.giving_url }
  }
})

const create = Effect.fnUntraced(function* (path: string, base_url: string) {
  const organisations = yield* Organisations
  const operator: Operator = {
    actor: { type: "SYSTEM", id: "first start" },
    request_id: yield* (yield* Tokens).id("request")
  }
  const { live, sandbox } = yield* organisations.create(demoOrganisation, operator)
  const as = (organisation: Organisation): Caller => ({ ...operator, organisation, scope: "WRITE" })
  const demo: DemoFile = {
    base_url,
    live: yield* Effect.provideService(keysOf, CurrentCaller, as(live)),
    sandbox: yield* Effect.provideService(keysOf, CurrentCaller, as(sandbox)),
    pages: yield* Effect.provideService(pages, CurrentCaller, as(sandbox))
  }
  // Before the commit, so that there are no keys that nobody knows; the file gets its name afterwards, when the keys exist.
  yield* draft(path, demo)
  return demo
})

/** Updates the address in the file, where the file belongs to this database. */
const refresh = Effect.fnUntraced(function* (path: string, base_url: string, known: ReadonlyArray<Organisation>) {
  const ofThis = (from: string) =>
    Effect.map(
      read(from),
      Option.filter(({ live }) => known.some(({ id }) => id === live.organisation_id))
    )
  // A start that was killed after its commit left the draft.
  if (!existsSync(path) && Option.isSome(yield* ofThis(draftOf(path)))) yield* adopt(path)
  const found = yield* ofThis(path)
  if (Option.isNone(found) || found.value.base_url === base_url) return found
  const demo: DemoFile = { ...found.value, base_url }
  yield* draft(path, demo)
  yield* adopt(path)
  return Option.some(demo)
})

/** Makes the demo and its file, unless the folder has that of another database. */
const begin = Effect.fnUntraced(function* (path: string, base_url: string) {
  if (existsSync(path)) {
    const message = `${path} has the keys of another database's demo, and this database is empty. Move the file away, choose another DATA_DIR, or set DEMO=off to start without a demo.`
    return yield* new CommandFailed({ message })
  }
  const demo = yield* (yield* Transaction).run(create(path, base_url))
  yield* adopt(path)
  return demo
})

/**
 * On an empty database: makes the demo organisation with its sandbox twin and writes their keys to `demo.json`. Returns
 * the file's content; none where the file does not belong to this database.
 */
export const ensure = Effect.fnUntraced(function* (data_dir: string, base_url: string) {
  const path = demoPath(data_dir)
  const known = yield* (yield* Organisations).listOfInstallation
  if (known.length > 0) return yield* refresh(path, base_url, known)
  return yield* begin(path, base_url).pipe(
    Effect.map(Option.some),
    // Another process that starts on the same database at the same time was first, and has the keys.
    Effect.catchTag("AlreadyTaken", () => Effect.succeedNone)
  )
})

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Two shell commands: a gift by card through the sandbox's form, and its event. The key is read from the file, so that
 * none is printed or logged.
 */
export const firstGift = (path: string, base_url: string): string => {
  const folder = dirname(path)
  const settings = folder === resolve(".almoner") ? "" : `DATA_DIR=${quoted(folder)} `
  const program = `${settings}node ${quoted(process.argv[1] ?? "dist/main.js")}`
  const given = "--organisation demo-sandbox --form spring-appeal --amount-cents 5000 --method card"
  const key = `$(node -p ${quoted(`require(${JSON.stringify(path)}).sandbox.read_key`)})`
  return `echo '4242 4242 4242 4242' | ${program} checkout submit ${given} --email ada@example.org --payment-token-file -
curl '${base_url}/api/v1/events?type=donation.succeeded' -H "Authorization: Bearer ${key}"`
}
