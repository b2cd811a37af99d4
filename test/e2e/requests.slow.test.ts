import { assert, describe } from "@effect/vitest"
import { live } from "../support/Steps.ts"
import { demoKeys, freePort, preparedFolder, serve } from "./Almoner.ts"
import { call } from "./Calls.ts"

const origin = "https://app.example.org"

describe("a served installation", () => {
  live("answers the pages of configured origins, and no others", function* () {
    const DATA_DIR = yield* preparedFolder
    const env = { DATA_DIR, PORT: `${yield* freePort}`, EMBEDDED_DURABILITY: "relaxed", CORS_ORIGINS: origin }
    yield* serve(env)
    const { base_url, live: organisation } = yield* demoKeys(DATA_DIR)
    const preflight = (from: string) => {
      const headers = { origin: from, "access-control-request-method": "POST" }
      return call(base_url, "/donors", { method: "OPTIONS", headers })
    }
    const allowed = yield* preflight(origin)
    assert.strictEqual(allowed.status, 204)
    assert.strictEqual(allowed.headers.get("access-control-allow-origin"), origin)
    const read = yield* call(base_url, "/whoami", { key: organisation.read_key, headers: { origin } })
    assert.strictEqual(read.headers.get("access-control-allow-origin"), origin)
    const refused = yield* preflight("https://elsewhere.example")
    assert.isNull(refused.headers.get("access-control-allow-origin"))
  })
})
