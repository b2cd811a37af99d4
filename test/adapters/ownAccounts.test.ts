import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeStripeProcessor } from "../../src/adapters/processors/stripe/StripeProcessor.ts"
import { fieldsOf } from "../support/Answer.ts"
import { type StripeDouble, stripeDouble } from "../support/stripe/StripeDouble.ts"
import { almoner, json, newOrganisation, StandardInput, worldWith } from "./CommandWorld.ts"

const by = ["--organisation", "harbour-sandbox"]
const account = ["--label", "Own", "--processor-connect-account", "acct_own1", "--processor", "stripe"]

const file = `# of the account
STRIPE_SECRET_KEY=sk_test_canary1
export STRIPE_PUBLISHABLE_KEY="pk_test_1"

STRIPE_NOTICE_SECRETS=whsec_canary1, whsec_canary2
`

/** Runs a test of the command over a double of Stripe. */
const withDouble = <A, E>(
  test: (double: StripeDouble) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof worldWith>>>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const double = yield* stripeDouble
      for (const key of ["sk_test_canary1", "sk_test_canary2"]) double.ownKey(key, "acct_own1")
      const stripe = makeStripeProcessor({ baseUrl: double.url })
      return yield* Effect.provide(test(double), Layer.fresh(worldWith({ stripe })))
    })
  )

const reading = (text: string) => Effect.provideService(StandardInput, text)

const create = (...more: ReadonlyArray<string>) =>
  almoner("--json", "integration", "create", ...by, ...account, ...more)

describe("own accounts on the command line", () => {
  it.live("credentials are read from standard input, and neither they nor what seals them is shown", () =>
    withDouble(() =>
      Effect.gen(function* () {
        yield* newOrganisation("harbour")
        const ran = yield* create("--own", "--credentials-file", "-").pipe(reading(file))
        assert.isNull(ran.failure)
        const made = JSON.parse(ran.stdout)
        assert.deepInclude(made, { is_own: true, processor: "stripe", charges_enabled: true })
        const rotated = yield* almoner(
          ...["--json", "integration", "rotate-credentials", made.id, ...by],
          ...["--credentials-file", "-", "--overlap-hours", "2"]
        ).pipe(reading("STRIPE_SECRET_KEY=sk_test_canary2\nSTRIPE_NOTICE_SECRETS=whsec_canary3\n"))
        assert.isNull(rotated.failure)
        const { credentials_rotated_at, previous_notice_secrets_expire_at } = JSON.parse(rotated.stdout)
        assert.strictEqual(
          Date.parse(previous_notice_secrets_expire_at) - Date.parse(credentials_rotated_at),
          7_200_000
        )
        const listed = yield* almoner("--json", "integration", "list", ...by)
        const ring = yield* json("key-ring", "status")
        assert.deepStrictEqual(fieldsOf(ring.data, "credentials"), [2])
        for (const { stderr, stdout } of [ran, rotated, listed]) {
          assert.notMatch(`${stdout}${stderr}`, /canary|sealed/)
        }
      })
    )
  )

  it.live("a file that is no file of credentials is refused with its line, and without what it says", () =>
    withDouble((double) =>
      Effect.gen(function* () {
        yield* newOrganisation("harbour")
        for (const [text, said] of [
          ["sk_test_canary1", /^Line 1 of --credentials-file must be one of STRIPE_SECRET_KEY, /],
          ["STRIPE_SECRET_KEY=sk_test_canary1\nSTRIPE_SECRETKEY=canary", /^Line 2 of /],
          ["STRIPE_SECRET_KEY=sk_test_canary1", /must have the lines STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY\.$/],
          [" ", /is empty/],
          [file.replace("sk_test", "sk_live"), /^credentials\.secret_key must be a key of Stripe's test mode/]
        ] as const) {
          const ran = yield* create("--own", "--credentials-file", "-").pipe(reading(text))
          assert.match(ran.failure ?? "", said)
          assert.notMatch(`${ran.stdout}${ran.stderr}${ran.failure}`, /canary/)
        }
        assert.lengthOf(double.requests, 0)
      })
    )
  )
})
