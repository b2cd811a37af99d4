import { Cause, Effect, Option } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { parse } from "../../../domain/kernel/Listing.ts"
import { accountOf, receivedCents } from "../../../domain/payments/BankTransfer.ts"
import { listing } from "../../../domain/payments/Charge.ts"
import type { NextStep } from "../../../domain/payments/NextStep.ts"
import type { ChargeSnapshot } from "../../../domain/payments/Snapshot.ts"
import { referenceChoices, referenceOf } from "../../../domain/payments/TransferReference.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import {
  type Account,
  type Charging,
  type PaymentProcessor,
  ProcessorRefused,
  ProcessorUnreachable
} from "../../../ports/payments/PaymentProcessors.ts"
import { type NoticeFacts, type NoticePage, NoticeRefused } from "../../../ports/payments/ProcessorNotices.ts"
import type {
  CreatedCharge,
  Movement,
  ProcessorStatements,
  StatementPage
} from "../../../ports/payments/ProcessorStatements.ts"

/** The processor that live organisations have for bank transfers. money, section 3: Bank transfer. */
export const name = "bank"

/** A bank says nothing by itself: its statements come as files, and are our own books then. */

const noAccount = () =>
  new ProcessorRefused({ code: "no_bank_account", message: "Donors cannot transfer to it: it has no bank account." })

const statusOf = (
  { charge }: Charging,
  received_cents: number
): Extract<ChargeSnapshot["status"], "absent" | "waiting" | "succeeded" | "cancelled"> => {
  if (charge.reference === null) return "absent"
  if (received_cents >= charge.amount_cents) return "succeeded"
  return charge.ending === null ? "waiting" : "cancelled"
}

const snapshotOf = (charging: Charging, received_cents: number): ChargeSnapshot => {
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

  /** Broken machinery says nothing of what happened. */
  const ask = <A, E>(request: Effect.Effect<A, E>): Effect.Effect<A, E | ProcessorUnreachable> =>
    request.pipe(
      // As a cause: what is logged of it holds no values.
      Effect.tapDefect((defect) =>
        Effect.logError("The credits of bank transfers could not be read", Cause.die(defect))
      ),
      Effect.catchDefect(() => Effect.fail(new ProcessorUnreachable({ reason: "internal_error" })))
    )

  const received = ({ charge }: Charging) =>
    Effect.map(credits.ofCharge(charge.organisation_id, charge.id), receivedCents)

  const requireAccount = (integration: Integration) => {
    const account = accountOf(integration)
    return account === null ? Effect.fail(noAccount()) : Effect.succeed(account)
  }

  const requireTransfer = ({ charge: { method } }: Charging) =>
    method === "bank_transfer"
      ? Effect.void
      : new ProcessorRefused({ code: "method_unknown", message: `A bank account takes no ${method}.` })

  /** The first of its references that no other charge of the account has, open or ended: late money must find its own gift. */
  const begin = Effect.fnUntraced(function* (charging: Charging) {
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

  /** What is still to come: a part may have. */
  const nextStep = Effect.fnUntraced(function* (charging: Charging) {
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

  const listCreated: ProcessorStatements["listCreated"] = Effect.fnUntraced(function* (integration, since, page) {
    const asked = [
      ["limit", "100"],
      ["method", "bank_transfer"],
      ["created_at[gte]", since.toString()],
      ...(page === null ? [] : [["starting_after", page]])
    ].map(([field = "", value = ""]) => [field, value] as const)
    const query = Effect.fromResult(parse(listing, asked))
    const found = yield* ask(
      Effect.orDie(Effect.flatMap(query, (parsed) => charges.list(integration.organisation_id, parsed)))
    )
    const data = found.data.flatMap(
      ({ created_at, id, integration_id, reference }): ReadonlyArray<CreatedCharge> =>
        integration_id === integration.id && reference !== null ? [{ reference, charge_id: id, created_at }] : []
    )
    const created: StatementPage<CreatedCharge> = {
      data,
      next: found.has_more ? (found.data.at(-1)?.id ?? null) : null
    }
    return created
  })

  const noNotices: NoticePage = { notices: [], cursor: null, has_more: false }
  const noMovements: StatementPage<Movement> = { data: [], next: null }

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
    listCreated,
    // Its lines are our credits: to hold those against themselves would say nothing.
    movements: () => Effect.succeed(noMovements),
    pageKey: () => Effect.succeedNone
  }
  return bank
})
