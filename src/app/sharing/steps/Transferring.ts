import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { TransferAttemptId } from "../../../domain/kernel/Ids.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as TransferAttempt from "../../../domain/sharing/TransferAttempt.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { PaymentProcessors, type ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import type { ProcessorTransfers, Transferring } from "../../../ports/payments/ProcessorTransfers.ts"
import { RecipientAccountStore } from "../../../ports/sharing/RecipientAccountStore.ts"
import { type DueTransfer, TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { actingIn } from "../../access/steps/Acting.ts"
import { Journal } from "../../access/steps/Journal.ts"
import { makeOrganisationTime } from "../../access/steps/OrganisationTime.ts"
import { distributor } from "./RecipientGifts.ts"
import { makeTakenBack } from "./TakenBack.ts"
import { makeTransferOutcome, type Outcome } from "./TransferOutcome.ts"

/** How long an attempt is left to whoever works on it. After a crash it is taken up again then. */
export const lease = Duration.minutes(1)

/** The longest that one attempt may take at its processor. It ends well before the lease. */
export const within = Duration.seconds(45)

const operation = "transfers.settle"

const isTransferId = Schema.is(TransferAttemptId)

type Made = { readonly reference: string }

/** How the processor is asked for an attempt, and whether it was made. */
interface Ask {
  readonly make: Effect.Effect<Made, ProcessorFailure>
  readonly find: Effect.Effect<Option.Option<Made>, ProcessorFailure>
}

/** An attempt, and how the processor is asked for it. */
interface Known {
  readonly organisation: Organisation
  readonly attempt: TransferAttempt.TransferAttempt
  /** Null where the processor cannot bring money on, or is none of this installation any more. */
  readonly ask: Ask | null
}

/** How the processor is asked: for a transfer, or to take back the one that was made before. */
const askOf = (
  transfers: ProcessorTransfers,
  { id }: Pick<TransferAttempt.TransferAttempt, "id">,
  moving: Omit<Transferring, "id">,
  before: Option.Option<TransferAttempt.TransferAttempt>
): Ask | null => {
  if (isTransferId(id)) {
    const transferring = { ...moving, id }
    return { make: transfers.transfer(transferring), find: transfers.fetchTransfer(transferring) }
  }
  const made = Option.getOrNull(before)
  if (made === null || made.reference === null || !isTransferId(made.id)) return null
  const reversing = { ...moving, id, transfer: { id: made.id, reference: made.reference } }
  return { make: transfers.reverse(reversing), find: transfers.fetchReversal(reversing) }
}

/** Makes what has one attempt become what its processor says. It may run twice at once, and be cut off anywhere. */
export const makeTransferring = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const charges = yield* ChargeStore
  const integrations = yield* IntegrationStore
  const journal = yield* Journal
  const links = yield* RecipientAccountStore
  const organisations = yield* OrganisationStore
  const processors = yield* PaymentProcessors
  const record = yield* makeTransferOutcome
  const takenBack = yield* makeTakenBack
  const timeOf = yield* makeOrganisationTime
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const find = Effect.fnUntraced(function* ({ id, organisation_id }: DueTransfer) {
    const attempt = yield* attempts.find(organisation_id, id)
    if (Option.isNone(attempt)) return Option.none()
    const { amount_cents, charge_id, recipient_org_account_link_id, reversed_id } = attempt.value
    const before = reversed_id === null ? Option.none() : yield* attempts.find(organisation_id, reversed_id)
    const organisation = yield* organisations.find(organisation_id)
    const charge = yield* charges.find(organisation_id, charge_id)
    const link = yield* links.find(organisation_id, recipient_org_account_link_id)
    if (Option.isNone(charge) || Option.isNone(link)) return Option.none()
    const integration = yield* integrations.find(organisation_id, charge.value.integration_id)
    const { recipient_integration_id, recipient_organisation_id } = link.value
    const destination = yield* integrations.find(recipient_organisation_id, recipient_integration_id)
    return Option.map(
      Option.all({ organisation, integration, destination }),
      ({ organisation, ...accounts }): Known => {
        const processor = processors.find(accounts.integration.processor)
        const isOne = accounts.destination.processor === accounts.integration.processor
        const transfers = isOne ? (Option.getOrUndefined(processor)?.transfers ?? null) : null
        const moving = { charge: charge.value, amount_cents, ...accounts }
        return {
          organisation,
          attempt: attempt.value,
          ask: transfers === null ? null : askOf(transfers, { id: attempt.value.id }, moving, before)
        }
      }
    )
  })

  const acting = Effect.fnUntraced(function* <A, E, R>(
    { organisation }: Known,
    effect: (request_id: string) => Effect.Effect<A, E, R>
  ) {
    const request_id = yield* tokens.id("request")
    return yield* transaction.run(effect(request_id)).pipe(actingIn(organisation, distributor, request_id))
  })

  /** Looks at it later: it cannot be sent now, or nobody knows what came of it. */
  const postpone = (known: Known) =>
    acting(known, () =>
      Effect.gen(function* () {
        const { id, organisation_id } = known.attempt
        const held = yield* attempts.findForUpdate(organisation_id, id)
        if (Option.isNone(held) || held.value.status !== "NEW") return
        yield* attempts.update(TransferAttempt.postponed(held.value, yield* attempts.now))
      })
    )

  /**
   * Writes that it is sent now; "wait" where it must not be, since a dispute of its charge is open, and why it is needed no
   * more where it is not. Whoever writes disputes holds the charge, too.
   */
  const allow = (known: Known) =>
    acting(known, () =>
      Effect.gen(function* () {
        const { charge_id, id, organisation_id } = known.attempt
        const { isChargedBack, isDisputed } = yield* takenBack(organisation_id, charge_id)
        const held = yield* attempts.findForUpdate(organisation_id, id)
        if (isDisputed || Option.isNone(held) || held.value.status !== "NEW") return "wait" as const
        const needless = TransferAttempt.needlessBy(held.value, isChargedBack)
        if (needless !== null) return needless
        if (held.value.sent_at !== null) return "send" as const
        const at = yield* DateTime.now
        const decided = decide(TransferAttempt.machine, held.value, { _tag: "Send", at })
        const { state } = yield* Effect.orDie(Effect.fromResult(decided))
        yield* attempts.update(state)
        yield* journal.write({ operation: "transfers.send", subject_id: id, at, events: [] })
        return "send" as const
      })
    )

  const write = (known: Known, outcomeAt: (at: DateTime.Utc) => Outcome) =>
    acting(known, (request_id) =>
      Effect.flatMap(DateTime.now, (at) => record(known.attempt, outcomeAt(at), { at, operation, request_id }))
    )

  const succeeded = (known: Known, reference: string) => write(known, (at) => ({ _tag: "Succeed", at, reference }))

  const ended = (known: Known, failure_code: string) => write(known, (at) => ({ _tag: "Refuse", at, failure_code }))

  /** What was not heard of stays as it is: it fails by a refusal alone. */
  const failed = (known: Known, failure: ProcessorFailure) =>
    failure._tag === "ProcessorRefused" ? ended(known, failure.code) : postpone(known)

  const send = Effect.fnUntraced(function* (known: Known, ask: Ask) {
    const allowed = yield* allow(known)
    if (allowed === "wait") return yield* postpone(known)
    if (allowed !== "send") return yield* ended(known, allowed)
    const answer = yield* Effect.result(ask.make)
    return yield* Result.isSuccess(answer) ? succeeded(known, answer.success.reference) : failed(known, answer.failure)
  })

  /** What was sent before may have happened: it is looked for first. */
  const look = Effect.fnUntraced(function* (known: Known, ask: Ask) {
    const answer = yield* Effect.result(ask.find)
    // A processor that refuses to tell is as one that was not reached.
    if (Result.isFailure(answer)) return yield* postpone(known)
    return yield* Option.isSome(answer.success) ? succeeded(known, answer.success.value.reference) : send(known, ask)
  })

  const takeUp = Effect.fnUntraced(function* (due: DueTransfer) {
    const found = yield* find(due)
    if (Option.isNone(found) || found.value.attempt.status !== "NEW") return
    const { ask, attempt } = found.value
    if (ask === null) return yield* postpone(found.value)
    return yield* attempt.sent_at === null ? send(found.value, ask) : look(found.value, ask)
  })

  /** Takes up an attempt. Dies where the store is away, and may then be called again. */
  return (due: DueTransfer): Effect.Effect<void> => timeOf(due.organisation_id)(takeUp(due))
})
