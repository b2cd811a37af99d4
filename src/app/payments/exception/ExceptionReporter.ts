import { type DateTime, Effect } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { actingIn } from "../../access/caller/CallerContext.ts"
import { ChangeLog } from "../../access/change/Change.ts"

const operation = "payment_exceptions.raise"

const reconciler = { type: "SYSTEM", id: "reconciler" } as const

type Matter = Pick<PaymentException.PaymentException, "kind" | "charge_id" | "subject_id" | "amount_cents" | "reason">

/** Whether the exception was opened: it is open still, or it was resolved as it is. */
const isTold =
  ({ kind, reason }: Matter) =>
  (known: PaymentException.PaymentException): boolean =>
    known.kind === kind && (known.status === "OPEN" || known.reason === reason)

/** The reporter of exceptions of an account that hold no money: each is opened once. */
export const makeExceptionReporter = Effect.gen(function* () {
  const exceptions = yield* PaymentExceptionStore
  const integrations = yield* IntegrationStore
  const changeLog = yield* ChangeLog
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const write = Effect.fnUntraced(function* (
    { organisation_id, settlement_currency: currency }: Pick<Integration, "organisation_id" | "settlement_currency">,
    matter: Matter,
    at: DateTime.Utc
  ) {
    const id = yield* tokens.id("paymentException")
    yield* exceptions.insert(
      PaymentException.openException({ ...matter, id, organisation_id, held_cents: 0, currency }, at)
    )
    yield* changeLog.write({ operation, subject_id: id, at, events: [] })
  })

  /** Opens an exception, unless it was opened; whether that was needed. Two runs wait for each other on the account. */
  const raise = Effect.fnUntraced(function* (organisation: Organisation, integration: Integration, matter: Matter) {
    const request_id = yield* tokens.id("request")
    const once = Effect.gen(function* () {
      yield* integrations.findForUpdate(integration.organisation_id, integration.id)
      const known = yield* exceptions.ofSubject(integration.organisation_id, matter.subject_id)
      if (known.some(isTold(matter))) return false
      yield* write(integration, matter, yield* organisationNow)
      return true
    })
    return yield* transaction.run(once).pipe(actingIn(organisation, reconciler, request_id))
  })

  return { raise, write } as const
})
