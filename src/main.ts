import { createRequire } from "node:module"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, References } from "effect"
import type { SqlClient } from "effect/sql"
import { accessLog } from "./adapters/cli/AccessLines.ts"
import * as Almoner from "./adapters/cli/Command.ts"
import { asksForJson, CommandFailed, DatabaseHeld, failedWith } from "./adapters/cli/CommandFailed.ts"
import * as Descriptors from "./adapters/cli/Descriptors.ts"
import * as Exiting from "./adapters/cli/Exiting.ts"
import * as Logging from "./adapters/cli/Logging.ts"
import { performFrom } from "./adapters/cli/Operation.ts"
import { operations } from "./adapters/cli/Operations.ts"
import * as Reach from "./adapters/cli/Reach.ts"
import * as Serve from "./adapters/cli/Serve.ts"
import { type Settings, settings } from "./adapters/cli/Settings.ts"
import * as Signals from "./adapters/cli/Signals.ts"
import * as KeyRing from "./adapters/crypto/KeyRing.ts"
import * as Macs from "./adapters/crypto/Macs.ts"
import * as SecretBox from "./adapters/crypto/SecretBox.ts"
import * as Tokens from "./adapters/crypto/Tokens.ts"
import { Settings as HttpSettings } from "./adapters/http/pipeline/Settings.ts"
import { documents } from "./adapters/http/reference/Reference.ts"
import { HttpService } from "./adapters/http/Service.ts"
import { AccessLog, summaryOf } from "./adapters/http/server/AccessLog.ts"
import * as NodeServer from "./adapters/http/server/NodeServer.ts"
import * as FileOutbox from "./adapters/mail/FileOutbox.ts"
import * as Smtp from "./adapters/mail/Smtp.ts"
import * as MemoryRateLimiter from "./adapters/memory/access/RateLimiter.ts"
import * as PostgresRateLimiter from "./adapters/postgres/access/RateLimiter.ts"
import * as Client from "./adapters/postgres/connection/Client.ts"
import { controlSocket } from "./adapters/postgres/connection/SocketFolder.ts"
import type { DatabaseMissing, DataFolderLocked, DataFolderUnusable } from "./adapters/postgres/embedded/DataFolder.ts"
import * as Migrations from "./adapters/postgres/migrations/Migrations.ts"
import * as Stores from "./adapters/postgres/Stores.ts"
import * as AddressGuard from "./adapters/webhooks/AddressGuard.ts"
import * as Signature from "./adapters/webhooks/Signature.ts"
import * as Transport from "./adapters/webhooks/Transport.ts"
import { useCases } from "./app/Application.ts"
import { Dispatcher } from "./app/outbox/Dispatcher.ts"
import { EndpointTests } from "./app/outbox/EndpointTests.ts"
import { Mailer } from "./app/outbox/Mailer.ts"
import * as Sweeper from "./app/outbox/Sweeper.ts"
import { SenderVersion } from "./app/outbox/steps/WebhookSending.ts"
import * as Readiness from "./facade/Readiness.ts"
import { OperatorCidrs } from "./ports/access/OperatorCidrs.ts"
import { Background } from "./ports/kernel/Background.ts"
import { PublicUrlTemplate } from "./ports/kernel/PublicUrlTemplate.ts"

const { version }: { readonly version: string } = createRequire(import.meta.url)("../package.json")

const ringOf = ({ databaseUrl, dataDir, encryptionKeys }: Settings) =>
  KeyRing.layer({
    keys: encryptionKeys,
    data_dir: Option.isNone(databaseUrl) ? Option.some(dataDir) : Option.none()
  })

const args = process.argv.slice(2)

type DatabaseRefused = Client.DatabaseUnreachable | DataFolderLocked | DataFolderUnusable

/** Whether a command makes the database and its schema, or only uses an existing one. */
type Access = "makes" | "uses"

/** The embedded database, loaded only where it is used: with a database server it would only take memory. */
const embeddedOf = ({ dataDir, embeddedDurability }: Settings, access: Access) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./adapters/postgres/embedded/Embedded.ts")),
      (
        embedded
      ): Layer.Layer<
        PgClient.PgClient | SqlClient.SqlClient,
        DatabaseMissing | DataFolderLocked | DataFolderUnusable
      > => {
        const options = { data_dir: dataDir, durability: embeddedDurability }
        return access === "makes" ? embedded.layer(options) : embedded.layerExisting(options)
      }
    )
  )

const clientOf = (
  chosen: Settings,
  access: Access
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, DatabaseRefused | DatabaseMissing> =>
  Option.isSome(chosen.databaseUrl)
    ? Client.layerServer({ url: chosen.databaseUrl.value, max_connections: chosen.databasePoolSize })
    : embeddedOf(chosen, access)

const migrationsOf = (
  access: Access
): Layer.Layer<never, Migrations.DatabaseNewer | Migrations.DatabaseNotMigrated, SqlClient.SqlClient> =>
  access === "makes" ? Migrations.layer : Migrations.layerChecked

/**
 * The migrated database with its key ring. With a database server, a missing ring is reported before anything is done.
 */
const databaseOf = (chosen: Settings, access: Access) => {
  const migrated = Layer.provideMerge(migrationsOf(access), clientOf(chosen, access))
  return Option.isNone(chosen.databaseUrl)
    ? Layer.provideMerge(ringOf(chosen), migrated)
    : Layer.provideMerge(migrated, ringOf(chosen))
}

const limiterOf = (chosen: Settings) => {
  const inProcess = MemoryRateLimiter.layer({
    size: { perSecond: chosen.rateLimitPerSecond, burst: chosen.rateLimitBurst }
  })
  return chosen.rateLimiter === "memory" ? inProcess : Layer.provide(PostgresRateLimiter.layer, inProcess)
}

/** The parts that send to receivers: deliveries, and tests of an endpoint. */
const sending = Layer.mergeAll(Transport.layer, Signature.layer, Layer.succeed(SenderVersion, version))

/** The use cases over the configured database, without listeners and workers. */
const applicationOf = (chosen: Settings, access: Access) =>
  EndpointTests.layer.pipe(
    Layer.provideMerge(useCases),
    Layer.provideMerge(sending),
    Layer.provideMerge(Layer.mergeAll(Stores.layer, AddressGuard.layer, limiterOf(chosen))),
    Layer.provideMerge(Layer.mergeAll(SecretBox.layer, Macs.layer, Tokens.layer)),
    Layer.provideMerge(databaseOf(chosen, access)),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(OperatorCidrs, chosen.webhookAllowCidrs),
        Layer.succeed(PublicUrlTemplate, chosen.publicUrlTemplate),
        Layer.succeed(Sweeper.Plan, {
          interval_minutes: chosen.sweepIntervalMinutes,
          delivery_retention_days: chosen.deliveryRetentionDays
        })
      )
    )
  )

const listenReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there; stop it, or set PORT",
  EACCES: "this user may not use this port",
  EADDRNOTAVAIL: "HOST is not an address of this machine",
  ENOTFOUND: "HOST is not an address of this machine"
}

const listenFailed = ({ code, host, port }: NodeServer.ListenFailed) =>
  new CommandFailed({ message: `Port ${port} of ${host} cannot be listened on: ${listenReasons[code] ?? code}.` })

const serverOf = ({ host, maxConnections, maxConnectionsPerAddress, port, proxyHeader, trustedProxies }: Settings) =>
  Layer.unwrap(
    Effect.map(Descriptors.maxConnections(maxConnections), (total) =>
      NodeServer.layer({
        port,
        host,
        connections: { total, perAddress: maxConnectionsPerAddress },
        proxies: { header: Option.getOrNull(proxyHeader), trusted: trustedProxies }
      })
    )
  )

const httpOf = (chosen: Settings) => {
  const { apiBaseUrl, corsOrigins } = chosen
  return serverOf(chosen).pipe(
    Layer.provide(HttpService.layer(documents({ apiBaseUrl, version }))),
    Layer.provide(Readiness.layer),
    Layer.provide(Layer.effect(AccessLog, accessLog(chosen, summaryOf))),
    Layer.provide(Layer.succeed(HttpSettings, { apiBaseUrl, corsOrigins, version }))
  )
}

/** A worker, on the connections that are reserved for background work. */
const working = <R>(run: Effect.Effect<never, never, R>) =>
  Layer.effectDiscard(Effect.forkScoped(Effect.provideService(run, Background, true)))

const dispatching = working(Dispatcher.use((dispatcher) => dispatcher.run)).pipe(Layer.provide(Dispatcher.layer))

const mailTransportOf = ({ dataDir, mailFrom, smtpUrl }: Settings) =>
  Option.isSome(smtpUrl)
    ? Smtp.layer({ url: smtpUrl.value, from: mailFrom })
    : FileOutbox.layer({ folder: join(dataDir, "outbox"), from: mailFrom })

const sendingMails = (chosen: Settings) =>
  working(Mailer.use((mailer) => mailer.run)).pipe(Layer.provide(Mailer.layer), Layer.provide(mailTransportOf(chosen)))

const sweeping = working(Sweeper.Sweeper.use(({ run }) => run))

const workersOf = (chosen: Settings) => Layer.mergeAll(dispatching, sendingMails(chosen), sweeping)

const controlSocketOf = ({ dataDir }: Settings) => controlSocket(dataDir)

/** The listeners, and the workers. */
const doorsOf = (chosen: Settings) =>
  Layer.mergeAll(
    httpOf(chosen),
    chosen.workers === "on" ? workersOf(chosen) : Layer.empty,
    Option.isNone(chosen.databaseUrl)
      ? Layer.effectDiscard(Effect.flatMap(controlSocketOf(chosen), Reach.serve))
      : Layer.empty
  )

const heldOrFailed = (failure: { readonly _tag: string; readonly message: string }) =>
  failure._tag === "DataFolderLocked" ? new DatabaseHeld({ message: failure.message }) : failedWith(failure)

const configured = Effect.mapError(
  settings,
  ({ message, name }) => new CommandFailed({ code: "usage", message, param: name })
)

/** With --json everything that a command writes on standard error is JSON, its log included. */
const logOf = (chosen: Settings) =>
  Logging.layerCommand(asksForJson(args) ? { ...chosen, logFormat: "json" as const } : chosen)

const perform = performFrom(operations)

const host: Almoner.Host = {
  version,
  perform: (request) =>
    Effect.flatMap(configured, (chosen) =>
      perform(request).pipe(
        Effect.provide(applicationOf(chosen, "uses")),
        Effect.mapError(heldOrFailed),
        Effect.provide(logOf(chosen))
      )
    ),
  migrate: Effect.flatMap(configured, (chosen) =>
    Migrations.run.pipe(
      Effect.map((migrations) => migrations.map(([, name]) => name)),
      Effect.provide(clientOf(chosen, "makes")),
      Effect.mapError(heldOrFailed),
      Effect.provide(logOf(chosen))
    )
  ),
  controlSocket: Effect.flatMap(configured, (chosen) => Effect.mapError(controlSocketOf(chosen), failedWith)),
  serve: (announce) =>
    Effect.flatMap(configured, (chosen) =>
      Serve.serve({ settings: chosen, doors: doorsOf(chosen), announce }).pipe(
        Effect.scoped,
        Effect.provide(applicationOf(chosen, "makes")),
        Effect.raceFirst(Signals.stopRequested),
        Effect.mapError((failure) => (failure._tag === "ListenFailed" ? listenFailed(failure) : failedWith(failure))),
        Effect.provide(Logging.layer(chosen)),
        // Spans cost time with every request, and nothing here uses them.
        Effect.provideService(References.TracerEnabled, false)
      )
    )
}

Exiting.main(Almoner.run(host, args).pipe(Effect.provide(NodeServices.layer)), args)
