import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { numbers } from "../support/Numbers.ts"
import { ask, demoKeys, folder, freePort, preparedFolder, run, serve } from "./Almoner.ts"

describe("a recurring gift by the built command", () => {
  it.live("is set up beside a server, and shown with its invoice", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* preparedFolder
      const env = { DATA_DIR, PORT: `${yield* freePort}`, EMBEDDED_DURABILITY: "relaxed" }
      yield* serve(env)
      const token = join(yield* folder, "token")
      yield* Effect.promise(() => writeFile(token, `${numbers.succeeds}\n`))
      const json = Effect.fnUntraced(function* (...words: ReadonlyArray<string>) {
        const { status, stderr, stdout } = yield* run([...words, "--organisation", "demo-sandbox", "--json"], env)
        assert.strictEqual(status, 0, stderr)
        return JSON.parse(stdout)
      })
      yield* json("integration", "create", "--label", "Main", "--account", "acct_1")
      const { base_url, sandbox } = yield* demoKeys(DATA_DIR)
      yield* ask(base_url, "/forms", sandbox.write_key, { name: "Appeal", status: "ACTIVE" })
      const gift = yield* json(
        ...["checkout", "submit", "--form", "appeal", "--amount-cents", "5000", "--method", "card"],
        ...["--frequency", "MONTHLY", "--email", "ada@example.org", "--payment-token-file", token]
      )
      assert.strictEqual(gift.status, "SUCCEEDED")
      const shown = yield* json("subscription", "show", gift.subscription_id)
      assert.deepInclude(shown, { status: "ACTIVE", frequency: "MONTHLY" })
      assert.deepInclude(shown.invoices[0], { status: "PAID", donation_id: gift.donation_id })
      const path = `/subscriptions/${gift.subscription_id}/invoices`
      const { body } = yield* ask(base_url, path, sandbox.read_key)
      assert.deepInclude((body["data"] as ReadonlyArray<object>)[0], shown.invoices[0])
    })
  )
})
