import { type DateTime, Effect } from "effect"
import type { Charge } from "../../../domain/payments/Charge.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import type { StatementLine } from "../../../domain/payments/Statement.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { makeChargeNames, type TransferAccount } from "./CreditImport.ts"

const services = Effect.all({ exceptions: PaymentExceptionStore, namesOf: makeChargeNames, tokens: Tokens })

type Services = Effect.Success<typeof services>

const reasonOf = ({ amount_cents, day }: StatementLine): string =>
  `On ${day}, ${-amount_cents} left the account with the reference of this gift, which is paid. Record its refund, or ask the bank.`

/** Opens an exception for a line, unless one was opened; how many were. */
const raise = Effect.fnUntraced(function* (
  { exceptions, tokens }: Services,
  line: StatementLine,
  { currency, id: charge_id, organisation_id }: Charge,
  at: DateTime.Utc
) {
  const reason = reasonOf(line)
  const known = yield* exceptions.ofCharge(organisation_id, charge_id)
  if (known.some((each) => each.kind === "mismatch" && each.reason === reason)) return 0
  const id = yield* tokens.id("paymentException")
  const what = { id, organisation_id, kind: "mismatch", charge_id, subject_id: charge_id, held_cents: 0 } as const
  const amount_cents = -line.amount_cents
  yield* exceptions.insert(PaymentException.openException({ ...what, amount_cents, currency, reason }, at))
  return 1
})

/** Tells a person of money that went with the reference of a paid gift, each line once; how many were told. */
export const makeDebitCheck = Effect.map(services, (services) =>
  Effect.fnUntraced(function* (receiving: TransferAccount, debits: ReadonlyArray<StatementLine>, at: DateTime.Utc) {
    const texts = debits.map(({ text }) => text)
    const namesIn = yield* services.namesOf(receiving, texts)
    let count = 0
    for (const line of debits) {
      const named = namesIn(line.text)
      if (!("charge" in named) || named.charge.status !== "SUCCEEDED") continue
      count += yield* raise(services, line, named.charge, at)
    }
    return count
  })
)
