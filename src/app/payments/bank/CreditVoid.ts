import { type DateTime, Effect, Option } from "effect"
import type { Caller } from "../../../domain/access/Caller.ts"
import type { CreditId } from "../../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { receivedCents } from "../../../domain/payments/BankTransfer.ts"
import type { Credit } from "../../../domain/payments/Credit.ts"
import { posting } from "../../../domain/payments/Ledger.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { makeLedgerWriter } from "../ledger/LedgerWriter.ts"
import { makeExceptionResolver } from "./ExceptionResolver.ts"

const services = Effect.all({
  changeLog: ChangeLog,
  charges: ChargeStore,
  credits: CreditStore,
  exceptions: PaymentExceptionStore,
  resolve: makeExceptionResolver,
  writeLedger: makeLedgerWriter
})

type Services = Effect.Success<typeof services>

/** Who voids, by which operation, when and why. */
interface Voiding {
  readonly operation: string
  readonly caller: Caller
  readonly note: string
  readonly at: DateTime.Utc
}

const refused = (message: string) => new InvalidInput({ param: "id", message })

/** Voids a payment that waits with others until its gift is paid. */
const voidWaiting = Effect.fnUntraced(function* (
  { changeLog, charges, credits, writeLedger }: Services,
  credit: Credit,
  charge_id: NonNullable<Credit["charge_id"]>,
  { at, operation }: Voiding
) {
  const { amount_cents, id, organisation_id } = credit
  const found = yield* charges.findForUpdate(organisation_id, charge_id)
  // Whoever decides about the payment at the same moment holds its charge, too.
  const held = Option.filter(
    yield* credits.findForUpdate(organisation_id, id),
    (each) => each.charge_id === charge_id && each.voided_at === null
  )
  if (Option.isNone(held)) {
    return yield* refused(`id must be that of a payment about which nobody has decided: somebody just did of ${id}.`)
  }
  const received = receivedCents(yield* credits.ofCharge(organisation_id, charge_id))
  if (Option.isNone(found) || found.value.status !== "WAITING" || received >= found.value.amount_cents) {
    return yield* refused(
      `id must be that of a payment that pays nothing yet: ${id} pays ${charge_id}. Refund its gift.`
    )
  }
  yield* credits.update({ ...held.value, charge_id: null, voided_at: at })
  const postings = posting("unmatched", "bank", amount_cents)
  yield* writeLedger(credit, [{ cause: "credit", cause_id: id, postings }], at)
  yield* changeLog.write({ operation, subject_id: id, at, events: [] })
})

/** Voids a payment, so that the bank's account is the bank's again; fails where it pays a gift, or was decided about. */
const voidCredit = Effect.fnUntraced(function* (services: Services, credit: Credit, voiding: Voiding) {
  const { charge_id, id, organisation_id, part_of, voided_at } = credit
  if (part_of !== null) return yield* refused(`id must be that of a whole payment: ${id} is a part of ${part_of}.`)
  if (voided_at !== null) return yield* refused(`id must be that of a payment that is not voided: ${id} is.`)
  if (charge_id !== null) return yield* voidWaiting(services, credit, charge_id, voiding)
  const told = yield* services.exceptions.ofSubject(organisation_id, id)
  const open = told.find(({ status }) => status === "OPEN")
  if (open === undefined) {
    const decided = told.map((each) => each.id).join(", ")
    return yield* refused(
      `id must be that of a payment about which nobody has decided: ${id} was decided by ${decided}.`
    )
  }
  yield* services.resolve(voiding.operation, voiding.caller, open.id, { note: voiding.note, money: "never_came" })
})

/** Voids payments, in the surrounding transaction: all of them or none. */
export const makeCreditVoid = Effect.map(services, (services) =>
  Effect.fnUntraced(function* (ids: ReadonlyArray<CreditId>, voiding: Voiding) {
    for (const id of ids) {
      const found = yield* services.credits.find(voiding.caller.organisation.id, id)
      if (Option.isSome(found)) yield* voidCredit(services, found.value, voiding)
    }
  })
)
