import { type Client, type ClientOptions, createClient } from "../../src/client.ts"

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string | undefined
}

/** A fake service's reaction to one attempt: it answers, or breaks the connection. */
export type Step = () => Response | Promise<Response>

/** A refusal in the service's envelope. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Step => {
  const doc_url = `https://api.almoner.test/docs/errors#${code}`
  const error = { type: doc_url, code, message: "No.", request_id: "req_1", doc_url }
  return () => Response.json({ error }, { status, headers })
}

export const answer =
  (value: unknown, headers: Record<string, string> = {}): Step =>
  () =>
    Response.json(value, { headers })

/** A connection that breaks. */
export const broken: Step = () => Promise.reject(new TypeError("fetch failed"))

/** A client of a service that takes the steps in their order, the last one for ever. */
export const fake = (steps: ReadonlyArray<Step>, options: Partial<ClientOptions> = {}) => {
  const seen: Array<SentRequest> = []
  const slept: Array<number> = []
  const client: Client = createClient({
    baseUrl: "https://api.almoner.test",
    apiKey: "alm_test",
    random: () => 1,
    sleep: async (millis) => {
      slept.push(millis)
    },
    fetch: async (url, init) => {
      const step = steps[Math.min(seen.length, steps.length - 1)] ?? broken
      seen.push({
        url,
        method: init.method ?? "",
        headers: new Headers(init.headers),
        body: typeof init.body === "string" ? init.body : undefined
      })
      return step()
    },
    ...options
  })
  return { client, seen, slept }
}
