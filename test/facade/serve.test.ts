import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { serve } from "../../src/http.ts"
import { Almoner } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"

const charity = { slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD" }

const listening = (server: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

describe("serve", () => {
  it("answers the same records as the use cases, as a handler and as a listener", async () => {
    const almoner = await Almoner.open({ backend: memory() })
    await almoner.organisations.create(charity)
    const ada = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
    const { secret } = await almoner.apiKeys.create(ada, { name: "Website", scope: "WRITE" })
    const api = await serve(almoner, { apiBaseUrl: "https://api.example.org" })
    const server = createServer(api.listener)
    const base = `http://127.0.0.1:${await listening(server)}`
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" }

    const post = { method: "POST", headers, body: JSON.stringify({ first_name: "Mary" }) }
    const answers = [
      await api.fetch(new Request(`${base}/api/v1/donors`, post)),
      await fetch(`${base}/api/v1/donors`, post)
    ]
    for (const answer of answers) {
      assert.strictEqual(answer.status, 201)
      const donor: unknown = await answer.json()
      assert.deepInclude((await almoner.donors.list(ada)).data, donor)
    }
    assert.strictEqual((await fetch(`${base}/api/v1/donors`)).status, 401)
    assert.strictEqual((await api.fetch(new Request(`${base}/docs`))).status, 200)
    server.close()
    await almoner.close()
  })

  it("limits each organisation as it is told", async () => {
    const almoner = await Almoner.open({ backend: memory(), clock: () => 0 })
    await almoner.organisations.create(charity)
    const ada = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
    const { secret } = await almoner.apiKeys.create(ada, { name: "Website", scope: "READ" })
    const api = await serve(almoner, { rateLimit: { perSecond: 0.001, burst: 2 } })
    const whoami = () =>
      api.fetch(new Request("http://host/api/v1/whoami", { headers: { authorization: `Bearer ${secret}` } }))
    assert.deepStrictEqual([(await whoami()).status, (await whoami()).status, (await whoami()).status], [200, 200, 429])
    await almoner.close()
  })
})
