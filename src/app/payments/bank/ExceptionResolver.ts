import { type DateTime, Effect } from "effect"
import type { Caller } from "../../../domain/access/Caller.ts"
import type { PaymentExceptionId } from "../../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { receivedCents } from "../../../domain/payments/BankTransfer.ts"
import { type Resolution, releasePostings } from "../../../domain/payments/ExceptionResolution.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { keptIn, makeChange } from "../../access/change/Change.ts"
import { makeLedgerWriter } from "../ledger/LedgerWriter.ts"
import { lockCredits, makeCreditAssignment, makeHeldCredits } from "./CreditAssignment.ts"
import { makeCreditGifts } from "./CreditGifts.ts"

const services = Effect.gen(function* () {
  const exceptions = yield* PaymentExceptionStore
  const change = (yield* makeChange)({ machine: PaymentException.machine, ...keptIn("payment exception", exceptions) })
  return {
    change,
    credits: yield* CreditStore,
    assign: yield* makeCreditAssignment,
    bookGift: yield* makeCreditGifts,
    tokens: yield* Tokens,
    heldCredits: yield* makeHeldCredits,
    writeLedger: yield* makeLedgerWriter
  }
})

type Services = Effect.Success<typeof services>

/** Voids the payments that never came: they pay nothing any more, and a file that has them brings them anew. */
const voidHeld = Effect.fnUntraced(function* (
  services: Services,
  exception: PaymentException.PaymentException,
  at: DateTime.Utc
) {
  const held = yield* services.heldCredits(exception)
  if (exception.held_cents === 0 || receivedCents(held) !== exception.held_cents) {
    const message =
      "money must not be never_came: it holds no whole payment to a bank account. Where a gift was paid by it, refund the gift."
    return yield* new InvalidInput({ param: "money", message })
  }
  for (const credit of yield* lockCredits(services.credits, held)) {
    yield* services.credits.update({ ...credit, charge_id: null, voided_at: at })
  }
})

/**
 * Resolves exceptions on a caller's behalf, in the surrounding transaction: books what became of the money that each held. Fails
 * with {@link InvalidInput} where the resolution does not fit, and with {@link IllegalTransition} for one that is resolved.
 */
export const makeExceptionResolver = Effect.map(services, (services) =>
  Effect.fnUntraced(function* (
    operation: string,
    { actor, organisation }: Caller,
    id: PaymentExceptionId,
    input: Resolution
  ) {
    const held = yield* services.change.take(organisation, id)
    const { at, before } = held
    const by = `${actor.type} ${actor.id}`
    const donation_id = input.as_gift === true ? yield* services.tokens.id("donation") : null
    const { state } = yield* services.change.settle(operation, held, [
      { _tag: "Resolve", at, note: input.note, by, donation_id }
    ])
    const postings = yield* Effect.fromResult(releasePostings(before, input))
    if (donation_id !== null) yield* services.bookGift(operation, organisation, before, { ...input, donation_id }, at)
    if (input.money === "never_came") yield* voidHeld(services, before, at)
    yield* services.writeLedger(before, [{ cause: "exception", cause_id: id, postings }], at)
    if (input.charge_ids != null) yield* services.assign(operation, organisation, before, input, at)
    return state
  })
)
