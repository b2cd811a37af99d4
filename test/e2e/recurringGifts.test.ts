import { assert, describe } from "@effect/vitest"
import { live } from "../support/Steps.ts"
import { ask, commandsOf, demoKeys, freePort, giveMonthly, preparedFolder, serve } from "./Almoner.ts"

describe("a recurring gift by the built command", () => {
  live("is set up beside a server, and shown with its invoice", function* () {
    const DATA_DIR = yield* preparedFolder
    const env = { DATA_DIR, PORT: `${yield* freePort}`, EMBEDDED_DURABILITY: "relaxed" }
    yield* serve(env)
    const json = commandsOf("demo-sandbox", env)
    yield* json("integration", "create", "--label", "Main", "--account", "acct_1")
    const { base_url, sandbox } = yield* demoKeys(DATA_DIR)
    yield* ask(base_url, "/forms", sandbox.write_key, { name: "Appeal", status: "ACTIVE" })
    const gift = yield* giveMonthly(json)
    assert.strictEqual(gift.status, "SUCCEEDED")
    const shown = yield* json("subscription", "show", gift.subscription_id)
    assert.deepInclude(shown, { status: "ACTIVE", frequency: "MONTHLY" })
    assert.deepInclude(shown.invoices[0], { status: "PAID", donation_id: gift.donation_id })
    const path = `/subscriptions/${gift.subscription_id}/invoices`
    const { body } = yield* ask(base_url, path, sandbox.read_key)
    assert.deepInclude((body["data"] as ReadonlyArray<object>)[0], shown.invoices[0])
  })
})
