import { Effect, Redacted, Result, Schema } from "effect"
import { Stripe } from "stripe"
import type { ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import { failureOf, isMissing, unreachable } from "./Failures.ts"
import { makeHttpClient } from "./HttpClient.ts"
import type { StripeOptions, StripePlatform } from "./StripeOptions.ts"

/** The version of Stripe's interface that the adapter was written for: an account's own default has no part in it. */
export const apiVersion = "2026-10-28.endive"

/** How long one call may take, milliseconds. A charge's look ends within 45 s. */
const timeoutMillis = 15_000

const addressOf = (baseUrl: string | undefined) => {
  if (baseUrl === undefined) return {}
  const { hostname, port, protocol } = new URL(baseUrl)
  return { host: hostname, port, protocol: protocol === "http:" ? ("http" as const) : ("https" as const) }
}

/** Stripe in one mode, with failures that are typed and answers that are read. */
export interface StripeApi {
  /** Calls Stripe and reads the answer. One that cannot be read says nothing of what happened. */
  call<A>(
    schema: Schema.Codec<A, unknown>,
    run: (client: Stripe) => Promise<unknown>
  ): Effect.Effect<A, ProcessorFailure>
  /** The same of something that may not be there. */
  find<A>(
    schema: Schema.Codec<A, unknown>,
    run: (client: Stripe) => Promise<unknown>
  ): Effect.Effect<A | null, ProcessorFailure>
  /** The same, with another outcome for some failures. */
  attempt<A>(
    schema: Schema.Codec<A, unknown>,
    run: (client: Stripe) => Promise<unknown>,
    unless: (cause: unknown) => boolean
  ): Effect.Effect<A | null, ProcessorFailure>
}

/**
 * Makes one mode's. Its own repetitions are off, because ours are rows with keys
 * (what is left is one more try, under the same key, on a connection that was closed), and so is its telemetry.
 */
export const makeStripeApi = (
  { secretKey }: StripePlatform,
  { baseUrl }: Pick<StripeOptions, "baseUrl">
): StripeApi => {
  let opened: Stripe | undefined
  const client = () => {
    opened ??= new Stripe(Redacted.value(secretKey), {
      apiVersion,
      maxNetworkRetries: 0,
      telemetry: false,
      httpClient: makeHttpClient(),
      timeout: timeoutMillis,
      ...addressOf(baseUrl)
    })
    return opened
  }

  const attempt: StripeApi["attempt"] = (schema, run, unless) =>
    Effect.promise(async () => {
      try {
        return Result.succeed(await run(client()))
      } catch (cause) {
        return Result.fail(cause)
      }
    }).pipe(
      Effect.flatMap((answer) => {
        if (Result.isFailure(answer)) {
          return unless(answer.failure) ? Effect.succeed(null) : Effect.fail(failureOf(answer.failure))
        }
        return Effect.mapError(Schema.decodeUnknownEffect(schema)(answer.success), () =>
          unreachable("unreadable_answer")
        )
      })
    )

  return {
    attempt,
    find: (schema, run) => attempt(schema, run, isMissing),
    call: (schema, run) =>
      Effect.flatMap(
        attempt(schema, run, () => false),
        (answer) => (answer === null ? Effect.fail(unreachable("unreadable_answer")) : Effect.succeed(answer))
      )
  }
}
