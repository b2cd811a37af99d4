import type { PgClient } from "@effect/sql-pg"
import { Context, type Duration, Effect, Layer, Option, Redacted, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { CommandFailed } from "./adapters/cli/CommandFailed.ts"
import { regimesOf } from "./adapters/cli/RegimesFile.ts"
import type { Settings } from "./adapters/cli/Settings.ts"
import * as EncryptionKeys from "./adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "./adapters/crypto/Tokens.ts"
import * as MemoryRateLimiter from "./adapters/memory/access/RateLimiter.ts"
import * as PostgresRateLimiter from "./adapters/postgres/access/RateLimiter.ts"
import * as AccessStores from "./adapters/postgres/access/Stores.ts"
import * as Client from "./adapters/postgres/connection/Client.ts"
import { layerFit } from "./adapters/postgres/connection/DatabaseLook.ts"
import { readAddress } from "./adapters/postgres/connection/ServerAddress.ts"
import type { DatabaseMissing, DataFolderLocked, DataFolderUnusable } from "./adapters/postgres/embedded/DataFolder.ts"
import * as Migrations from "./adapters/postgres/migrations/Migrations.ts"
import * as Stores from "./adapters/postgres/Stores.ts"
import * as StatementMarkup from "./adapters/processors/bank/StatementMarkup.ts"
import * as Processors from "./adapters/processors/Processors.ts"
import type { StripeOptions, StripePlatform } from "./adapters/processors/stripe/StripeOptions.ts"
import * as AddressGuard from "./adapters/webhooks/AddressGuard.ts"
import * as Signature from "./adapters/webhooks/Signature.ts"
import { useCases } from "./app/Application.ts"
import * as Dispatcher from "./app/outbox/Dispatcher.ts"
import { SenderVersion } from "./app/outbox/delivery/WebhookSender.ts"
import { EndpointTests } from "./app/outbox/EndpointTests.ts"
import * as Sweeper from "./app/outbox/Sweeper.ts"
import { OperatorCidrs } from "./ports/access/OperatorCidrs.ts"
import { InstallationRegimes } from "./ports/compliance/InstallationRegimes.ts"
import type { DatabaseUnusable } from "./ports/kernel/DatabaseTrouble.ts"
import { PublicUrlTemplate } from "./ports/kernel/PublicUrlTemplate.ts"
import { WebhookTransport } from "./ports/outbox/WebhookTransport.ts"

type DatabaseRefused = Client.DatabaseUnreachable | DataFolderLocked | DataFolderUnusable

/** Whether a command makes the database and its schema, or only uses an existing one. */
type Access = "makes" | "uses"

/** No database is unused for what makes no keys: a command that only uses what is there, and a look. */
export const notUnused = Effect.succeed(false)

/** The encryption keys: those that are given, or those beside the embedded database, which are made while that is unused. */
export const ringOf = <R>(
  { databaseUrl, dataDir, encryptionKeys }: Settings,
  isUnused: Effect.Effect<boolean, never, R>
) =>
  EncryptionKeys.layer({
    keys: encryptionKeys,
    folder: Option.isSome(databaseUrl) ? Option.none() : Option.some({ path: dataDir, isUnused })
  })

/** The embedded database, loaded only where it is used: with a database server it would only take memory. */
const embeddedOf = ({ dataDir, embeddedDurability }: Settings, access: Access) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./adapters/postgres/embedded/EmbeddedDatabase.ts")),
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

const makeKey = 'Make one: echo "$(date +%Y-%m):$(openssl rand -base64 32)"'

/** The faults of the settings whose form their adapters know, the address of the database and the encryption keys. */
export const formFaults = ({ databaseUrl, encryptionKeys }: Settings): ReadonlyArray<CommandFailed> => {
  const fault = (param: string, message: string) => [new CommandFailed({ code: "usage", message, param })]
  const address = Option.match(databaseUrl, { onNone: () => null, onSome: (url) => readAddress(Redacted.value(url)) })
  const ring = Option.match(encryptionKeys, {
    onNone: () => (address === null ? null : Result.fail(EncryptionKeys.noKeys)),
    onSome: (keys) => EncryptionKeys.parse(keys)
  })
  return [
    ...(address !== null && Result.isFailure(address)
      ? fault("DATABASE_URL", `DATABASE_URL cannot be used: ${address.failure.reason}. ${address.failure.remedy}`)
      : []),
    ...(ring !== null && Result.isFailure(ring)
      ? fault("ALMONER_ENCRYPTION_KEYS", `${ring.failure.message} ${makeKey}`)
      : [])
  ]
}

/** Fails with the first of the {@link formFaults}: before anything is opened. */
export const checkForms = (chosen: Settings): Effect.Effect<void, CommandFailed> => {
  const [first] = formFaults(chosen)
  return first === undefined ? Effect.void : Effect.fail(first)
}

/** The client of the configured database; a start waits for a server that is not there yet. */
export const clientOf = (
  chosen: Settings,
  access: Access,
  start_wait?: Duration.Duration
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, DatabaseRefused | DatabaseMissing> =>
  Option.isSome(chosen.databaseUrl)
    ? Client.layerServer({
        url: chosen.databaseUrl.value,
        max_connections: chosen.databasePoolSize,
        ...(chosen.databasePrepare === "auto" ? {} : { prepare: chosen.databasePrepare === "on" }),
        ...(start_wait === undefined ? {} : { start_wait })
      })
    : embeddedOf(chosen, access)

const migrationsOf = (
  access: Access
): Layer.Layer<
  Migrations.RanMigrations,
  DatabaseUnusable | Migrations.DatabaseNewer | Migrations.DatabaseNotMigrated,
  SqlClient.SqlClient
> => (access === "makes" ? Layer.provide(Migrations.layer, layerFit) : Migrations.layerChecked)

/** The migrated database with its keys. With a database server, missing keys are reported first. */
const databaseOf = (chosen: Settings, access: Access) => {
  const migrated = Layer.provideMerge(migrationsOf(access), clientOf(chosen, access))
  return Option.isNone(chosen.databaseUrl)
    ? Layer.provideMerge(ringOf(chosen, access === "makes" ? AccessStores.isUnused : notUnused), migrated)
    : Layer.provideMerge(migrated, ringOf(chosen, notUnused))
}

const limiterOf = (chosen: Settings) => {
  const inProcess = MemoryRateLimiter.layer({
    size: { perSecond: chosen.rateLimitPerSecond, burst: chosen.rateLimitBurst }
  })
  return chosen.rateLimiter === "memory" ? inProcess : Layer.provide(PostgresRateLimiter.layer, inProcess)
}

/** A transport that is loaded with its first exchange: few commands send anything. */
export const transportOnDemand = Layer.effect(
  WebhookTransport,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const transport = yield* Effect.promise(() => import("./adapters/webhooks/Transport.ts")).pipe(
      Effect.flatMap(({ layer }) => Layer.buildWithScope(layer, scope)),
      Effect.map(Context.get(WebhookTransport)),
      Effect.cached
    )
    return WebhookTransport.of({ post: (request) => Effect.flatMap(transport, ({ post }) => post(request)) })
  })
)

const platformOf = (
  secretKey: Settings["stripeSecretKey"],
  publishableKey: Settings["stripePublishableKey"],
  noticeSecrets: Settings["stripeNoticeSecrets"]
): StripePlatform | undefined =>
  Option.isNone(secretKey)
    ? undefined
    : { secretKey: secretKey.value, publishableKey: Option.getOrUndefined(publishableKey), noticeSecrets }

/** What is known of Stripe: the keys of each mode that has some. */
export const stripeOf = (chosen: Settings): StripeOptions => ({
  live: platformOf(chosen.stripeSecretKey, chosen.stripePublishableKey, chosen.stripeNoticeSecrets),
  test: platformOf(chosen.stripeTestSecretKey, chosen.stripeTestPublishableKey, chosen.stripeTestNoticeSecrets),
  baseUrl: Option.getOrUndefined(chosen.stripeApiUrl)
})

/** The payment processors. Stripe's package is loaded only where there is a key for it, or may be one of an organisation's. */
const processorsOf = (chosen: Settings) => {
  const options = stripeOf(chosen)
  return Layer.unwrap(
    options.live === undefined && options.test === undefined && !chosen.stripeOwnAccounts
      ? Effect.succeed(Processors.layer())
      : Effect.map(
          Effect.promise(() => import("./adapters/processors/stripe/StripeProcessor.ts")),
          ({ makeStripeProcessor }) => Processors.layer({ stripe: makeStripeProcessor(options) })
        )
  )
}

interface Parts {
  readonly version: string
  readonly access: Access
  readonly transport: Layer.Layer<WebhookTransport>
}

/** The use cases over the configured database, without listeners and workers. */
export const applicationOf = (chosen: Settings, { access, transport, version }: Parts) =>
  EndpointTests.layer.pipe(
    Layer.provideMerge(useCases),
    Layer.provide(Dispatcher.sandboxDelivery),
    // The senders to receivers: deliveries, and tests of an endpoint.
    Layer.provideMerge(Layer.mergeAll(transport, Signature.layer, Layer.succeed(SenderVersion, version))),
    Layer.provideMerge(processorsOf(chosen)),
    Layer.provideMerge(Layer.mergeAll(Stores.layer, AddressGuard.layer, limiterOf(chosen))),
    Layer.provideMerge(
      Layer.mergeAll(EncryptionKeys.layerSecretBox, EncryptionKeys.layerMacs, StatementMarkup.layer, Tokens.layer)
    ),
    Layer.provideMerge(databaseOf(chosen, access)),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(OperatorCidrs, chosen.webhookAllowCidrs),
        Layer.succeed(PublicUrlTemplate, chosen.publicUrlTemplate),
        Layer.effect(
          InstallationRegimes,
          regimesOf(Option.getOrNull(chosen.regimesFile), chosen.dataDir, access === "makes")
        ),
        Layer.succeed(Sweeper.Plan, {
          interval_minutes: chosen.sweepIntervalMinutes,
          delivery_retention_days: chosen.deliveryRetentionDays
        })
      )
    )
  )

/** Brings the configured database to this version's schema, and returns the names of the migrations that ran. */
export const migrate = (chosen: Settings) =>
  Effect.scoped(
    Effect.tap(Migrations.RanMigrations, () =>
      // The commands that follow find the keys of an embedded database beside it.
      Option.isNone(chosen.databaseUrl) ? Layer.build(ringOf(chosen, AccessStores.isUnused)) : Effect.void
    )
  ).pipe(Effect.provide(Layer.provideMerge(migrationsOf("makes"), clientOf(chosen, "makes"))))
