import { type DateTime, Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { ChargeId, CreditId } from "../../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { lastDayOf, matchCredit, receivedCents } from "../../../domain/payments/BankTransfer.ts"
import { type Charge, unpaid } from "../../../domain/payments/Charge.ts"
import type { Credit } from "../../../domain/payments/Credit.ts"
import type { Resolution } from "../../../domain/payments/ExceptionResolution.ts"
import type { PaymentException } from "../../../domain/payments/PaymentException.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { makeCreditPayment } from "./CreditImport.ts"
import { makeGiftsAnew } from "./GiftsAnew.ts"

const readCredit = Schema.decodeUnknownOption(CreditId)
const readCharge = Schema.decodeUnknownOption(ChargeId)

/** The payments to a bank account whose money an exception holds. */
export const makeHeldCredits = Effect.map(CreditStore, (credits) =>
  Effect.fnUntraced(function* ({ charge_id, kind, organisation_id, subject_id }: PaymentException) {
    const credit = readCredit(subject_id)
    if (Option.isSome(credit)) return Option.toArray(yield* credits.find(organisation_id, credit.value))
    return kind === "underpaid" && charge_id !== null ? yield* credits.ofCharge(organisation_id, charge_id) : []
  })
)

/** Payments to a bank account, locked in one order, and as they are then. Whoever locks them has locked their charges before. */
export const lockCredits = Effect.fnUntraced(function* (
  credits: CreditStore["Service"],
  payments: ReadonlyArray<Credit>
) {
  const locked = new Map<string, Credit>()
  for (const { id, organisation_id } of payments.toSorted((a, b) => compareCodePoints(a.id, b.id))) {
    const found = yield* credits.findForUpdate(organisation_id, id)
    if (Option.isSome(found)) locked.set(id, found.value)
  }
  return payments.flatMap(({ id }) => locked.get(id) ?? [])
})

const services = Effect.all({
  anew: makeGiftsAnew,
  charges: ChargeStore,
  credits: CreditStore,
  heldCredits: makeHeldCredits,
  pay: makeCreditPayment,
  tokens: Tokens
})

type Services = Effect.Success<typeof services>

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

/** A charge that is locked, what came for it, and how much of the held money is for it. */
interface Part {
  readonly charge: Charge
  readonly received_cents: number
  readonly amount_cents: number
}

/** The charges that are named, locked in the order in which imports lock them. */
const lockedOf = Effect.fnUntraced(function* (
  { anew, charges, credits }: Services,
  organisation: Organisation,
  ids: ReadonlyArray<string>,
  occasion: { readonly operation: string; readonly at: DateTime.Utc }
) {
  const held = new Map<string, Omit<Part, "amount_cents">>()
  for (const given of ids.toSorted(compareCodePoints)) {
    const id = readCharge(given)
    const found = Option.isNone(id) ? Option.none() : yield* charges.findForUpdate(organisation.id, id.value)
    if (Option.isNone(found) || found.value.method !== "bank_transfer") {
      return yield* invalid("charge_ids", "charge_ids must be those of bank transfers of this organisation.")
    }
    const charge = holds(unpaid, found.value) ? yield* anew(organisation, found.value, occasion) : found.value
    held.set(given, { charge, received_cents: receivedCents(yield* credits.ofCharge(organisation.id, charge.id)) })
  }
  if (new Set(Array.from(held.values(), ({ charge }) => charge.id)).size < held.size) {
    return yield* invalid("charge_ids", "charge_ids must be of different gifts: one was given anew as another.")
  }
  return ids.flatMap((id) => held.get(id) ?? [])
})

/** How much is for each charge: what is said, all for one charge, or what each still waits for. */
const partsOf = Effect.fnUntraced(function* (
  held_cents: number,
  locked: ReadonlyArray<Omit<Part, "amount_cents">>,
  given: ReadonlyArray<number> | null
) {
  const waited = locked.map(({ charge, received_cents }) => Math.max(0, charge.amount_cents - received_cents))
  const amounts = given ?? (locked.length === 1 ? [held_cents] : waited)
  const sum = amounts.reduce((total, each) => total + each, 0)
  if (amounts.length !== locked.length || sum !== held_cents) {
    const message = `amounts_cents must be one for each charge, ${held_cents} together, which are held: they wait for ${waited.join(", ")}.`
    return yield* invalid("amounts_cents", message)
  }
  return locked.map((each, index): Part => ({ ...each, amount_cents: amounts[index] ?? 0 }))
})

/** The credit that a charge has of a payment: the payment itself, or a part of it. */
const partOf = Effect.fnUntraced(function* (
  { credits, tokens }: Services,
  credit: Credit,
  amount_cents: number,
  at: DateTime.Utc
) {
  if (credit.amount_cents === amount_cents) return credit
  const id = yield* tokens.id("credit")
  const none = { bank_id: null, balance_cents: null, import_id: null, charge_id: null, reference: null }
  const part: Credit = {
    ...credit,
    ...none,
    id,
    amount_cents,
    digest: id,
    number: 1,
    part_of: credit.id,
    created_at: at
  }
  yield* credits.add(credit.organisation_id, [part])
  return part
})

/** Has a payment, or so much of it, pay a charge, as a line that names it: but a person knows that it is in time. */
const assign = Effect.fnUntraced(function* (
  services: Services,
  { timezone }: Organisation,
  credit: Credit,
  { amount_cents, charge, received_cents }: Part,
  at: DateTime.Utc
) {
  const { currency, day } = credit
  const last = lastDayOf(charge, timezone)
  const isLate = day > last
  const line = { amount_cents, currency, day: isLate ? last : day }
  const what = matchCredit(line, charge, received_cents, timezone)
  if (!what.counts) {
    const message = `charge_ids must wait for money, as ${charge.id} does not. ${what.raised?.reason}`
    return yield* invalid("charge_ids", message)
  }
  return yield* services.pay(yield* partOf(services, credit, amount_cents, at), charge, what, at)
})

/**
 * Has money that an exception holds pay charges, by the rules of a line that names them, in the surrounding transaction: the
 * ledger has it as unmatched again. Fails with {@link InvalidInput} where it is no payment to a bank account, or a charge does not
 * wait for it.
 */
export const makeCreditAssignment = Effect.map(services, (services) =>
  Effect.fnUntraced(function* (
    operation: string,
    organisation: Organisation,
    exception: PaymentException,
    { amounts_cents, charge_ids }: Resolution,
    at: DateTime.Utc
  ) {
    const held = yield* services.heldCredits(exception)
    const isSeveral = held.length > 1 && (charge_ids?.length !== 1 || receivedCents(held) !== exception.held_cents)
    if (held.length === 0 || isSeveral || exception.held_cents === 0) {
      const message = "charge_ids must not be given: it holds no single payment to a bank account."
      return yield* invalid("charge_ids", message)
    }
    const locked = yield* lockedOf(services, organisation, charge_ids ?? [], { operation, at })
    const payments = yield* lockCredits(services.credits, held)
    for (const part of yield* partsOf(exception.held_cents, locked, amounts_cents ?? null)) {
      let { received_cents } = part
      for (const each of payments) {
        const amount_cents = payments.length === 1 ? part.amount_cents : each.amount_cents
        yield* assign(services, organisation, each, { ...part, received_cents, amount_cents }, at)
        received_cents += amount_cents
      }
    }
  })
)
