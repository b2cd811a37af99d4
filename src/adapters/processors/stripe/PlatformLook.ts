import { Effect, Result } from "effect"
import { type Finding, findingsOf } from "../../../ports/kernel/Finding.ts"
import { Account } from "./Objects.ts"
import { makeStripeApi } from "./StripeApi.ts"
import type { StripeOptions, StripePlatform } from "./StripeOptions.ts"

const processors = findingsOf("processors")

const incomplete = (mode: string, { noticeSecrets, publishableKey }: StripePlatform): ReadonlyArray<Finding> => {
  const prefix = mode === "live" ? "STRIPE" : "STRIPE_TEST"
  return [
    ...(publishableKey === undefined
      ? [
          processors.warning(
            `Stripe, ${mode} mode: donors' pages need ${prefix}_PUBLISHABLE_KEY to take cards. Set it.`
          )
        ]
      : []),
    ...((noticeSecrets ?? []).length === 0
      ? [
          processors.warning(
            `Stripe, ${mode} mode: no webhook of Stripe's is taken, so that payments are seen late. Set ${prefix}_NOTICE_SECRETS.`
          )
        ]
      : [])
  ]
}

/** Asks Stripe for the account of a platform's key. */
const lookAt = Effect.fnUntraced(function* (
  mode: "live" | "test",
  platform: StripePlatform,
  options: Pick<StripeOptions, "baseUrl">
) {
  const api = makeStripeApi(platform, options)
  const answer = yield* Effect.result(api.call(Account, ({ accounts }) => accounts.retrieveCurrent()))
  const variable = mode === "live" ? "STRIPE_SECRET_KEY" : "STRIPE_TEST_SECRET_KEY"
  const about = `Stripe, ${mode} mode`
  if (Result.isSuccess(answer)) {
    return [processors.ok(`${about}: the key is of the account ${answer.success.id}`), ...incomplete(mode, platform)]
  }
  const { failure } = answer
  if (failure._tag === "ProcessorRefused") {
    return [
      processors.wrong(`${about}: the key's account is refused (${failure.code}). Look at it in Stripe's dashboard.`)
    ]
  }
  switch (failure.reason) {
    case "key_not_accepted":
      return [
        processors.wrong(
          `${about}: the key is not accepted: it was mistyped, rolled or deleted. Set ${variable} to the right one.`
        )
      ]
    case "not_permitted":
      return [
        processors.warning(
          `${about}: the key is accepted, and may not read its account. Permit the restricted key to read accounts.`
        ),
        ...incomplete(mode, platform)
      ]
    default:
      return [
        processors.away(
          `${about}: the key could not be tried, because Stripe was not reached (${failure.reason}). Look whether this machine reaches ${options.baseUrl ?? "https://api.stripe.com"}.`
        )
      ]
  }
})

/** Tries the keys of each mode at Stripe. */
export const lookAtStripe = ({ live, test, ...options }: StripeOptions): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(
    Effect.all(
      [
        ...(live === undefined ? [] : [lookAt("live", live, options)]),
        ...(test === undefined ? [] : [lookAt("test", test, options)])
      ],
      { concurrency: "unbounded" }
    ),
    (found) => found.flat()
  )
