import { Effect, Layer } from "effect"
import { AddressRefused, type AddressRules, judgeAnswers, judgeUrl } from "../../domain/WebhookAddress.ts"
import { WebhookAddresses } from "../../ports/WebhookAddresses.ts"
import { type Resolve, resolveSystem } from "./Resolver.ts"

/** How long a name may take to resolve when a URL is saved, milliseconds. */
const resolveTimeoutMillis = 5_000

const unresolved = (hostname: string) => new AddressRefused({ reason: `${hostname} does not resolve to an address` })

const make = (resolve: Resolve) => {
  const vet = Effect.fnUntraced(function* (url: string, rules: AddressRules) {
    const target = yield* Effect.fromResult(judgeUrl(url, rules))
    if (target.addresses !== null) return
    const answers = yield* Effect.tryPromise({
      try: () => resolve(target.hostname),
      catch: () => unresolved(target.hostname)
    }).pipe(
      Effect.timeoutOrElse({
        duration: resolveTimeoutMillis,
        orElse: () => Effect.fail(unresolved(target.hostname))
      })
    )
    yield* Effect.fromResult(judgeAnswers(target.hostname, answers, rules))
  })
  return WebhookAddresses.of({ vet })
}

/** Judges receiver URLs with a resolver of one's own. */
export const layerWith = (resolve: Resolve): Layer.Layer<WebhookAddresses> =>
  Layer.succeed(WebhookAddresses, make(resolve))

/** Judges receiver URLs with the operating system's resolver. */
export const layer: Layer.Layer<WebhookAddresses> = layerWith(resolveSystem)
