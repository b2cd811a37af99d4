import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { makeStripeProcessor } from "../../src/adapters/processors/stripe/StripeProcessor.ts"
import { stripeDouble } from "../support/stripe/StripeDouble.ts"
import { almoner, json, newOrganisation, worldWith } from "./CommandWorld.ts"

const by = ["--organisation", "harbour-sandbox"]
const addresses = ["--return-url", "https://give.example.org/done", "--refresh-url", "https://give.example.org/again"]

it.live("an account is opened, filled in and asked about on the command line", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const double = yield* stripeDouble
      const test = { secretKey: Redacted.make("sk_test_double") }
      const stripe = makeStripeProcessor({ test, baseUrl: double.url })
      yield* Effect.gen(function* () {
        yield* newOrganisation("harbour")
        const made = yield* json("integration", "create", ...by, "--label", "Main", "--processor", "stripe")
        assert.deepInclude(made, { processor: "stripe", charges_enabled: false })
        const { url } = yield* json("integration", "onboard", made.id, ...by, ...addresses)
        assert.strictEqual(double.fillIn(url), "https://give.example.org/done")
        assert.isTrue((yield* json("integration", "check", made.id, ...by)).charges_enabled)
        yield* json("integration", "create", ...by, "--label", "Away", "--processor", "stripe", "--country", "NZ")
        assert.match(double.requests.findLast(({ path }) => path === "/v1/accounts")?.body ?? "", /\bcountry=NZ\b/u)
        const nowhere = yield* almoner(
          ...["integration", "create", ...by, "--label", "Away", "--processor", "stripe", "--country", "UK"]
        )
        assert.match(
          nowhere.failure ?? "",
          /^--country must be a country of ISO 3166 in two capital letters, e\.g\. NZ/u
        )
        const wrong = yield* almoner(
          ...["integration", "onboard", made.id, ...by, "--return-url", "give.example.org"],
          ...["--refresh-url", "https://give.example.org/again"]
        )
        assert.match(wrong.failure ?? "", /^--return-url must be a web address/u)
      }).pipe(Effect.provide(Layer.fresh(worldWith({ stripe }))))
    })
  )
)
