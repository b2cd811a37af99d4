// What Stripe's interface over HTTP looks like, by https://docs.stripe.com/api. It shares no code with the adapter.

/** An object as it goes over the wire. */
export type Json = Record<string, unknown>

/** a[b][]=c as nested objects. */
export const parseForm = (text: string): Json => {
  const root: Json = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll("]", "").split("[")
    let at: Json = root
    path.slice(0, -1).forEach((part) => {
      at[part] ??= {}
      at = at[part] as Json
    })
    at[path.at(-1) ?? ""] = value
  }
  return root
}

/** The items of a list in a form. */
export const listOf = (value: unknown): ReadonlyArray<string> => Object.values((value ?? {}) as Record<string, string>)

export const metadataOf = ({ metadata }: Json) => (metadata ?? {}) as Record<string, string>

export class Refusal extends Error {
  readonly status: number
  readonly error: Json
  constructor(status: number, error: Json) {
    super("refused")
    this.status = status
    this.error = error
  }
}

/** A request that Stripe does not take, with its code. */
export const invalid = (code: string, message = code) =>
  new Refusal(400, { type: "invalid_request_error", code, message })

/** A request that Stripe does not take, and gives no code for. */
export const senseless = (message: string) => new Refusal(400, { type: "invalid_request_error", message })

export const missingObject = (what: string) =>
  new Refusal(404, { type: "invalid_request_error", code: "resource_missing", message: `No such ${what}` })

export const notAccepted = () =>
  new Refusal(401, { type: "invalid_request_error", message: "Invalid API Key provided" })
