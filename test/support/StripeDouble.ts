import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

// A double of Stripe over HTTP, as far as gifts need it: intents, refunds, disputes, accounts, events and the balance.
// What it does is by https://docs.stripe.com/api, and shares no code with the adapter.

type Json = Record<string, unknown>

/** How one of the next answers is spoilt. */
export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly type?: string; readonly code?: string }
  /** The request is lost before anything happens, or the answer after it did. */
  | { readonly kind: "lostRequest" | "lostAnswer" }
  | { readonly kind: "body"; readonly body: string }
  | { readonly kind: "truncated" }

interface Intent extends Json {
  id: string
  status: string
  amount: number
  metadata: Record<string, string>
  taken: number
}

class Refusal extends Error {
  readonly status: number
  readonly error: Json
  constructor(status: number, error: Json) {
    super("refused")
    this.status = status
    this.error = error
  }
}

const invalid = (code: string, message = code) => new Refusal(400, { type: "invalid_request_error", code, message })
const missing = (what: string) =>
  new Refusal(404, { type: "invalid_request_error", code: "resource_missing", message: `No such ${what}` })

/** a[b][]=c as nested objects. */
const parseForm = (text: string): Json => {
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

const listOf = (value: unknown): ReadonlyArray<string> => Object.values((value ?? {}) as Record<string, string>)

/** Tokens of test mode, and what becomes of a payment with them. */
const behaviours: Readonly<Record<string, { readonly status: string; readonly code?: string; readonly next?: Json }>> =
  {
    pm_card_visa: { status: "succeeded" },
    pm_card_visa_chargeDeclined: { status: "declined", code: "generic_decline" },
    pm_card_authenticationRequired: { status: "requires_action", next: { type: "use_stripe_sdk", use_stripe_sdk: {} } },
    pm_redirects: {
      status: "requires_action",
      next: { type: "redirect_to_url", redirect_to_url: { url: "https://hooks.stripe.test/3ds", return_url: null } }
    },
    ctoken_debit: { status: "processing" },
    ctoken_payto: { status: "requires_action", next: { type: "payto_await_authorization" } }
  }

/** Whoever asks with a key that is no own account's. */
const platform = "platform"

/** What only a platform may say. */
const sharing = [
  "transfer_data",
  "on_behalf_of",
  "application_fee_amount",
  "reverse_transfer",
  "refund_application_fee"
]

const notAccepted = () => new Refusal(401, { type: "invalid_request_error", message: "Invalid API Key provided" })

/** Starts a double. */
export const openStripeDouble = async () => {
  const intents = new Map<string, Intent>()
  const refunds: Array<Json & { id: string; amount: number; status: string; payment_intent: string }> = []
  const disputes: Array<Json & { id: string; amount: number; status: string; payment_intent: string }> = []
  const movements: Array<Json> = []
  const events: Array<Json & { id: string; created: number }> = []
  const disabled = new Set<string>()
  // Whose an object is: the platform's, or that of an account that asks with its own key.
  const owners = new Map<string, string>()
  const accountsByKey = new Map<string, string>()
  const revoked = new Set<string>()
  let acting = platform
  let keys = new Map<string, { readonly body: string; readonly status: number; readonly answer: Json }>()
  const faults: Array<Fault> = []
  let lost: "requests" | "answers" | null = null
  let isFeeLate = false
  let ids = 0
  const requests: Array<{
    readonly method: string
    readonly path: string
    readonly headers: IncomingMessage["headers"]
    readonly body: string
  }> = []

  const next = (prefix: string) => {
    ids += 1
    return `${prefix}_${String(ids).padStart(8, "0")}`
  }
  const now = () => Math.floor(Date.now() / 1_000)

  const ownerOf = ({ id, payment_intent }: Json) =>
    owners.get(String(payment_intent ?? id)) ?? owners.get(String(id)) ?? platform

  const emit = (type: string, object: Json) => {
    const event = { id: next("evt"), object: "event", type, created: now(), data: { object: structuredClone(object) } }
    owners.set(event.id, ownerOf(object))
    events.push(event)
  }

  const move = (type: string, amount: number, fee: number, currency: unknown, source: Json) => {
    const moved = {
      id: next("txn"),
      object: "balance_transaction",
      type,
      amount,
      fee,
      currency,
      created: now(),
      source
    }
    owners.set(moved.id, ownerOf(source))
    movements.push(moved)
    return moved
  }

  const intentOf = (id: string) => {
    const found = intents.get(id)
    if (found === undefined) throw missing("payment_intent")
    return found
  }

  const chargeFor = (intent: Intent): Json => ({
    id: `ch_${intent.id}`,
    object: "charge",
    payment_intent: intent.id,
    metadata: intent.metadata,
    disputed: disputes.some(({ payment_intent }) => payment_intent === intent.id),
    balance_transaction: intent.fee_transaction ?? null
  })

  const shown = (intent: Intent): Json => {
    const { fee_transaction, taken, ...rest } = intent
    return { ...rest, latest_charge: intent.has_charge === true ? chargeFor(intent) : null }
  }

  const succeed = (intent: Intent) => {
    Object.assign(intent, { status: "succeeded", amount_received: intent.amount, next_action: null, has_charge: true })
    intent.taken += intent.amount
    const fee = Math.round(intent.amount * 0.0175) + 30
    const moved = move("charge", intent.amount, fee, intent.currency, chargeFor(intent))
    if (!isFeeLate) intent.fee_transaction = moved
    emit("payment_intent.succeeded", shown(intent))
  }

  const decline = (intent: Intent, code: string): never => {
    const error = {
      type: "card_error",
      code: "card_declined",
      decline_code: code,
      message: "Your card was declined, Ada."
    }
    Object.assign(intent, { status: "requires_payment_method", last_payment_error: error, next_action: null })
    emit("payment_intent.payment_failed", shown(intent))
    throw new Refusal(402, { ...error, payment_intent: shown(intent) })
  }

  const create = (form: Json) => {
    const { destination } = (form.transfer_data ?? {}) as Record<string, string>
    if (acting !== platform && sharing.some((name) => form[name] !== undefined)) throw invalid("platform_only")
    if (disabled.has(acting)) throw invalid("account_invalid")
    if (destination !== undefined && disabled.has(destination)) throw invalid("insufficient_capabilities_for_transfer")
    const amount = Number(form.amount)
    if (!(amount > 0) || amount > 99_999_999) throw invalid("amount_too_large")
    const intent: Intent = {
      id: next("pi"),
      object: "payment_intent",
      status: "requires_payment_method",
      amount,
      amount_received: 0,
      currency: String(form.currency),
      created: now(),
      client_secret: next("secret"),
      metadata: (form.metadata ?? {}) as Record<string, string>,
      last_payment_error: null,
      next_action: null,
      payment_method_types: listOf(form.payment_method_types),
      application_fee_amount: form.application_fee_amount ?? null,
      transfer_data: form.transfer_data ?? null,
      on_behalf_of: form.on_behalf_of ?? null,
      has_charge: false,
      taken: 0
    }
    intents.set(intent.id, intent)
    owners.set(intent.id, acting)
    emit("payment_intent.created", shown(intent))
    return shown(intent)
  }

  const confirm = (id: string, form: Json) => {
    const intent = intentOf(id)
    if (!["requires_payment_method", "requires_confirmation"].includes(intent.status)) {
      throw invalid("payment_intent_unexpected_state")
    }
    const token = String(form.payment_method ?? form.confirmation_token ?? "")
    const behaviour = Object.hasOwn(behaviours, token) ? behaviours[token] : undefined
    if (behaviour === undefined) throw missing("PaymentMethod")
    if (behaviour.status === "declined") decline(intent, behaviour.code ?? "generic_decline")
    if (behaviour.status === "succeeded") succeed(intent)
    else
      Object.assign(intent, { status: behaviour.status, next_action: behaviour.next ?? null, last_payment_error: null })
    if (behaviour.status === "processing") emit("payment_intent.processing", shown(intent))
    return shown(intent)
  }

  const cancel = (id: string) => {
    const intent = intentOf(id)
    if (["succeeded", "processing", "canceled"].includes(intent.status))
      throw invalid("payment_intent_unexpected_state")
    Object.assign(intent, { status: "canceled", next_action: null })
    emit("payment_intent.canceled", shown(intent))
    return shown(intent)
  }

  const leftOf = (intent: Intent) =>
    Number(intent.amount_received) -
    refunds
      .filter(({ payment_intent, status }) => payment_intent === intent.id && status !== "failed")
      .reduce((sum, { amount }) => sum + amount, 0)

  const isDisputed = (id: string) =>
    disputes.some(({ payment_intent, status }) => payment_intent === id && status === "needs_response")

  const refund = (form: Json) => {
    if (acting !== platform && sharing.some((name) => form[name] !== undefined)) throw invalid("platform_only")
    const intent = intentOf(String(form.payment_intent))
    if (intent.status !== "succeeded")
      throw new Refusal(400, { type: "invalid_request_error", message: "no successful charge" })
    if (isDisputed(intent.id)) throw invalid("charge_disputed")
    const amount = Number(form.amount)
    if (amount > leftOf(intent)) throw invalid("charge_already_refunded")
    const made = {
      id: next("re"),
      object: "refund",
      amount,
      status: "succeeded",
      payment_intent: intent.id,
      metadata: (form.metadata ?? {}) as Record<string, string>,
      reverse_transfer: form.reverse_transfer ?? null
    }
    refunds.push(made)
    move("refund", -amount, 0, intent.currency, made)
    emit("refund.created", made)
    return made
  }

  const page = (everyones: ReadonlyArray<Json>, query: Json) => {
    const all = everyones.filter((each) => ownerOf(each) === acting)
    const { gte, lt, lte } = (query.created ?? {}) as Record<string, string>
    const within = all
      .filter(({ created }) => gte === undefined || Number(created) >= Number(gte))
      .filter(({ created }) => lte === undefined || Number(created) <= Number(lte))
      .filter(({ created }) => lt === undefined || Number(created) < Number(lt))
      .toReversed()
    const limit = Number(query.limit ?? 10)
    const at = (id: unknown) => within.findIndex((each) => each.id === id)
    if (query.ending_before !== undefined) {
      const end = at(query.ending_before)
      const start = Math.max(0, end - limit)
      return { object: "list", data: within.slice(start, end), has_more: start > 0 }
    }
    const start = query.starting_after === undefined ? 0 : at(query.starting_after) + 1
    return { object: "list", data: within.slice(start, start + limit), has_more: start + limit < within.length }
  }

  const ofIntent = (all: ReadonlyArray<Json>, query: Json) =>
    page(
      all
        .filter(({ payment_intent }) => payment_intent === query.payment_intent)
        .map((each) => ({ created: 0, ...each })),
      query
    )

  /** An object that is named belongs to whoever asks. */
  const owned = (id: string | undefined) => {
    if (id !== undefined && (owners.get(id) ?? acting) !== acting) throw missing("object")
  }

  const account = (id: string | undefined) => ({
    id,
    object: "account",
    charges_enabled: !disabled.has(id ?? ""),
    default_currency: "aud"
  })

  const route = (method: string, path: ReadonlyArray<string>, form: Json): Json => {
    const [kind, id, action] = path
    owned(id)
    owned(form.payment_intent === undefined ? undefined : String(form.payment_intent))
    switch (`${method} ${kind}${id === undefined ? "" : "/id"}${action === undefined ? "" : `/${action}`}`) {
      case "POST payment_intents":
        return create(form)
      case "GET payment_intents":
        return page([...intents.values()].map(shown), form)
      case "GET payment_intents/id":
        return shown(intentOf(id ?? ""))
      case "POST payment_intents/id/confirm":
        return confirm(id ?? "", form)
      case "POST payment_intents/id/cancel":
        return cancel(id ?? "")
      case "POST refunds":
        return refund(form)
      case "GET refunds":
        return ofIntent(refunds, form)
      case "GET disputes":
        return ofIntent(disputes, form)
      case "GET accounts/id":
        if (acting !== platform && acting !== id) throw invalid("account_invalid")
        return account(id)
      case "GET account":
        return account(acting)
      case "GET events":
        return page(events, form)
      case "GET balance_transactions":
        return page(movements, form)
      default:
        throw missing("route")
    }
  }

  const answer = (request: {
    method: string
    path: string
    key: string | undefined
    body: string
    query: string
    by: string
  }) => {
    if (revoked.has(request.by)) return { status: 401, answer: { error: notAccepted().error } }
    acting = accountsByKey.get(request.by) ?? platform
    const key = request.key === undefined ? undefined : `${acting} ${request.key}`
    const known = key === undefined ? undefined : keys.get(key)
    if (known !== undefined) {
      if (known.body === request.body) return known
      return { status: 400, answer: { error: { type: "idempotency_error", message: "Keys for idempotent requests" } } }
    }
    const form = parseForm(request.method === "GET" ? request.query : request.body)
    const run = () => {
      try {
        return { status: 200, answer: route(request.method, request.path.split("/").slice(2), form) }
      } catch (cause) {
        if (cause instanceof Refusal) return { status: cause.status, answer: { error: cause.error } }
        throw cause
      }
    }
    const made = run()
    if (key !== undefined) keys.set(key, { ...made, body: request.body })
    return made
  }

  const write = (response: ServerResponse, status: number, body: string) => {
    response.writeHead(status, { "content-type": "application/json", "request-id": next("req") })
    response.end(body)
  }

  const faultAnswer = (fault: Fault, response: ServerResponse, body: string) => {
    switch (fault.kind) {
      case "status":
        return write(
          response,
          fault.status,
          JSON.stringify({
            error: {
              type: fault.type ?? "api_error",
              ...(fault.code === undefined ? {} : { code: fault.code }),
              message: "Ada Lovelace"
            }
          })
        )
      case "body":
        return write(response, 200, fault.body)
      case "truncated":
        response.writeHead(200, { "content-type": "application/json", "content-length": String(body.length) })
        response.write(body.slice(0, 20))
        return response.destroy()
      case "lostRequest":
      case "lostAnswer":
        return response.destroy()
    }
  }

  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString("utf8")
    const [path = "", query = ""] = (request.url ?? "").split("?")
    const method = request.method ?? "GET"
    requests.push({ method, path, headers: request.headers, body })
    const fault: Fault | undefined =
      lost === "requests" ? { kind: "lostRequest" } : lost === "answers" ? { kind: "lostAnswer" } : faults.shift()
    if (fault?.kind === "lostRequest" || fault?.kind === "status") return faultAnswer(fault, response, "")
    const key = request.headers["idempotency-key"]
    const by = (request.headers.authorization ?? "").replace("Bearer ", "")
    const made = answer({ method, path, key: typeof key === "string" ? key : undefined, body, query, by })
    const text = JSON.stringify(made.answer)
    if (fault !== undefined) return faultAnswer(fault, response, text)
    write(response, made.status, text)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo

  const ofCharge = (charge_id: string) =>
    [...intents.values()].filter(({ metadata }) => metadata.almoner_charge_id === charge_id)
  const firstOf = (charge_id: string) => {
    const [found] = ofCharge(charge_id)
    if (found === undefined) throw new Error(`No intent of ${charge_id}`)
    return found
  }
  const settleDispute = (charge_id: string, status: string) => {
    const found = disputes.find(({ payment_intent }) => payment_intent === firstOf(charge_id).id)
    if (found === undefined) throw new Error(`No dispute of ${charge_id}`)
    // What was taken comes back when it is won.
    if (status === "won") move("adjustment", found.amount, 0, firstOf(charge_id).currency, found)
    Object.assign(found, { status })
    emit("charge.dispute.closed", { ...found })
  }

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    events,
    intents,
    fail: (...next: ReadonlyArray<Fault>) => void faults.push(...next),
    lose: (what: "requests" | "answers" | null) => {
      lost = what
    },
    lateFees: (is: boolean) => {
      isFeeLate = is
    },
    feesKnown: () => {
      for (const intent of intents.values()) {
        const moved = movements.find(
          ({ source, type }) => type === "charge" && (source as Json).payment_intent === intent.id
        )
        if (moved !== undefined) intent.fee_transaction = moved
      }
    },
    forgetKeys: (has: (key: string) => boolean = () => true) => {
      keys = new Map([...keys].filter(([key]) => !has(key.split(" ")[1] ?? "")))
    },
    /** From now on a key is an own account's. */
    ownKey: (key: string, account: string) => void accountsByKey.set(key, account),
    revokeKey: (key: string) => void revoked.add(key),
    /** Whose an intent is: an account's, or the platform's. */
    ownerOf: (charge_id: string) => owners.get(firstOf(charge_id).id),
    disable: (account: string) => void disabled.add(account),
    intentsOf: ofCharge,
    taken: (charge_id: string) => ofCharge(charge_id).reduce((sum, { taken }) => sum + taken, 0),
    paidBack: (charge_id: string) =>
      refunds
        .filter(
          ({ payment_intent, status }) =>
            status !== "failed" && ofCharge(charge_id).some(({ id }) => id === payment_intent)
        )
        .reduce((sum, { amount }) => sum + amount, 0),
    approve: (charge_id: string) => {
      const intent = firstOf(charge_id)
      if (listOf(intent.payment_method_types).includes("payto"))
        Object.assign(intent, { status: "processing", next_action: null })
      else succeed(intent)
    },
    settle: (charge_id: string) => succeed(firstOf(charge_id)),
    dishonour: (charge_id: string, code: string) => {
      try {
        decline(firstOf(charge_id), code)
      } catch {
        // The refusal is for whoever asks next.
      }
    },
    refundThere: (charge_id: string, amount: number) =>
      void refund({ payment_intent: firstOf(charge_id).id, amount, metadata: {} }),
    failRefund: () => {
      const last = refunds.at(-1)
      if (last === undefined) throw new Error("No refund")
      last.status = "failed"
      const { currency } = intentOf(last.payment_intent)
      move("refund_failure", last.amount, 0, currency, last)
      emit("refund.failed", last)
    },
    dispute: (charge_id: string) => {
      const { amount, currency, id: payment_intent } = firstOf(charge_id)
      const made = { id: next("du"), object: "dispute", amount, status: "needs_response", payment_intent, metadata: {} }
      disputes.push(made)
      move("adjustment", -amount, 2_500, currency, made)
      emit("charge.dispute.created", made)
    },
    warn: (charge_id: string) => {
      const { amount, id: payment_intent } = firstOf(charge_id)
      disputes.push({ id: next("du"), object: "dispute", amount, status: "warning_needs_response", payment_intent })
    },
    winDispute: (charge_id: string) => settleDispute(charge_id, "won"),
    loseDispute: (charge_id: string) => settleDispute(charge_id, "lost"),
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections())
  }
}

/** A double of Stripe. */
export type StripeDouble = Awaited<ReturnType<typeof openStripeDouble>>

/** A double for as long as the scope is open. */
export const stripeDouble = Effect.acquireRelease(Effect.promise(openStripeDouble), (double) =>
  Effect.promise(() => double.close())
)

/** A notice as Stripe signs it: `t` and `v1`, the HMAC-SHA-256 of the time, a point and the body. */
export const signedNotice = (body: string, secret: string, at: number = Math.floor(Date.now() / 1_000)) => ({
  body: Buffer.from(body, "utf8"),
  headers: {
    "stripe-signature": `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`, "utf8").digest("hex")}`
  }
})
