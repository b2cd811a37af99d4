import { Almoner } from "almoner"
import { verifyWebhook } from "almoner/client"
import { memory, Stores } from "almoner/memory"
import { SecretBox, type WebhookRequest, WebhookSigner } from "almoner/ports"
import { Conformance } from "almoner/testing/vitest"
import { Layer } from "effect"
import { expect, test } from "vitest"
import { auditWith, boxOf, signer } from "./adapters.ts"

const box = Layer.succeed(SecretBox, boxOf(["vault"]))
const stores = Layer.provide(Stores.layer, box)

Conformance.webhookSigner("a signer of one's own", { layer: Layer.succeed(WebhookSigner, signer) })
Conformance.secretBox("a secret box of one's own", { layer: (ring) => Layer.succeed(SecretBox, boxOf(ring)) })
Conformance.auditStore("an audit store with a log", {
  layer: Layer.provideMerge(
    auditWith(() => {}),
    stores
  )
})

test("all three at work", async () => {
  const lines: Array<string> = []
  const sent: Array<WebhookRequest> = []
  const almoner = await Almoner.open({
    backend: memory(),
    operatorCidrs: ["192.0.2.0/24"],
    webhookTransport: async (request) => {
      sent.push(request)
      return { response_status: 204, response_excerpt: null, retry_after: null, error: null, duration_ms: 1 }
    },
    adapters: {
      WebhookSigner: signer,
      SecretBox: boxOf(["vault"]),
      AuditStore: auditWith((line) => lines.push(line))
    }
  })
  const charity = { slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD" }
  const { sandbox } = await almoner.organisations.create(charity)
  const ada = almoner.as(await almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE" }))
  const endpoint = await ada.webhookEndpoints.create({ url: "http://192.0.2.7/", event_types: ["donor.created"] })
  const donor = await ada.donors.create({ first_name: "Mary" })
  await almoner.dispatch()
  const [request] = sent
  if (request === undefined) throw new Error("nothing was sent")
  const event = await verifyWebhook({ body: request.body, headers: request.headers, secret: endpoint.secret })
  expect(event).toMatchObject({ type: "donor.created", data: { id: donor.id } })
  expect(lines).toContain("donors.create by ada")
  await almoner.close()
})
