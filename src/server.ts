import { resolve } from "node:path"
import { Duration, Effect, Layer, Option, References } from "effect"
import { accessLog } from "./adapters/cli/AccessLines.ts"
import { readApplePayFile } from "./adapters/cli/ApplePayFile.ts"
import type { Announce } from "./adapters/cli/Banner.ts"
import { CommandFailed, failedWith } from "./adapters/cli/CommandFailed.ts"
import { makeDeathRecord } from "./adapters/cli/DeathRecord.ts"
import * as Descriptors from "./adapters/cli/Descriptors.ts"
import * as Logging from "./adapters/cli/Logging.ts"
import * as Reach from "./adapters/cli/Reach.ts"
import * as Serve from "./adapters/cli/Serve.ts"
import type { Settings } from "./adapters/cli/Settings.ts"
import * as Signals from "./adapters/cli/Signals.ts"
import { type DatabaseFacts, outboxFolder, settingWarnings, startFactsOf } from "./adapters/cli/StartFacts.ts"
import { Settings as HttpSettings } from "./adapters/http/pipeline/Settings.ts"
import { documents } from "./adapters/http/reference/Reference.ts"
import { HttpService } from "./adapters/http/Service.ts"
import { AccessLog, summaryOf } from "./adapters/http/server/AccessLog.ts"
import * as NodeServer from "./adapters/http/server/NodeServer.ts"
import * as FileOutbox from "./adapters/mail/FileOutbox.ts"
import * as Smtp from "./adapters/mail/Smtp.ts"
import * as DonorPages from "./adapters/pages/DonorPages.ts"
import { PageSettings } from "./adapters/pages/PageSettings.ts"
import { serverPlace } from "./adapters/postgres/connection/ServerAddress.ts"
import { controlSocket } from "./adapters/postgres/connection/SocketFolder.ts"
import { databaseFolder } from "./adapters/postgres/embedded/FolderLock.ts"
import { RanMigrations } from "./adapters/postgres/migrations/Migrations.ts"
import * as Transport from "./adapters/webhooks/Transport.ts"
import { Recounter } from "./app/compliance/Recounter.ts"
import { Dispatcher } from "./app/outbox/Dispatcher.ts"
import { Mailer } from "./app/outbox/Mailer.ts"
import * as Sweeper from "./app/outbox/Sweeper.ts"
import { Reconciler } from "./app/payments/Reconciler.ts"
import { Renewer } from "./app/payments/Renewer.ts"
import { Settler } from "./app/payments/Settler.ts"
import { Distributor } from "./app/sharing/Distributor.ts"
import { applicationOf } from "./application.ts"
import { listenFailure, lookAtMachine, lookOutside } from "./check.ts"
import { Limits } from "./domain/kernel/Limits.ts"
import * as Readiness from "./facade/Readiness.ts"
import { Background } from "./ports/kernel/Background.ts"
import { WorkGuard } from "./ports/kernel/WorkGuard.ts"

const serverOf = ({ host, port, ...chosen }: Settings) =>
  Layer.unwrap(
    Effect.map(Descriptors.maxConnections(chosen.maxConnections), (total) =>
      NodeServer.layer({
        port,
        host,
        idleTimeoutMillis: chosen.idleTimeoutSeconds * 1_000,
        connections: { total, perAddress: chosen.maxConnectionsPerAddress },
        proxies: { header: Option.getOrNull(chosen.proxyHeader), trusted: chosen.trustedProxies }
      })
    )
  )

const pagesOf = Effect.fnUntraced(function* ({ applePayFile, pagesPreviews, stripeSources }: Settings) {
  const shown = { previews: pagesPreviews === "on", stripeSources }
  if (Option.isNone(applePayFile)) return shown
  return { ...shown, applePayFile: yield* readApplePayFile(applePayFile.value) }
})

const httpOf = (chosen: Settings, version: string) => {
  const { apiBaseUrl, corsOrigins } = chosen
  return serverOf(chosen).pipe(
    Layer.provide(HttpService.layer(documents({ apiBaseUrl, version }))),
    Layer.provide(DonorPages.layer),
    Layer.provide(Layer.effect(PageSettings, pagesOf(chosen))),
    Layer.provide(Readiness.layer),
    Layer.provide(Layer.effect(AccessLog, accessLog(chosen, summaryOf))),
    Layer.provide(Layer.succeed(HttpSettings, { apiBaseUrl, corsOrigins, version }))
  )
}

const working = <R>(run: Effect.Effect<never, never, R>) =>
  Layer.effectDiscard(Effect.forkScoped(Effect.provideService(run, Background, true)))

const dispatching = working(Dispatcher.use((dispatcher) => dispatcher.run)).pipe(Layer.provide(Dispatcher.layer))

const mailTransportOf = ({ dataDir, mailFrom, smtpUrl }: Settings) =>
  Option.isSome(smtpUrl)
    ? Smtp.layer({ url: smtpUrl.value, from: mailFrom })
    : FileOutbox.layer({ folder: outboxFolder(dataDir), from: mailFrom })

const sendingMails = (chosen: Settings) =>
  working(Mailer.use((mailer) => mailer.run)).pipe(Layer.provide(Mailer.layer), Layer.provide(mailTransportOf(chosen)))

const sweeping = working(Sweeper.Sweeper.use(({ run }) => run))

const distributing = working(Distributor.use(({ run }) => run))
const settling = working(Settler.use(({ run }) => run))

const recounting = working(Recounter.use(({ run }) => run))

const renewing = working(Renewer.use(({ run }) => run))

const reconciling = working(Reconciler.use(({ run }) => run))

const workersOf = (chosen: Settings) =>
  Layer.mergeAll(dispatching, sendingMails(chosen), sweeping, settling, distributing, renewing, reconciling, recounting)

const doorsOf = (chosen: Settings, version: string) =>
  Layer.mergeAll(
    httpOf(chosen, version),
    chosen.workers === "on" ? workersOf(chosen) : Layer.empty,
    Option.isNone(chosen.databaseUrl)
      ? Layer.effectDiscard(Effect.flatMap(controlSocket(chosen.dataDir), Reach.serve))
      : Layer.empty
  )

/** The version of the program, and the same with what tells this build from others. */
interface Built {
  readonly version: string
  readonly build: string
}

const factsOf = Effect.fnUntraced(function* (chosen: Settings, { build }: Built) {
  const { databaseUrl, dataDir } = chosen
  const database: DatabaseFacts = Option.match(databaseUrl, {
    onNone: () => ({ kind: "embedded", folder: resolve(databaseFolder(dataDir)) }),
    onSome: (url) => ({ kind: "postgresql", ...serverPlace(url) })
  })
  return startFactsOf(chosen, { version: build, database, migrations: yield* RanMigrations })
})

/** How long a start waits for what lies outside to tell how it is. */
const lookPatience = Duration.seconds(Limits.startLookSeconds)

/** Tries the host, processors' keys and the mail server: what is wrong ends the start, and what may pass is logged. */
const lookBeforeStart = Effect.fnUntraced(function* (chosen: Settings) {
  for (const warning of settingWarnings(chosen)) yield* Effect.logWarning(warning)
  // Without workers this process sends no mail, and the start says by itself where mails are written into files.
  const mails = chosen.workers === "on" && Option.isSome(chosen.smtpUrl)
  // That a port is in use is told by whoever has the database, or by the listener.
  const machine = (yield* lookAtMachine(chosen)).filter(({ state }) => state === "wrong")
  const found = [...machine, ...(yield* lookOutside(chosen, lookPatience, { mails }))]
  const wrong = found.filter(({ state }) => state === "wrong")
  if (wrong.length > 0) return yield* new CommandFailed({ message: wrong.map(({ message }) => message).join(" ") })
  for (const { message, state } of found) if (state !== "ok") yield* Effect.logWarning(message)
})

/** The program of `almoner serve`: the application with its listeners and workers, until a signal ends it. */
export const serve = (chosen: Settings, built: Built, announce: Announce): Effect.Effect<void, CommandFailed> => {
  const { died, ended, guard } = makeDeathRecord(chosen.dataDir)
  return factsOf(chosen, built).pipe(
    Effect.flatMap((facts) =>
      Serve.serve({ settings: chosen, doors: doorsOf(chosen, built.version), announce, facts })
    ),
    Effect.scoped,
    Effect.provide(applicationOf(chosen, { version: built.version, access: "makes", transport: Transport.layer })),
    // Before the database is migrated: a start that is refused has written nothing.
    (serving) => Effect.andThen(lookBeforeStart(chosen), serving),
    Effect.raceFirst(Signals.stopRequested),
    Effect.raceFirst(Signals.thrownAside(died)),
    Effect.mapError((failure) =>
      failedWith(failure._tag === "ListenFailed" ? { message: listenFailure(failure) } : failure)
    ),
    Effect.provide(Logging.layer(chosen)),
    // Spans cost time with every request, and nothing here uses them.
    Effect.provideService(References.TracerEnabled, false),
    Effect.provideService(WorkGuard, guard),
    Effect.ensuring(Effect.sync(ended))
  )
}
