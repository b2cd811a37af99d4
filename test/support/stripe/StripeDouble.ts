import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { makeAccounts } from "./Accounts.ts"
import { makeBooks, platform } from "./Books.ts"
import { makeCustomers } from "./Customers.ts"
import { type Fault, spoil, write } from "./Faults.ts"
import { makeGivenBack } from "./GivenBack.ts"
import { makeIntents } from "./Intents.ts"
import { type Json, listOf, missingObject, notAccepted, parseForm, Refusal } from "./Protocol.ts"
import { requirePublished } from "./PublishedTypes.ts"
import { makeTransfers } from "./Transfers.ts"

// A double of Stripe over HTTP, as far as gifts need it. What it does is by https://docs.stripe.com/api, and shares no code
// with the adapter.

type Route = (form: Json, id: string) => Json

const makeDouble = () => {
  const books = makeBooks()
  const accounts = makeAccounts(books)
  const kept = makeCustomers(books)
  const intents = makeIntents(books, accounts, kept)
  const givenBack = makeGivenBack(books, intents)
  const transfers = makeTransfers(books, accounts, intents)

  const routes: Readonly<Record<string, readonly [parameters: string, run: Route]>> = {
    "POST payment_intents": ["PaymentIntents.PaymentIntentCreateParams", intents.create],
    "GET payment_intents": ["PaymentIntents.PaymentIntentListParams", intents.list],
    "GET payment_intents/id": ["PaymentIntents.PaymentIntentRetrieveParams", (_, id) => intents.show(id)],
    "POST payment_intents/id/confirm": [
      "PaymentIntents.PaymentIntentConfirmParams",
      (form, id) => intents.confirm(id, form)
    ],
    "POST payment_intents/id/cancel": ["PaymentIntents.PaymentIntentCancelParams", (_, id) => intents.cancel(id)],
    "POST refunds": ["Refunds.RefundCreateParams", givenBack.refund],
    "GET refunds": ["Refunds.RefundListParams", givenBack.listRefunds],
    "GET disputes": ["Disputes.DisputeListParams", givenBack.listDisputes],
    "GET confirmation_tokens/id": [
      "ConfirmationTokens.ConfirmationTokenRetrieveParams",
      (_, id) => intents.showToken(id)
    ],
    "POST customers": ["Customers.CustomerCreateParams", kept.createCustomer],
    "GET payment_methods/id": ["PaymentMethods.PaymentMethodRetrieveParams", (_, id) => kept.show(id)],
    "POST payment_methods/id/detach": ["PaymentMethods.PaymentMethodDetachParams", (_, id) => kept.detach(id)],
    "GET mandates/id": ["Mandates.MandateRetrieveParams", (form, id) => kept.showMandate(id, form)],
    "POST transfers": ["Transfers.TransferCreateParams", transfers.create],
    "GET transfers": ["Transfers.TransferListParams", transfers.list],
    "GET transfers/id": ["Transfers.TransferRetrieveParams", (_, id) => transfers.show(id)],
    "POST transfers/id/reversals": [
      "Transfers.TransferCreateReversalParams",
      (form, id) => transfers.reverse(id, form)
    ],
    "GET transfers/id/reversals": [
      "Transfers.TransferListReversalsParams",
      (form, id) => transfers.listReversals(id, form)
    ],
    "POST accounts": ["Accounts.AccountCreateParams", accounts.create],
    "GET accounts/id": ["Accounts.AccountRetrieveParams", (_, id) => accounts.show(id)],
    "GET account": ["Accounts.AccountRetrieveCurrentParams", () => accounts.show(books.acting)],
    "POST account_links": ["AccountLinks.AccountLinkCreateParams", accounts.link],
    "POST payment_method_domains": ["PaymentMethodDomains.PaymentMethodDomainCreateParams", accounts.registerDomain],
    "POST payment_method_domains/id/validate": [
      "PaymentMethodDomains.PaymentMethodDomainValidateParams",
      (_, id) => accounts.showDomain(id)
    ],
    "GET events": ["Events.EventListParams", (form) => books.page(books.events, form)],
    "GET balance_transactions": [
      "BalanceTransactions.BalanceTransactionListParams",
      (form) => books.page(books.movements, form)
    ]
  }

  const route = (method: string, [kind, id, action]: ReadonlyArray<string>, form: Json): Json => {
    books.requireOwn(id)
    books.requireOwn(form.payment_intent)
    const name = `${method} ${kind}${id === undefined ? "" : "/id"}${action === undefined ? "" : `/${action}`}`
    const found = Object.hasOwn(routes, name) ? routes[name] : undefined
    if (found === undefined) throw missingObject("route")
    const [parameters, run] = found
    requirePublished(parameters, form)
    return run(form, id ?? "")
  }

  return { accounts, books, givenBack, intents, kept, route, routes, transfers } as const
}

/** The requests that a double answers, and the published types of their parameters. */
export const requestTypes = Object.entries(makeDouble().routes).map(
  ([name, [parameters]]) => [name, parameters] as const
)

interface Asked {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export const openStripeDouble = async () => {
  const { accounts, books, givenBack, intents, kept, route, transfers } = makeDouble()
  const accountsByKey = new Map<string, string>()
  const revoked = new Set<string>()
  const faults: Array<Fault> = []
  const requests: Array<Asked> = []
  let keys = new Map<string, { readonly body: string; readonly status: number; readonly answer: Json }>()
  let lost: "requests" | "answers" | null = null

  const run = ({ body, method, path, query }: Asked) => {
    try {
      const form = parseForm(method === "GET" ? query : body)
      return { status: 200, answer: route(method, path.split("/").slice(2), form) }
    } catch (cause) {
      if (cause instanceof Refusal) return { status: cause.status, answer: { error: cause.error } }
      throw cause
    }
  }

  const answer = (asked: Asked) => {
    const by = (asked.headers.authorization ?? "").replace("Bearer ", "")
    if (revoked.has(by)) return { status: 401, answer: { error: notAccepted().error } }
    books.acting = accountsByKey.get(by) ?? platform
    const given = asked.headers["idempotency-key"]
    const key = typeof given === "string" ? `${books.acting} ${given}` : undefined
    const known = key === undefined ? undefined : keys.get(key)
    if (known !== undefined) {
      if (known.body === asked.body) return known
      return { status: 400, answer: { error: { type: "idempotency_error", message: "Keys for idempotent requests" } } }
    }
    const made = run(asked)
    if (key !== undefined) keys.set(key, { ...made, body: asked.body })
    return made
  }

  const nextFault = () => {
    if (lost === null) {
      const next = faults.shift()
      return next?.kind === "none" ? undefined : next
    }
    return { kind: lost === "requests" ? "lostRequest" : "lostAnswer" } as const
  }

  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString("utf8")
    const [path = "", query = ""] = (request.url ?? "").split("?")
    const asked = { method: request.method ?? "GET", path, query, headers: request.headers, body }
    requests.push(asked)
    const fault = nextFault()
    if (fault?.kind === "lostRequest" || fault?.kind === "status") return spoil(fault, response, "")
    const made = answer(asked)
    const text = JSON.stringify(made.answer)
    if (fault !== undefined) return spoil(fault, response, text)
    write(response, made.status, text)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    ...givenBack,
    url: `http://127.0.0.1:${port}`,
    requests,
    events: books.events,
    intents: intents.intents,
    fillIn: accounts.fillIn,
    /** The hosts that were registered, each after the account that takes its charges. */
    domains: accounts.domains,
    /** Has Apple find no file at a host. */
    leaveUnproved: (host: string) => void accounts.unproved.add(host),
    fail: (...next: ReadonlyArray<Fault>) => void faults.push(...next),
    lose: (what: "requests" | "answers" | null) => {
      lost = what
    },
    lateFees: intents.lateFees,
    feesKnown: intents.feesKnown,
    forgetKeys: (has: (key: string) => boolean = () => true) => {
      keys = new Map([...keys].filter(([key]) => !has(key.split(" ")[1] ?? "")))
    },
    /** From now on a key is an own account's. */
    ownKey: (key: string, account: string) => void accountsByKey.set(key, account),
    revokeKey: (key: string) => void revoked.add(key),
    /** Whose an intent is: an account's, or the platform's. */
    ownerOf: (charge_id: string) => books.ownerOf(intents.firstOf(charge_id)),
    disable: (account: string) => accounts.shut(account, "disabled"),
    reject: (account: string) => accounts.shut(account, "rejected"),
    closeAccount: (account: string) => accounts.shut(account, "closed"),
    /** An account's organisation takes its permission back. */
    deauthorise: (account: string) => {
      accounts.shut(account, "closed")
      books.emit("account.application.deauthorized", { id: "ca_1", object: "application" }, account)
    },
    reopen: accounts.reopen,
    intentsOf: intents.ofCharge,
    taken: (charge_id: string) => intents.ofCharge(charge_id).reduce((sum, { taken }) => sum + taken, 0),
    sharedOut: transfers.sharedOut,
    /** Somebody takes back a part of a transfer at Stripe; its id. */
    reverseThere: (id: string, amount: number) => transfers.reverse(id, { amount }).id,
    arrived: transfers.arrived,
    endMandate: kept.endMandate,
    /** Somebody at Stripe takes a means of payment off whom it was kept for. */
    takeOff: kept.detach,
    approve: (charge_id: string) => {
      const intent = intents.firstOf(charge_id)
      if (listOf(intent.payment_method_types).includes("payto"))
        Object.assign(intent, { status: "processing", next_action: null })
      else intents.succeed(intent)
    },
    settle: (charge_id: string) => intents.succeed(intents.firstOf(charge_id)),
    dishonour: (charge_id: string, code: string) => intents.dishonour(intents.firstOf(charge_id), code),
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections())
  }
}

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
