import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Cause, Duration, Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { readApplePayFile } from "./adapters/cli/ApplePayFile.ts"
import { CommandFailed } from "./adapters/cli/CommandFailed.ts"
import { readRegimes } from "./adapters/cli/RegimesFile.ts"
import { type Settings, settingFaults, settingNames, settings } from "./adapters/cli/Settings.ts"
import { settingWarnings } from "./adapters/cli/StartFacts.ts"
import { sentenceOf, unknownVariables } from "./adapters/cli/UnknownVariables.ts"
import * as EncryptionKeys from "./adapters/crypto/EncryptionKeys.ts"
import { lookAtDatabase } from "./adapters/postgres/connection/DatabaseLook.ts"
import { lookAtMailboxes } from "./adapters/postgres/giving/SharedMailboxes.ts"
import * as Migrations from "./adapters/postgres/migrations/Migrations.ts"
import * as Stores from "./adapters/postgres/Stores.ts"
import { SealedSecrets } from "./app/access/SealedSecrets.ts"
import { Regimes, reviewOf } from "./app/compliance/Regimes.ts"
import { clientOf, formFaults, notUnused, ringOf, stripeOf } from "./application.ts"
import { faultOf, warningOf } from "./domain/access/KeyUsage.ts"
import { Limits } from "./domain/kernel/Limits.ts"
import { InstallationRegimes } from "./ports/compliance/InstallationRegimes.ts"
import { type Finding, findingsOf } from "./ports/kernel/Finding.ts"

const variables = findingsOf("variables")
const database = findingsOf("database")
const keys = findingsOf("encryption keys")
const processors = findingsOf("processors")
const mail = findingsOf("mail")
const regimes = findingsOf("regimes")
const pages = findingsOf("pages")
const listener = findingsOf("listener")

const listenReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there; stop it, or set PORT",
  EACCES: "this user may not use this port",
  EADDRNOTAVAIL: "HOST is not an address of this machine",
  ENOTFOUND: "HOST is not an address of this machine",
  EAI_AGAIN: "HOST is a name that cannot be looked up"
}

/** Why a port cannot be listened on, in a sentence. */
export const listenFailure = ({ code, host, port }: Pick<Settings, "host" | "port"> & { readonly code: string }) =>
  `Port ${port} of ${host} cannot be listened on: ${listenReasons[code] ?? code}.`

/** Listens on a port and stops at once: the code of why it cannot be, undefined where it can. */
const tryPort = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", (error) => resolve("code" in error ? String(error.code) : error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })

type Look = Effect.Effect<ReadonlyArray<Finding>>

/** Tries the encryption keys on what is sealed in the database of the context. */
const tryKeys = (chosen: Settings) =>
  SealedSecrets.use(({ trial }) => trial).pipe(
    Effect.map((trial) => {
      const fault = faultOf(trial)
      const warning = warningOf(trial)
      if (fault !== null) return keys.wrong(fault)
      return warning === null ? keys.ok("they open what is sealed in the database") : keys.warning(warning)
    }),
    Effect.provide(
      SealedSecrets.layer.pipe(
        Layer.provide(Stores.layer),
        Layer.provide(Layer.merge(EncryptionKeys.layerSecretBox, EncryptionKeys.layerMacs)),
        Layer.provide(ringOf(chosen, notUnused))
      )
    ),
    Effect.catchTag("KeyRingUnusable", ({ message }) => Effect.succeed(keys.wrong(message)))
  )

/** The keys alone, where there is no migrated database to try them on. The first start makes those that are not given. */
const readKeys = Effect.fnUntraced(function* (chosen: Settings) {
  const isMadeLater =
    Option.isNone(chosen.databaseUrl) &&
    Option.isNone(chosen.encryptionKeys) &&
    !existsSync(join(chosen.dataDir, "keys.json"))
  if (isMadeLater) return keys.ok("there are none yet: the first start makes them")
  const built = yield* Effect.result(Effect.scoped(Layer.build(ringOf(chosen, notUnused))))
  return Result.isFailure(built) ? keys.wrong(built.failure.message) : keys.ok("they can be read")
})

/** Makes the schema of an empty database and undoes it: what stands in its way is found so, such as others' tables. */
const tryMigrations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const undone = new CommandFailed({ message: "undone" })
  const failure = yield* Effect.flip(sql.withTransaction(Effect.andThen(Migrations.run, undone)))
  return failure === undone ? [] : [database.wrong(failure.message)]
})

/** What stands in the way of this version's schema: nothing does where an older one is migrated at the start. */
const schemaFindings = Effect.fnUntraced(function* (failure: Effect.Error<typeof Migrations.check>, mayWrite: boolean) {
  if (failure._tag !== "DatabaseNotMigrated") return [database.wrong(failure.message)]
  return failure.found === null && mayWrite ? yield* tryMigrations : []
})

const lookInside = Effect.fnUntraced(function* (chosen: Settings) {
  const { found, trouble } = yield* lookAtDatabase
  const standing = yield* Effect.result(Migrations.check)
  if (Result.isSuccess(standing)) return [...found, yield* tryKeys(chosen), ...(yield* lookAtMailboxes)]
  const { failure } = standing
  const schema = yield* schemaFindings(failure, trouble === undefined)
  const isWrong = trouble !== undefined || schema.length > 0
  const others = isWrong ? found.filter(({ part, state }) => part !== "database" || state !== "ok") : found
  return [...others, ...schema, yield* readKeys(chosen)]
})

const firstLineOf = (cause: Cause.Cause<unknown>): string =>
  Cause.prettyErrors(cause)[0]?.message.split("\n", 1)[0] ?? "nothing is known of it"

/** The database, the encryption keys and the clock. It makes nothing. */
const lookAtRecords = (chosen: Settings): Look => {
  const withKeys = (found: Finding) => Effect.map(readKeys(chosen), (those) => [found, those])
  return lookInside(chosen).pipe(
    Effect.provide(clientOf(chosen, "uses", Duration.zero)),
    Effect.catchTags({
      DataFolderLocked: ({ pid }) =>
        withKeys(database.ok(`a running process (${pid ?? "of unknown id"}) has the embedded database open`)),
      DatabaseMissing: ({ path }) => withKeys(database.ok(`there is none in ${path} yet: almoner serve makes it`))
    }),
    Effect.catch((failure) => withKeys(database.wrong(failure.message))),
    Effect.catchCause((cause) => Effect.succeed([database.wrong(`It cannot be looked at: ${firstLineOf(cause)}`)]))
  )
}

/** Tries Stripe's keys at Stripe. */
const lookAtProcessors = (chosen: Settings): Look => {
  const options = stripeOf(chosen)
  if (options.live === undefined && options.test === undefined) {
    const message = "no key of Stripe's is set: live organisations take bank transfers, sandboxes test payments"
    return Effect.succeed([processors.ok(message)])
  }
  return Effect.flatMap(
    Effect.promise(() => import("./adapters/processors/stripe/PlatformLook.ts")),
    ({ lookAtStripe }) => lookAtStripe(options)
  )
}

const lookAtMail = ({ databaseUrl, dataDir, smtpUrl }: Settings): Look => {
  if (Option.isSome(smtpUrl)) {
    return Effect.flatMap(
      Effect.promise(() => import("./adapters/mail/Smtp.ts")),
      ({ lookAtServer }) => Effect.map(lookAtServer({ url: smtpUrl.value }), (found) => [found])
    )
  }
  const where = `mails are written into files in ${join(dataDir, "outbox")}`
  return Effect.succeed([
    Option.isSome(databaseUrl)
      ? mail.warning(`Nobody gets a mail: ${where}. Set SMTP_URL and MAIL_FROM.`)
      : mail.ok(where)
  ])
}

/** What lies outside, the processors and where mails go, as far as it answers within a time. */
export const lookOutside = (chosen: Settings, patience: Duration.Duration, { mails = true } = {}): Look => {
  const silence = `did not answer within ${Duration.toSeconds(patience)} s. Look whether this machine reaches`
  const within = (look: Look, finding: Finding) =>
    Effect.map(
      Effect.timeoutOption(look, patience),
      Option.getOrElse((): ReadonlyArray<Finding> => [finding])
    )
  return Effect.map(
    Effect.all(
      [
        within(lookAtProcessors(chosen), processors.away(`Stripe ${silence} it.`)),
        ...(mails
          ? [within(lookAtMail(chosen), mail.away(`The mail server ${silence} host and port in SMTP_URL.`))]
          : [])
      ],
      { concurrency: 2 }
    ),
    (found) => found.flat()
  )
}

const lookAtRegimes = ({ dataDir, regimesFile }: Settings): Look =>
  Effect.gen(function* () {
    const read = readRegimes(Option.getOrNull(regimesFile), dataDir)
    if (Result.isFailure(read)) return [regimes.wrong(read.failure)]
    const { book, warnings } = read.success
    const due = yield* Regimes.use(({ check }) => check).pipe(
      Effect.provide(Regimes.layer),
      Effect.provideService(InstallationRegimes, book)
    )
    const found = [...warnings, ...due.map(reviewOf)].map(regimes.warning)
    return found.length === 0 ? [regimes.ok("their figures are checked, as far as they are known")] : found
  })

const lookAtVariables = Effect.fnUntraced(function* (chosen: Settings | undefined) {
  const ofForm = chosen === undefined ? [] : formFaults(chosen)
  const wrong = [...(yield* settingFaults), ...ofForm].map(({ message }) => variables.wrong(message))
  const unknown = unknownVariables(process.env, settingNames).map(sentenceOf)
  const idle = chosen === undefined ? [] : settingWarnings(chosen)
  const found = [...wrong, ...[...unknown, ...idle].map(variables.warning)]
  return found.length === 0 ? [variables.ok("each that is set is known, and has a value that it may have")] : found
})

/** What the server itself opens: the file for Apple, and its port, which is free again at once. */
export const lookAtMachine = Effect.fnUntraced(function* ({ applePayFile, host, port }: Settings) {
  const file = yield* Effect.result(Option.match(applePayFile, { onNone: () => Effect.void, onSome: readApplePayFile }))
  const failure = yield* Effect.promise(() => tryPort(host, port))
  return [
    ...(Result.isFailure(file) ? [pages.wrong(file.failure.message)] : []),
    failure === undefined
      ? listener.ok(`port ${port} of ${host} can be listened on`)
      : failure === "EADDRINUSE"
        ? listener.warning(
            `Port ${port} of ${host} is in use: by this service, or by a program beside which it cannot start.`
          )
        : listener.wrong(listenFailure({ code: failure, host, port }))
  ]
})

/** Looks at everything that a server runs on, and changes nothing. What wrong variables lead to is not looked at. */
export const lookAtAll: Look = Effect.gen(function* () {
  const chosen = yield* Effect.orElseSucceed(settings, () => undefined)
  const found = yield* lookAtVariables(chosen)
  if (chosen === undefined || found.some(({ state }) => state === "wrong")) return found
  const patience = Duration.seconds(Limits.checkLookSeconds)
  const others = yield* Effect.all(
    [lookAtMachine(chosen), lookAtRecords(chosen), lookOutside(chosen, patience), lookAtRegimes(chosen)],
    { concurrency: 4 }
  )
  return [...found, ...others.flat()]
})
