import { Cause, Data, Effect, Option } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { ChargeId } from "../../../domain/kernel/Ids.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import type { Reconciliation, ReconciliationReport } from "../../../domain/payments/Reconciliation.ts"
import { loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import type { PaymentProcessor, ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import { Reactions } from "../../kernel/reaction/Reactions.ts"
import { makeChargeSync } from "../charge/ChargeSync.ts"
import { syncTimeout } from "../charge/ChargeWriter.ts"
import { makeExceptionReporter } from "../exception/ExceptionReporter.ts"

/** Somebody else has the account by now: what was done stays done. */
export class AccountTaken extends Data.TaggedError("Overtaken") {}

/** One account while it is reconciled. */
export interface AccountRun {
  readonly organisation: Organisation
  readonly integration: Integration
  readonly processor: PaymentProcessor
  /** Waits until the next request may go out. */
  readonly pace: Effect.Effect<void>
  readonly count: (what: keyof ReconciliationReport, more: number) => void
  /** How far it was reconciled, as it is kept. */
  readonly reached: () => Reconciliation
  /** Records the progress of the reconciliation, and extends its lease. */
  readonly keep: (more: Partial<Reconciliation>) => Effect.Effect<void, AccountTaken>
}

/** How a part of it fails. */
export type AccountRunFailure = ProcessorFailure | AccountTaken

/** Repairs charges, and opens exceptions for those that cannot be repaired. */
export const makeChargeRepair = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const { ofId: syncCharge } = yield* makeChargeSync
  const { raise } = yield* makeExceptionReporter
  const { transfersDoubted } = yield* Reactions

  /** The transfers of a charge that pays a set may differ as well. */
  const doubted = (charge: Option.Option<Charge>) =>
    Option.exists(charge, ({ purpose }) => purpose === "payment")
      ? transfersDoubted(Option.getOrThrow(charge))
      : Effect.void

  /** Makes a charge, and its transfers, agree with its processor. One that breaks stops no other. */
  const look = Effect.fnUntraced(function* (
    { count, organisation: { id: organisation_id }, pace }: AccountRun,
    id: ChargeId
  ) {
    yield* pace
    const before = yield* charges.find(organisation_id, id)
    yield* Effect.catchCause(
      Effect.asVoid(
        Effect.timeoutOption(Effect.andThen(syncCharge(organisation_id, id), doubted(before)), syncTimeout)
      ),
      (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.logError(`The charge ${id} could not be made to agree with its processor`, loggedCause(cause))
    )
    const after = yield* charges.find(organisation_id, id)
    count("charges_looked_at", 1)
    const hasChanged = Option.exists(
      Option.all({ before, after }),
      (both) =>
        both.after.looks === 0 || both.after.updated_at.epochMilliseconds !== both.before.updated_at.epochMilliseconds
    )
    if (hasChanged) count("charges_repaired", 1)
  })

  /** Whether processors list and state a charge. What donors transfer is on a bank's statement, which our credits are. */
  const isStated = ({ organisation }: AccountRun, id: ChargeId) =>
    Effect.map(
      charges.find(organisation.id, id),
      (charge) => !Option.exists(charge, ({ method }) => method === "bank_transfer")
    )

  /** Opens an exception once for a charge that differs from the processor's. */
  const tell = Effect.fnUntraced(function* (
    { count, integration, organisation }: AccountRun,
    matter: {
      readonly charge_id: ChargeId | null
      readonly subject_id: string
      readonly amount_cents: number
      readonly reason: string
    }
  ) {
    if (!(yield* raise(organisation, integration, { ...matter, kind: "mismatch" }))) return
    count("exceptions_raised", 1)
    yield* Effect.logWarning(`Somebody must look at ${matter.subject_id} of the account ${integration.id}`)
  })

  return { isStated, look, tell } as const
})
