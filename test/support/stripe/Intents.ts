import type { Accounts } from "./Accounts.ts"
import { type Books, platform } from "./Books.ts"
import type { Customers } from "./Customers.ts"
import { invalid, type Json, listOf, metadataOf, missingObject, Refusal } from "./Protocol.ts"

export interface Intent extends Json {
  id: string
  status: string
  amount: number
  metadata: Record<string, string>
  /** What was taken from the donor. */
  taken: number
}

/** Tokens of test mode, and what becomes of a payment with them. */
const behaviours: Readonly<Record<string, { readonly status: string; readonly code?: string; readonly next?: Json }>> =
  {
    pm_card_visa: { status: "succeeded" },
    pm_card_visa_chargeDeclined: { status: "declined", code: "generic_decline" },
    /** The first charge goes through, and none after it. */
    pm_card_chargeCustomerFail: { status: "succeeded" },
    pm_card_authenticationRequired: { status: "requires_action", next: { type: "use_stripe_sdk", use_stripe_sdk: {} } },
    pm_redirects: {
      status: "requires_action",
      next: { type: "redirect_to_url", redirect_to_url: { url: "https://hooks.stripe.test/3ds", return_url: null } }
    },
    ctoken_card: { status: "succeeded" },
    ctoken_card_declined: { status: "declined" },
    ctoken_link: { status: "succeeded" },
    ctoken_apple_pay: { status: "succeeded" },
    ctoken_apple_pay_declined: { status: "declined" },
    ctoken_google_pay: { status: "succeeded" },
    ctoken_debit: { status: "processing" },
    ctoken_payto: { status: "requires_action", next: { type: "payto_await_authorization" } }
  }

/** The types of confirmation tokens that are no cards, and the wallets of those that are. */
const tokenTypes: Readonly<Record<string, string>> = { ctoken_debit: "au_becs_debit", ctoken_payto: "payto" }
const tokenWallets: Readonly<Record<string, string>> = {
  ctoken_link: "link",
  ctoken_apple_pay: "apple_pay",
  ctoken_apple_pay_declined: "apple_pay",
  ctoken_google_pay: "google_pay"
}

/** A token that a page made, as Stripe tells of it. Means of payment that were made otherwise are none. */
const showToken = (id: string): Json => {
  if (!id.startsWith("ctoken_") || !Object.hasOwn(behaviours, id)) throw missingObject("confirmation_token")
  const type = tokenTypes[id] ?? "card"
  const wallet = tokenWallets[id]
  const card = { brand: "visa", wallet: wallet === undefined ? null : { type: wallet, dynamic_last4: null } }
  return { id, object: "confirmation_token", payment_method_preview: { type, [type]: type === "card" ? card : {} } }
}

/** What becomes of a payment with what was kept of a token. */
const keptBehaviours: typeof behaviours = {
  pm_card_visa: { status: "succeeded" },
  pm_card_chargeCustomerFail: { status: "declined", code: "generic_decline" },
  ctoken_debit: { status: "processing" },
  ctoken_payto: { status: "processing" }
}

/** What only a platform may say. */
const sharing = ["transfer_data", "on_behalf_of", "application_fee_amount", "transfer_group"]

export const makeIntents = (books: Books, accounts: Accounts, kept: Customers) => {
  const intents = new Map<string, Intent>()
  const disputed = new Set<string>()
  let isFeeLate = false

  const intentOf = (id: string) => {
    const found = intents.get(id)
    if (found === undefined) throw missingObject("payment_intent")
    return found
  }

  /** The charge of an intent whose money was taken, or tried for. */
  const chargeFor = (intent: Intent): Json => {
    const type = listOf(intent.payment_method_types)[0] ?? "card"
    const mandate = kept.find(String(intent.payment_method))?.mandate ?? null
    return {
      id: `ch_${intent.id}`,
      object: "charge",
      payment_intent: intent.id,
      metadata: intent.metadata,
      disputed: disputed.has(intent.id),
      transfer_data: intent.transfer_data,
      payment_method: intent.payment_method,
      payment_method_details: { type, [type]: mandate === null ? {} : { mandate } },
      balance_transaction: intent.fee_transaction ?? null
    }
  }

  const show = (intent: Intent): Json => {
    const { fee_transaction, taken, ...rest } = intent
    return { ...rest, latest_charge: intent.has_charge === true ? chargeFor(intent) : null }
  }

  /** What it was paid with stays with its customer, where the intent said so. */
  const keep = ({ customer, payment_method, setup_future_usage }: Intent) => {
    const method = kept.find(String(payment_method))
    if (method !== undefined && setup_future_usage === "off_session") method.customer = String(customer)
  }

  const succeed = (intent: Intent) => {
    Object.assign(intent, { status: "succeeded", amount_received: intent.amount, next_action: null, has_charge: true })
    keep(intent)
    intent.taken += intent.amount
    const fee = Math.round(intent.amount * 0.0175) + 30
    const moved = books.move("charge", intent.amount, fee, intent.currency, chargeFor(intent))
    if (!isFeeLate) intent.fee_transaction = moved
    books.emit("payment_intent.succeeded", show(intent))
  }

  const decline = (intent: Intent, code: string): never => {
    const message = "Your card was declined, Ada."
    const error = { type: "card_error", code: "card_declined", decline_code: code, message }
    Object.assign(intent, { status: "requires_payment_method", last_payment_error: error, next_action: null })
    books.emit("payment_intent.payment_failed", show(intent))
    throw new Refusal(402, { ...error, payment_intent: show(intent) })
  }

  const requireWhole = (form: Json) => {
    const { destination } = (form.transfer_data ?? {}) as Record<string, string>
    if (books.acting !== platform && sharing.some((name) => form[name] !== undefined)) throw invalid("platform_only")
    if (accounts.isShut(books.acting)) throw invalid("account_invalid")
    if (accounts.isShut(destination ?? form.on_behalf_of)) throw invalid("insufficient_capabilities_for_transfer")
    if (form.customer !== undefined) kept.requireCustomer(form.customer)
    if (form.setup_future_usage !== undefined && form.customer === undefined) throw invalid("parameter_missing")
    const amount = Number(form.amount)
    if (!(amount > 0) || amount > 99_999_999) throw invalid("amount_too_large")
  }

  const create = (form: Json) => {
    requireWhole(form)
    const intent: Intent = {
      id: books.next("pi"),
      object: "payment_intent",
      status: "requires_payment_method",
      amount: Number(form.amount),
      amount_received: 0,
      currency: String(form.currency),
      created: books.now(),
      client_secret: books.next("secret"),
      metadata: metadataOf(form),
      last_payment_error: null,
      next_action: null,
      payment_method: null,
      payment_method_types: listOf(form.allowed_payment_method_types),
      payment_method_options: form.payment_method_options ?? null,
      customer: form.customer ?? null,
      setup_future_usage: form.setup_future_usage ?? null,
      application_fee_amount: form.application_fee_amount ?? null,
      transfer_data: form.transfer_data ?? null,
      transfer_group: form.transfer_group ?? null,
      on_behalf_of: form.on_behalf_of ?? null,
      has_charge: false,
      taken: 0
    }
    intents.set(intent.id, intent)
    books.own(intent.id)
    books.emit("payment_intent.created", show(intent))
    return show(intent)
  }

  /** What it is paid with, and what becomes of that: something new, or what was kept. */
  const paying = (intent: Intent, form: Json) => {
    const named = String(form.payment_method ?? form.confirmation_token ?? "")
    const method = kept.find(named)
    if (method !== undefined) {
      if (form.off_session !== "true") throw invalid("parameter_missing")
      kept.requireKept(named, intent.customer)
      return { method, behaviour: keptBehaviours[method.token] }
    }
    const behaviour = Object.hasOwn(behaviours, named) ? behaviours[named] : undefined
    if (behaviour === undefined) throw missingObject("PaymentMethod")
    const types = listOf(intent.payment_method_types)
    if (named.startsWith("ctoken_") && !types.includes(tokenTypes[named] ?? "card")) {
      throw invalid("payment_intent_incompatible_payment_method")
    }
    return { method: kept.methodFor(named, listOf(intent.payment_method_types)[0] ?? "card"), behaviour }
  }

  const confirm = (id: string, form: Json) => {
    const intent = intentOf(id)
    if (!["requires_payment_method", "requires_confirmation"].includes(intent.status)) {
      throw invalid("payment_intent_unexpected_state")
    }
    const { behaviour, method } = paying(intent, form)
    const { code = "generic_decline", next = null, status = "declined" } = behaviour ?? {}
    intent.payment_method = method.id
    if (status === "declined") decline(intent, code)
    if (status === "succeeded") succeed(intent)
    else Object.assign(intent, { status, next_action: next, last_payment_error: null })
    if (status === "processing") books.emit("payment_intent.processing", show(intent))
    return show(intent)
  }

  const cancel = (id: string) => {
    const intent = intentOf(id)
    if (["succeeded", "processing", "canceled"].includes(intent.status))
      throw invalid("payment_intent_unexpected_state")
    Object.assign(intent, { status: "canceled", next_action: null })
    books.emit("payment_intent.canceled", show(intent))
    return show(intent)
  }

  const ofCharge = (charge_id: string) =>
    [...intents.values()].filter(({ metadata }) => metadata.almoner_charge_id === charge_id)

  return {
    intents,
    disputed,
    intentOf,
    create,
    confirm,
    cancel,
    succeed,
    show: (id: string) => show(intentOf(id)),
    showToken,
    list: (form: Json) => books.page([...intents.values()].map(show), form),
    ofCharge,

    /** The intent of a charge of ours. */
    firstOf: (charge_id: string) => {
      const [found] = ofCharge(charge_id)
      if (found === undefined) throw new Error(`No intent of ${charge_id}`)
      return found
    },

    /** The bank brings the money not after all. */
    dishonour: (intent: Intent, code: string) => {
      try {
        decline(intent, code)
      } catch {
        // The refusal is for whoever asks next.
      }
    },

    lateFees: (is: boolean) => {
      isFeeLate = is
    },

    /** Fees are known from now on, by so much more than they were. */
    feesKnown: (more = 0) => {
      for (const intent of intents.values()) {
        const moved = books.movements.find(
          ({ source, type }) => type === "charge" && (source as Json).payment_intent === intent.id
        )
        if (moved !== undefined) intent.fee_transaction = Object.assign(moved, { fee: Number(moved.fee) + more })
      }
    }
  }
}

export type Intents = ReturnType<typeof makeIntents>
