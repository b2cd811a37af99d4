import { Predicate } from "effect"
import {
  type ProcessorFailure,
  ProcessorRefused,
  ProcessorUnreachable
} from "../../../ports/payments/PaymentProcessors.ts"

const textOf = (from: unknown, name: string): string | undefined =>
  Predicate.hasProperty(from, name) && Predicate.isString(from[name]) ? from[name] : undefined

const isCode = (text: string | undefined): text is string => text !== undefined && /^[a-z0-9_]{1,100}$/.test(text)

/** Nobody knows whether it happened. The reason repeats nothing that Stripe said: that may name a donor. */
export const unreachable = (reason: string) => new ProcessorUnreachable({ reason })

/** A refusal. Stripe's own sentence is left out: it may name a donor. */
export const refusalOf = (code: string) =>
  new ProcessorRefused({ code, message: `Stripe refused it (${code}). Its documentation explains the code.` })

const statusOf = (cause: unknown): number | undefined =>
  Predicate.hasProperty(cause, "statusCode") && Predicate.isNumber(cause.statusCode) ? cause.statusCode : undefined

/** The code of a refusal: the bank's where it gave one, and otherwise Stripe's. */
const codeOf = (cause: unknown): string =>
  [textOf(cause, "decline_code"), textOf(cause, "code"), textOf(cause, "rawType")].find(isCode) ?? "refused"

/**
 * How a call failed that threw. Only an answer that says so is a refusal: a key that is used otherwise or at this moment, a
 * key of ours that is not accepted, and too many requests leave it unknown what happened, as silence and errors of Stripe's
 * own do.
 */
export const failureOf = (cause: unknown): ProcessorFailure => {
  const status = statusOf(cause)
  if (status === undefined) return unreachable("not_reached")
  if (status >= 500) return unreachable(`status_${status}`)
  if (textOf(cause, "rawType") === "idempotency_error") return unreachable("key_used_otherwise")
  switch (status) {
    case 400:
    case 402:
    case 404:
      return refusalOf(codeOf(cause))
    case 403:
      return textOf(cause, "code") === "account_invalid" ? refusalOf("account_invalid") : unreachable("not_permitted")
    case 401:
      return unreachable("key_not_accepted")
    case 409:
      return unreachable("key_in_use")
    case 429:
      return unreachable("too_many_requests")
    default:
      return unreachable(`status_${status}`)
  }
}

/** Whether Stripe answered that it has no such object. */
export const isMissing = (cause: unknown): boolean =>
  statusOf(cause) === 404 || textOf(cause, "code") === "resource_missing"

/** Whether the donor's bank declined, so that the intent tells of it from now on. */
export const isDecline = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "payment_intent") &&
  Predicate.hasProperty(cause.payment_intent, "last_payment_error") &&
  Predicate.isNotNullish(cause.payment_intent.last_payment_error)
