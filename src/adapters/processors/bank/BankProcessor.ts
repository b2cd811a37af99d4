import { Effect, Option } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { accountOf, receivedCents } from "../../../domain/payments/BankTransfer.ts"
import type { NextStep } from "../../../domain/payments/NextStep.ts"
import type { ChargeSnapshot } from "../../../domain/payments/Snapshot.ts"
import { referenceChoices, referenceOf } from "../../../domain/payments/TransferReference.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import {
  type Account,
  type ChargeContext,
  type PaymentProcessor,
  ProcessorRefused,
  ProcessorUnreachable
} from "../../../ports/payments/PaymentProcessors.ts"
import { type NoticeFacts, type NoticePage, NoticeRefused } from "../../../ports/payments/ProcessorNotices.ts"
import type { StatementPage } from "../../../ports/payments/ProcessorStatements.ts"
import { guardDefects } from "../DefectGuard.ts"

/** The processor that live organisations have for bank transfers. money, section 3: Bank transfer. */
export const name = "bank"

const noAccount = () =>
  new ProcessorRefused({ code: "no_bank_account", message: "Donors cannot transfer to it: it has no bank account." })

const statusOf = (
  { charge }: ChargeContext,
  received_cents: number
): Extract<ChargeSnapshot["status"], "absent" | "waiting" | "succeeded" | "cancelled"> => {
  if (charge.reference === null) return "absent"
  if (received_cents >= charge.amount_cents) return "succeeded"
  return charge.ending === null ? "waiting" : "cancelled"
}

const snapshotOf = (charging: ChargeContext, received_cents: number): ChargeSnapshot => {
  const { amount_cents, currency, reference } = charging.charge
  const status = statusOf(charging, received_cents)
  return {
    status,
    reference,
    amount_cents,
    currency,
    fee_cents: status === "succeeded" ? 0 : null,
    failure_code: null,
    refunds: [],
    disputes: []
  }
}

/**
 * Bank transfers: donors push their money to the organisation's account, and what is known of a charge there are the credits
 * that named its reference. Nothing is sent anywhere, so there is nothing to confirm, and nothing is paid back.
 */
export const makeBank = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const credits = yield* CreditStore

  const ask = guardDefects("The incoming bank payments could not be read")

  const received = ({ charge }: ChargeContext) =>
    Effect.map(credits.ofCharge(charge.organisation_id, charge.id), receivedCents)

  const requireAccount = (integration: Integration) => {
    const account = accountOf(integration)
    return account === null ? Effect.fail(noAccount()) : Effect.succeed(account)
  }

  const requireTransfer = ({ charge: { method } }: ChargeContext) =>
    method === "bank_transfer"
      ? Effect.void
      : new ProcessorRefused({ code: "method_unknown", message: `A bank account takes no ${method}.` })

  /** The first of its references that no other charge of the account has, open or ended: late money must find its own gift. */
  const begin = Effect.fnUntraced(function* (charging: ChargeContext) {
    const { charge, integration } = charging
    yield* requireTransfer(charging)
    yield* requireAccount(integration)
    if (charge.reference !== null) return { reference: charge.reference }
    for (let choice = 0; choice < referenceChoices; choice += 1) {
      const reference = referenceOf(charge.id, choice)
      const holder = yield* charges.ofReference(integration.id, reference)
      if (Option.isNone(holder) || holder.value.id === charge.id) return { reference }
    }
    return yield* new ProcessorUnreachable({ reason: "references_taken" })
  })

  /** The next step while money is still to come: a part may have. */
  const nextStep = Effect.fnUntraced(function* (charging: ChargeContext) {
    const { charge, integration } = charging
    const account = yield* requireAccount(integration)
    const amount_cents = charge.amount_cents - (yield* received(charging))
    const { currency, reference } = charge
    const step: Option.Option<NextStep> =
      reference === null || charge.ending !== null || amount_cents <= 0
        ? Option.none()
        : Option.some({ _tag: "BankTransfer", ...account, reference, amount_cents, currency })
    return step
  })

  const fetchAccount = (integration: Integration) =>
    Effect.map(requireAccount(integration), (): Account => {
      return { charges_enabled: true, currency: integration.settlement_currency }
    })

  const noNotices: NoticePage = { notices: [], cursor: null, has_more: false }
  // Its lines are our credits: to hold those against themselves would say nothing.
  const noStatement: StatementPage<never> = { data: [], next: null }

  const bank: PaymentProcessor = {
    capabilities: { methods: ["bank_transfer"], refunds: false, confirms: false, statements: false },
    begin: (charging) => ask(begin(charging)),
    confirm: () => Effect.void,
    // That it is ending is written already, and nobody else keeps it.
    cancel: () => Effect.void,
    fetchCharge: (charging) => ask(Effect.map(received(charging), (cents) => snapshotOf(charging, cents))),
    nextStep: (charging) => ask(nextStep(charging)),
    refund: () =>
      Effect.fail(
        new ProcessorRefused({
          code: "refunds_by_hand",
          message: "Transfer it back at the bank, and settle the refund."
        })
      ),
    fetchAccount,
    verifyNotice: (): Effect.Effect<NoticeFacts, NoticeRefused> => Effect.fail(new NoticeRefused()),
    noticesSince: () => Effect.succeed(noNotices),
    listCreated: () => Effect.succeed(noStatement),
    movements: () => Effect.succeed(noStatement),
    pageKey: () => Effect.succeedNone
  }
  return bank
})
