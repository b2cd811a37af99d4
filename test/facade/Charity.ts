import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import type { Almoner, Caller, CheckoutSubmission } from "../../src/index.ts"
import { numbers } from "../support/Numbers.ts"

/** A charity as a host makes it. */
export const charity = { slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD" }

/** A host's encryption keys. */
export const keys = `test:${Buffer.alloc(32, 7).toString("base64")}`

/** Makes the charity, and answers somebody who may write in its sandbox. */
export const callerIn = async (
  almoner: Pick<Almoner, "organisations" | "caller">,
  given: Partial<Parameters<Almoner["organisations"]["create"]>[0]> = {}
): Promise<Caller> => {
  const { sandbox } = await almoner.organisations.create({ ...charity, ...given })
  return almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE" })
}

type Given = Partial<Omit<CheckoutSubmission, "slug" | "embed_token" | "code" | "url_key">> & { readonly slug?: string }

/** A gift of fifty dollars by card, as a page of an organisation submits it. */
export const submissionTo = (organisation: string, { slug = "appeal", ...given }: Given = {}): CheckoutSubmission => ({
  organisation,
  slug,
  submission_id: randomUUID(),
  amount_cents: 5_000,
  currency: "AUD",
  method: "card",
  donor: { email: "ada@example.org", first_name: "Ada", last_name: "Low" },
  payment_token: numbers.succeeds,
  request_id: "req_page",
  ...given
})

/** The answer of a receiver that took a webhook. */
export const receiverAnswer = {
  response_status: 204,
  response_excerpt: null,
  retry_after: null,
  error: null,
  duration_ms: 1
}

/** Starts a receiver of webhooks on loopback that keeps what arrives. */
export const openReceiver = async () => {
  const arrived: Array<{ readonly headers: Headers; readonly body: string }> = []
  const server = createServer(async (request, response) => {
    const parts: Array<Buffer> = []
    for await (const part of request) parts.push(part)
    const headers = new Headers(request.headers as Record<string, string>)
    arrived.push({ headers, body: Buffer.concat(parts).toString("utf8") })
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { arrived, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` }
}

/** How a call failed that had to. */
export const failureOf = async (attempt: {
  outcome(): Promise<{ readonly ok: true } | { readonly ok: false; readonly failure: object }>
}): Promise<object> => {
  const outcome = await attempt.outcome()
  return outcome.ok ? assert.fail("it did not fail") : outcome.failure
}
