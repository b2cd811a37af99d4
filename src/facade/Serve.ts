import type { IncomingMessage, ServerResponse } from "node:http"
import { Context, Effect, Layer, Option, Predicate, Schema } from "effect"
import type { Origins } from "../adapters/http/pipeline/RequestChecks.ts"
import { Settings } from "../adapters/http/pipeline/Settings.ts"
import { documents } from "../adapters/http/reference/Reference.ts"
import { HttpService } from "../adapters/http/Service.ts"
import { toFetch } from "../adapters/http/server/Fetch.ts"
import { listenerOf } from "../adapters/http/server/NodeServer.ts"
import * as LocalRateLimiter from "../adapters/memory/access/RateLimiter.ts"
import type { layer as donorPages } from "../adapters/pages/DonorPages.ts"
import * as InvalidOption from "../app/kernel/host/InvalidOption.ts"
import { Cidr } from "../domain/access/Cidr.ts"
import type { Proxies } from "../domain/access/ClientAddress.ts"
import type { BucketSize } from "../domain/access/RateLimit.ts"
import { RateLimiter } from "../ports/access/RateLimiter.ts"
import type { Almoner } from "./Almoner.ts"
import { readVersion } from "./Version.ts"

/** The address of the API, and its limits. */
export interface ServeOptions<Given extends ReadonlyArray<unknown> = []> {
  /** The public address of the API, without a path and without a trailing slash. Links in answers begin with it. */
  readonly apiBaseUrl?: string | undefined
  /** Origins whose pages may call the API. None when absent. */
  readonly corsOrigins?: Origins | undefined
  /** The bucket of an organisation's requests. 100 a second when absent. service-spec, Limits: Request rate. */
  readonly rateLimit?: BucketSize | undefined
  /**
   * A rate limiter of your own, such as one that several processes share. When absent, the adapter `RateLimiter` of the
   * `Almoner`, and without one buckets in this process.
   */
  readonly rateLimiter?: RateLimiter["Service"] | undefined
  /**
   * Finds the client's address of a web-standard request, for the buckets of callers without a key. It gets what `fetch`
   * is given beside the request: Bun's server, Deno's info, a context of Hono's. IPv6 addresses count by their /64.
   */
  readonly clientAddress?: ((request: Request, ...given: Given) => string) | undefined
  /** The pages of donors, from `almoner/pages`. Without them their addresses are not found. */
  readonly pages?: typeof donorPages | undefined
  /** The proxies in front of the host's `node:http` server, which name the clients that they forward. None when absent. */
  readonly proxies?: Proxies | undefined
}

/** The HTTP API of an `Almoner`, in the two forms that servers take. It does not listen by itself. */
export interface ServedApi<Given extends ReadonlyArray<unknown> = []> {
  /**
   * For Hono, Next, Bun, Deno and other hosts of the web standard. The body must not have been read; where a host has to
   * read it first, it gives a clone from before. What comes after the request is for `clientAddress`.
   */
  readonly fetch: (request: Request, ...given: Given) => Promise<Response>
  /**
   * For `node:http` and frameworks built on it, such as Express. Where a parser has read the body, its bytes must be in
   * `rawBody` of the request, or be its `body` (`express.raw()`, a Fastify parser with `parseAs: "buffer"`); else the
   * answer says so, with 500.
   */
  readonly listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void
}

const positive = Schema.Finite.check(Schema.isGreaterThan(0))

const isBucket = Schema.is(Schema.Struct({ perSecond: positive, burst: positive }))

const isProxies = Schema.is(Schema.Struct({ header: Schema.NullOr(Schema.String), trusted: Schema.Array(Cidr) }))

const isBaseUrl = (value: unknown): boolean =>
  value === "" || (Predicate.isString(value) && /^https?:\/\/[^?#\s]*[^/?#\s]$/u.test(value) && URL.canParse(value))

const limiter = InvalidOption.aService("take", "charge", "takeAnonymous", "giveBackAnonymous")

const rules: InvalidOption.OptionRules<ServeOptions<never>> = {
  apiBaseUrl: { holds: isBaseUrl, expected: "an http or https URL without a trailing slash" },
  corsOrigins: { holds: InvalidOption.isTexts, expected: "a list of origins, e.g. https://app.example.org" },
  rateLimit: { holds: isBucket, expected: "{ perSecond, burst }, both above 0" },
  rateLimiter: {
    holds: (value) => limiter.holds(value) && Predicate.hasProperty(value, "size") && isBucket(value.size),
    expected: `${limiter.expected}, and the size of its buckets`
  },
  clientAddress: InvalidOption.aFunction("a function that gives the address of a request's client"),
  pages: { holds: Layer.isLayer, expected: "pages of almoner/pages" },
  proxies: { holds: isProxies, expected: '{ header: "x-forwarded-for", trusted: ["10.0.0.0/8"] }' }
}

/**
 * The HTTP API over an `Almoner`, under `/api/v1`, with its reference at `/docs` and `/openapi.json`. Requests are
 * authenticated by the API keys of the store. Rejects with {@link InvalidOption} for options that cannot be used.
 */
export const serve = async <Client, Events, Given extends ReadonlyArray<unknown> = []>(
  almoner: Almoner<Client, Events>,
  options: ServeOptions<Given> = {}
): Promise<ServedApi<Given>> => {
  if (!Predicate.hasProperty(almoner, "services") || !Context.isContext(almoner.services)) {
    throw new InvalidOption.InvalidOption("almoner", "serve takes what Almoner.open gives.")
  }
  InvalidOption.checkOptions("serve", rules, options, "{ apiBaseUrl }")
  const version = await readVersion()
  const apiBaseUrl = options.apiBaseUrl ?? ""
  const rateLimiter = options.rateLimiter ?? Option.getOrUndefined(Context.getOption(almoner.services, RateLimiter))
  const limiter =
    rateLimiter === undefined
      ? LocalRateLimiter.layer(options.rateLimit === undefined ? {} : { size: options.rateLimit })
      : Layer.succeed(RateLimiter, rateLimiter)
  const layer = HttpService.layer(documents({ apiBaseUrl, version })).pipe(
    Layer.provide(options.pages ?? Layer.empty),
    Layer.provide(limiter),
    Layer.provide(Layer.succeed(Settings, { apiBaseUrl, corsOrigins: options.corsOrigins ?? [], version })),
    Layer.provide(Layer.succeedContext(almoner.services))
  )
  const service = await Effect.runPromise(Effect.provide(HttpService, layer))
  const inside = <A>(effect: Effect.Effect<A>): Effect.Effect<A> => Effect.provideContext(effect, almoner.services)
  const { handle } = service
  // A host's server may not know the address: such requests share a bucket, as all do without the option.
  const addressOf = (request: Request, ...given: Given): string => {
    const address: unknown = options.clientAddress?.(request, ...given)
    return Predicate.isString(address) ? address : ""
  }
  return {
    fetch: toFetch((request) => inside(handle(request)), addressOf),
    listener: listenerOf(
      service,
      (effect) => Effect.runFork(inside(effect)),
      options.proxies === undefined ? {} : { proxies: options.proxies }
    )
  }
}
