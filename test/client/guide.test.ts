import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { build } from "esbuild"
import { Webhook } from "standardwebhooks"
import { root } from "../architecture/Checkout.ts"
import { blocksOf } from "../docs/Markdown.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { makeTenant } from "../support/Tenant.ts"

const secret = "whs_4f9c2d7e8b1a4c6d9e0f1a2b3c4d5e6f"

describeService(inMemory, "docs/guides/client.md", (service) => {
  const [calls = "", , receiver = "", ...more] = blocksOf(
    readFileSync(join(root, "docs/guides/client.md"), "utf8"),
    "js"
  )
  const folder = mkdtempSync(join(tmpdir(), "almoner-client-guide-"))

  beforeAll(async () => {
    const entryPoints = [join(root, "src/client.ts")]
    await build({ entryPoints, bundle: true, format: "esm", outfile: join(folder, "client.mjs") })
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs a program beside the client and gives what it prints. */
  const run = async (program: string, env: Record<string, string>): Promise<string> => {
    writeFileSync(join(folder, "program.mjs"), program.replace('"almoner/client"', '"./client.mjs"'))
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "program.mjs")], { env })
    return stdout
  }

  it("shows calls that run as printed", async () => {
    const { writeKey } = await makeTenant(service)
    const [address] = /http:\/\/localhost:\d+/.exec(calls) ?? []
    assert.isDefined(address)
    const program = calls.replace(address, `http://127.0.0.1:${await service.listen()}`)
    assert.strictEqual(await run(program, { ALMONER_API_KEY: writeKey.secret }), "true\n")
  })

  it("shows a receiver that runs as printed", async () => {
    const body = JSON.stringify({
      type: "donation.succeeded",
      occurred_at: "2026-01-01T00:00:00.000Z",
      organisation_id: "org_1",
      data: { id: "dnt_1", amount_cents: 2_500 }
    })
    const now = new Date()
    const headers = {
      "webhook-id": "whd_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": new Webhook(Buffer.from(secret, "utf8").toString("base64")).sign("whd_1", now, body)
    }
    const request = (body: string) =>
      `new Request("https://receiver.test/", { method: "POST", body: ${JSON.stringify(body)}, headers: ${JSON.stringify(headers)} })`
    const program = `${receiver}
for (const request of [${request(body)}, ${request(`${body} `)}]) console.log((await POST(request)).status)`
    assert.strictEqual(await run(program, { ALMONER_WEBHOOK_SECRET: secret }), "whd_1 2500\n204\n400\n")
    assert.lengthOf(more, 0)
  })
})
