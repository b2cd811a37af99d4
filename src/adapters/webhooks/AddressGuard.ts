import { Effect, Layer } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { type AddressRules, judgeAnswers, judgeUrl } from "../../domain/outbox/WebhookAddress.ts"
import { WebhookAddresses } from "../../ports/outbox/WebhookAddresses.ts"
import { Names } from "./Names.ts"
import { type Resolve, resolveDns } from "./Resolver.ts"

const make = (names: Names) => {
  /** All addresses of a name; none when they are not found in time, which includes the wait for a place. */
  const addressesOf = (organisation: OrganisationId, hostname: string) =>
    Effect.callback<ReadonlyArray<string>>((resume) => {
      const stop = names.ask(organisation, hostname, (addresses) => resume(Effect.succeed(addresses)))
      return Effect.sync(stop)
    }).pipe(
      Effect.timeoutOrElse({
        duration: Limits.webhookLookupMillis,
        orElse: () => Effect.succeed<ReadonlyArray<string>>([])
      })
    )

  const vet = Effect.fnUntraced(function* (url: string, rules: AddressRules, organisation: OrganisationId) {
    const target = yield* Effect.fromResult(judgeUrl(url, rules))
    if (target.addresses !== null) return
    const answers = yield* addressesOf(organisation, target.hostname)
    yield* Effect.fromResult(judgeAnswers(target.hostname, answers, rules))
  })
  return WebhookAddresses.of({ vet })
}

/** Judges receiver URLs with your own resolver. Closing the layer's scope ends its look-ups. */
export const layerWith = (resolve: Resolve): Layer.Layer<WebhookAddresses> =>
  Layer.effect(
    WebhookAddresses,
    // Names of its own: deliveries that wait for look-ups must not keep an organisation from correcting its endpoints.
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new Names(resolve)),
        (names) => Effect.sync(() => names.close())
      ),
      make
    )
  )

/** Judges receiver URLs, resolving names by the hosts file and the name servers of the host. */
export const layer: Layer.Layer<WebhookAddresses> = layerWith(resolveDns())
