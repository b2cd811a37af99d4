import { Effect, Layer, Option, Redacted } from "effect"
import * as StatementMarkup from "../adapters/processors/bank/StatementMarkup.ts"
import * as Processors from "../adapters/processors/Processors.ts"
import { useCases } from "../app/Application.ts"
import { Dispatcher, sandboxDelivery } from "../app/outbox/Dispatcher.ts"
import { SenderVersion } from "../app/outbox/delivery/WebhookSender.ts"
import { EndpointTests } from "../app/outbox/EndpointTests.ts"
import { Mailer } from "../app/outbox/Mailer.ts"
import * as Sweeper from "../app/outbox/Sweeper.ts"
import { standardPlan } from "../domain/outbox/Sweep.ts"
import { OperatorCidrs } from "../ports/access/OperatorCidrs.ts"
import { PublicUrlTemplate } from "../ports/kernel/PublicUrlTemplate.ts"
import { Tokens } from "../ports/kernel/Tokens.ts"
import { DeliveryStore } from "../ports/outbox/DeliveryStore.ts"
import { EventConsumerStore } from "../ports/outbox/EventConsumerStore.ts"
import { HostEvents } from "../ports/outbox/HostEvents.ts"
import { MailTransport } from "../ports/outbox/MailTransport.ts"
import { needsNoKeys, overOutside, overProcessors, overStores } from "./Adapters.ts"
import type { Backend, KeySource } from "./Backend.ts"
import type { NoEvents } from "./HostEvents.ts"
import { validOptions } from "./OpenOptions.ts"
import { hasTransport, hostServices, mailTransportOf, type Options, transportOf } from "./Options.ts"
import { builtFrom } from "./OwnProcessors.ts"
import { readVersion } from "./Version.ts"

/** The adapters that need the platform, loaded when the layer is built: the domain runs without Node. */
const platform = Effect.promise(async () => {
  const [version, crypto, keyRing, tokens, addresses, signature] = await Promise.all([
    readVersion(),
    import("node:crypto"),
    import("../adapters/crypto/EncryptionKeys.ts"),
    import("../adapters/crypto/Tokens.ts"),
    import("../adapters/webhooks/AddressGuard.ts"),
    import("../adapters/webhooks/Signature.ts")
  ])
  return { version, crypto, keyRing, tokens, addresses, signature } as const
})

type Platform = Effect.Success<typeof platform>

const called = "The option keys of Almoner.open"

const ringOf = ({ crypto, keyRing }: Platform, given: string | undefined, source: KeySource) => {
  const keys =
    given !== undefined
      ? Option.some(given)
      : source._tag === "Generated"
        ? Option.some(`generated:${crypto.randomBytes(32).toString("base64")}`)
        : Option.none()
  const text = Option.map(keys, (each) => Redacted.make(each))
  return source._tag === "Folder"
    ? Layer.provide(keyRing.layer({ keys: text, folder: Option.some(source), called }), source.database)
    : keyRing.layer({ keys: text, folder: Option.none(), called })
}

/** Ends all leases of deliveries and of consumed events where no other process can have the store open: whoever held them is gone. */
const releaseLeases = ({ isExclusive }: Backend<never>) =>
  isExclusive
    ? Layer.effectDiscard(
        Effect.andThen(
          Effect.flatMap(DeliveryStore, ({ releaseAll }) => releaseAll),
          Effect.flatMap(EventConsumerStore, ({ releaseAll }) => releaseAll)
        )
      )
    : Layer.empty

/** Nothing, where the host's adapters have what this layer would have. */
const noSealing = <A, E>(_: Layer.Layer<A, E>): Layer.Layer<A, E> => Layer.empty as unknown as Layer.Layer<A, E>

/**
 * All use cases, the workers and the ports that they were built on, for programs that are written with Effect. Fails
 * with a whole sentence when the store cannot be opened or the keys cannot be used.
 */
export const layer = <Client, Events = NoEvents>(options: Options<Client, Events>) =>
  Layer.unwrap(
    Effect.map(Effect.all([validOptions(options), platform]), ([declared, loaded]) => {
      const { addresses, keyRing, signature, tokens, version } = loaded
      const { adapters = {}, backend } = options
      const ring = ringOf(loaded, options.keys, backend.keys)
      const sealing = Layer.provide(Layer.merge(keyRing.layerSecretBox, keyRing.layerMacs), ring)
      // Where secrets and MACs are the host's, a ring that nobody gave is not asked for.
      const isSealed = needsNoKeys(adapters) && options.keys === undefined && backend.keys._tag === "Given"
      const outside = Layer.mergeAll(
        options.tokens === undefined ? tokens.layer : Layer.succeed(Tokens, options.tokens),
        addresses.layer,
        StatementMarkup.layer,
        signature.layer,
        transportOf(options.webhookTransport),
        Layer.succeed(SenderVersion, version),
        Layer.succeed(MailTransport, mailTransportOf(options.mailer)),
        Layer.succeed(HostEvents, declared),
        Layer.succeed(OperatorCidrs, options.operatorCidrs ?? []),
        Layer.succeed(Sweeper.Plan, {
          interval_minutes: options.sweepIntervalMinutes ?? standardPlan.interval_minutes,
          delivery_retention_days: options.deliveryRetentionDays ?? standardPlan.delivery_retention_days
        }),
        options.publicUrlTemplate === undefined
          ? Layer.empty
          : Layer.succeed(PublicUrlTemplate, options.publicUrlTemplate)
      )
      const beneath = outside.pipe(
        Layer.provideMerge(isSealed ? noSealing(sealing) : sealing),
        overOutside(adapters),
        Layer.provideMerge(hostServices(options))
      )
      const stores = Layer.provideMerge(backend.stores, beneath).pipe(overStores(adapters))
      const processing = Layer.provideMerge(
        Processors.layer({ ...builtFrom(options.processors), stripe: options.stripe?.processor }),
        stores
      ).pipe(overProcessors(adapters))
      return Layer.mergeAll(EndpointTests.layer, Dispatcher.layer, Mailer.layer).pipe(
        Layer.provideMerge(useCases),
        Layer.provide(hasTransport(options) ? sandboxDelivery : Layer.empty),
        Layer.provideMerge(releaseLeases(backend)),
        Layer.provideMerge(processing)
      )
    })
  )

/** The services that {@link layer} provides. */
export type Application = Layer.Success<ReturnType<typeof layer<never>>>

/** The failures to open an `Almoner`; `message` is a whole sentence. */
export type OpenFailed = Layer.Error<ReturnType<typeof layer<never>>>
