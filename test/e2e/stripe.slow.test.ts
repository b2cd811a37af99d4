import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rounds } from "../support/Rounds.ts"
import { stripeDouble } from "../support/stripe/StripeDouble.ts"
import { ask, commandsOf, demoKeys, fileOf, freePort, preparedFolder, run, serve } from "./Almoner.ts"

const addresses = ["--return-url", "https://give.example.org/done", "--refresh-url", "https://give.example.org/again"]

/** A server that asks a double of Stripe, and its commands. */
const beside = Effect.fnUntraced(function* (settings: Record<string, string>) {
  const double = yield* stripeDouble
  const DATA_DIR = yield* preparedFolder
  const own = { DATA_DIR, PORT: `${yield* freePort}`, EMBEDDED_DURABILITY: "relaxed" }
  const env = { ...own, STRIPE_API_URL: double.url, ...settings }
  const server = yield* serve(env)
  const json = (organisation: string) => commandsOf(organisation, env)
  const again = Effect.flatMap(
    Effect.sync(() => server.kill("SIGKILL")),
    () =>
      Effect.andThen(
        Effect.promise(() => server.ended),
        serve(env)
      )
  )
  return { ...(yield* demoKeys(DATA_DIR)), again, double, env, json, server } as const
})

/** Waits until something is as it is to be. */
const until = <A>(look: Effect.Effect<A>, is: (found: A) => boolean): Effect.Effect<A> =>
  Effect.flatMap(look, (found) => (is(found) ? Effect.succeed(found) : Effect.delay(until(look, is), 200)))

describe("Stripe behind the built command", () => {
  it.live("accounts are opened, a set is shared out by the server, and given back, also where that is killed", () =>
    Effect.gen(function* () {
      const stripe = yield* beside({ STRIPE_TEST_SECRET_KEY: "sk_test_double" })
      const { again, base_url, double, env, sandbox } = stripe
      const ours = stripe.json("demo-sandbox")
      const theirs = stripe.json("food-sandbox")
      const place = ["--timezone", "Australia/Sydney", "--default-currency", "AUD"]
      const { status, stderr } = yield* run(
        ["organisation", "create", "--slug", "food", "--name", "Food", ...place],
        env
      )
      assert.strictEqual(status, 0, stderr)
      const opened = Effect.fnUntraced(function* (json: typeof ours) {
        const made = yield* json("integration", "create", "--label", "Main", "--processor", "stripe", "--default")
        const { url } = yield* json("integration", "onboard", made.id, ...addresses)
        assert.strictEqual(double.fillIn(url), "https://give.example.org/done")
        assert.isTrue((yield* json("integration", "check", made.id)).charges_enabled)
        return made
      })
      yield* opened(ours)
      const recipient = yield* opened(theirs)
      const asked = Effect.fnUntraced(function* (path: string, body: object) {
        const answer = yield* ask(base_url, path, sandbox.write_key, body)
        assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
        return answer.body
      })
      const link = yield* asked("/recipient-accounts", { passphrase: recipient.passphrase })
      const set = yield* asked("/recommendation-sets", {
        name: "Harvest",
        amount_mode: "FIXED",
        allocations: [{ recipient_org_account_link_id: link["id"], amount_cents: 5_000 }]
      })
      const token = yield* fileOf("pm_card_visa\n")
      const gift = yield* ours(
        ...["checkout", "submit", "--set", `${set["id"]}`, "--method", "card", "--email", "ada@example.org"],
        ...["--payment-token-file", token]
      )
      assert.strictEqual(gift.status, "SUCCEEDED", JSON.stringify(gift))
      const account = recipient.processor_connect_account_id
      const arrived = Effect.sync(() => double.arrived(account))
      assert.strictEqual(yield* until(arrived, (cents) => cents > 0), 5_000 - 118)

      const [paid] = (yield* ours("payment", "list", `${set["id"]}`)).data
      yield* ours("payment", "refund", paid.id)
      // Whoever takes it up afterwards waits for a lease of a minute.
      if (rounds > 1) yield* again
      assert.strictEqual(yield* until(arrived, (cents) => cents === 0), 0)
      const charge = (yield* ours("charge", "list")).data[0]
      const back = Effect.sync(() => double.paidBack(charge.id))
      assert.strictEqual(yield* until(back, (cents) => cents > 0), 5_000)
      const shown = ours("payment", "show", paid.id)
      const { allocations } = yield* until(shown, (found) => found.distribution_status === "REVERSED")
      assert.deepInclude(allocations[0], { transfer_status: "reversed" })
    }).pipe(Effect.scoped)
  )

  it.live("organisations bring keys of their own where the operator has none", () =>
    Effect.gen(function* () {
      const { base_url, double, json, sandbox } = yield* beside({ STRIPE_OWN_ACCOUNTS: "true" })
      double.ownKey("sk_test_own1", "acct_own1")
      const ours = json("demo-sandbox")
      const keys = yield* fileOf("STRIPE_SECRET_KEY=sk_test_own1\nSTRIPE_PUBLISHABLE_KEY=pk_test_own1\n")
      yield* ours(
        ...[
          "integration",
          "create",
          "--label",
          "Own",
          "--processor",
          "stripe",
          "--processor-connect-account",
          "acct_own1",
          "--own"
        ],
        ...["--default", "--credentials-file", keys]
      )
      yield* ask(base_url, "/forms", sandbox.write_key, { name: "Appeal", status: "ACTIVE" })
      const token = yield* fileOf("pm_card_visa\n")
      const gift = yield* ours(
        ...["checkout", "submit", "--form", "appeal", "--amount-cents", "5000", "--method", "card"],
        ...["--email", "ada@example.org", "--payment-token-file", token]
      )
      assert.strictEqual(gift.status, "SUCCEEDED", JSON.stringify(gift))
      const charge = (yield* ours("charge", "list")).data[0]
      assert.strictEqual(double.taken(charge.id), 5_000)
      assert.strictEqual(double.ownerOf(charge.id), "acct_own1")
      for (const { headers } of double.requests) assert.strictEqual(headers.authorization, "Bearer sk_test_own1")
    }).pipe(Effect.scoped)
  )
})
