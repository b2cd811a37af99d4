import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { IntegrationId } from "../../src/domain/kernel/Ids.ts"
import { signatureHeader, signatureValue, signedText } from "../../src/domain/payments/TestNotice.ts"
import { serve } from "../../src/http.ts"
import { Almoner } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { Macs } from "../../src/ports.ts"
import { anew } from "../support/Late.ts"
import { noticeBody } from "../support/TestNotices.ts"
import { callerIn } from "./Charity.ts"

const opened = async () => {
  const almoner = await Almoner.open({ backend: memory() })
  const caller = await callerIn(almoner)
  const integration = await almoner.integrations.create(caller, { label: "Main", processor_connect_account_id: "a" })
  const sign = (body: string) =>
    almoner.run(
      Effect.gen(function* () {
        const macs = yield* Macs
        const seconds = Math.floor((yield* DateTime.now).epochMilliseconds / 1000)
        const text = signedText(IntegrationId.make(integration.id), seconds, body)
        return signatureValue(seconds, Option.toArray(yield* macs.make(macs.keyIds[0], "test_notice", text)))
      })
    )
  return { almoner, caller, integration, sign }
}

describe("a notice of a payment processor to a host", () => {
  const host = anew(opened)
  afterEach(() => host.almoner.close())

  const kept = async () => (await host.almoner.notices.list(host.caller)).data.map(({ status, type }) => [type, status])

  it("is handed over in the process, once, as bytes or text, with headers of any kind", async () => {
    const { almoner, integration, sign } = host
    const body = noticeBody()
    const signature = await sign(body)
    const given = { integration_id: integration.id, body }
    const first = await almoner.receiveNotice({ ...given, headers: new Headers({ [signatureHeader]: signature }) })
    assert.deepStrictEqual(first, { is_new: true })
    const headers = { "Almoner-Test-Signature": [signature], "x-none": undefined }
    assert.deepStrictEqual(await almoner.receiveNotice({ ...given, body: new TextEncoder().encode(body), headers }), {
      is_new: false
    })
    assert.deepStrictEqual(await kept(), [["charge.succeeded", "RECEIVED"]])
    await almoner.settle()
    assert.deepStrictEqual(await kept(), [["charge.succeeded", "IGNORED"]])
  })

  it("is refused with what to answer", async () => {
    const { almoner, integration } = host
    const tagOf = async (given: { integration_id?: string; processor?: string; body: string }) => {
      const outcome = await almoner.receiveNotice({ headers: {}, ...given }).outcome()
      return outcome.ok ? "taken" : outcome.failure._tag
    }
    assert.strictEqual(await tagOf({ integration_id: integration.id, body: "{}" }), "NoticeRefused")
    assert.strictEqual(await tagOf({ integration_id: "intg_none", body: "{}" }), "NotFound")
    assert.strictEqual(await tagOf({ processor: "nobody", body: "{}" }), "NotFound")
    assert.strictEqual(await tagOf({ body: "{}" }), "NotFound")
    const large = "x".repeat(262_145)
    assert.strictEqual(await tagOf({ integration_id: integration.id, body: large }), "NoticeTooLarge")
    assert.deepStrictEqual(await kept(), [])
  })

  it("comes over the web standard's handler and over a listener, its bytes read by the host or not", async () => {
    const { almoner, integration, sign } = host
    const api = await serve(almoner)
    const path = `/processors/${integration.id}/notices`
    const body = noticeBody()
    const init = { method: "POST", body, headers: { [signatureHeader]: await sign(body) } }
    const answered = await api.fetch(new Request(`https://api.example.org${path}`, init))
    assert.deepStrictEqual([answered.status, await answered.text()], [200, ""])
    for (const isRead of [false, true]) {
      const server = createServer(async (request, response) => {
        if (isRead) {
          const chunks: Array<Uint8Array> = []
          for await (const chunk of request) chunks.push(chunk)
          Object.assign(request, { rawBody: Buffer.concat(chunks) })
        }
        api.listener(request, response)
      }).listen(0, "127.0.0.1")
      await new Promise((resolve) => server.once("listening", resolve))
      const { port } = server.address() as AddressInfo
      const told = await fetch(`http://127.0.0.1:${port}${path}`, init)
      assert.deepStrictEqual([told.status, await told.text()], [200, ""])
      const changed = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, body: `${body} ` })
      assert.deepStrictEqual([changed.status, await changed.text()], [400, ""])
      await new Promise((resolve) => server.close(resolve))
    }
    assert.deepStrictEqual(await kept(), [["charge.succeeded", "RECEIVED"]])
  })
})
