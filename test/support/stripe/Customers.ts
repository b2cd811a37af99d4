import type { Books } from "./Books.ts"
import { invalid, type Json, metadataOf, missingObject } from "./Protocol.ts"

interface PaymentMethod extends Json {
  readonly id: string
  readonly type: string
  /** What it was made from, which says how it behaves. */
  readonly token: string
  customer: string | null
  mandate: string | null
}

/** Customers, what they pay with, and the authorities that they gave. */
export const makeCustomers = (books: Books) => {
  const customers = new Map<string, Json>()
  const methods = new Map<string, PaymentMethod>()
  const mandates = new Map<string, { status: string; readonly payment_method: string }>()

  const methodOf = (id: unknown) => {
    const found = methods.get(String(id))
    if (found === undefined) throw missingObject("PaymentMethod")
    return found
  }

  const shown = ({ mandate, token, ...method }: PaymentMethod): Json => ({ object: "payment_method", ...method })

  return {
    createCustomer: (form: Json): Json => {
      const made = { id: books.next("cus"), object: "customer", metadata: metadataOf(form) }
      books.own(made.id)
      customers.set(made.id, made)
      return made
    },

    requireCustomer: (id: unknown) => {
      if (!customers.has(String(id))) throw missingObject("customer")
      books.requireOwn(id)
    },

    /** What a token of the page makes. Debits come with an authority. */
    methodFor: (token: string, type: string): PaymentMethod => {
      const made: PaymentMethod = { id: books.next("pm"), type, token, customer: null, mandate: null }
      books.own(made.id)
      methods.set(made.id, made)
      if (type !== "card") {
        made.mandate = books.next("mandate")
        books.own(made.mandate)
        mandates.set(made.mandate, { status: "active", payment_method: made.id })
      }
      return made
    },

    find: (id: string) => methods.get(id),

    /** A means of payment that is charged without the donor must be kept for whom the intent is. */
    requireKept: (id: string, customer: unknown) => {
      const found = methodOf(id)
      if (found.customer === null || found.customer !== customer) throw invalid("payment_method_unactivated")
      if (found.mandate !== null && mandates.get(found.mandate)?.status !== "active") throw invalid("mandate_invalid")
    },

    show: (id: string): Json => shown(methodOf(id)),

    detach: (id: string): Json => {
      const found = methodOf(id)
      if (found.customer === null) throw invalid("payment_method_unexpected_state")
      found.customer = null
      books.emit("payment_method.detached", shown(found))
      return shown(found)
    },

    showMandate: (id: string, form: Json): Json => {
      const found = mandates.get(id)
      if (found === undefined) throw missingObject("mandate")
      const isExpanded = Object.values((form.expand ?? {}) as Json).includes("payment_method")
      const payment_method = isExpanded ? shown(methodOf(found.payment_method)) : found.payment_method
      return { id, object: "mandate", status: found.status, payment_method }
    },

    /** The donor ends an authority at the bank, or pauses it, which Stripe takes for the same. */
    endMandate: (id: string) => {
      const found = mandates.get(id)
      if (found === undefined) throw new Error(`No mandate ${id}`)
      found.status = "inactive"
      const { payment_method, status } = found
      books.emit("mandate.updated", { id, object: "mandate", payment_method, status })
    }
  }
}

export type Customers = ReturnType<typeof makeCustomers>
