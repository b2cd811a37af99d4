import { Effect, Option } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { orLogged } from "../../ports/kernel/LoggedCause.ts"
import { type DueTransfer, TransferAttemptStore } from "../../ports/sharing/TransferAttemptStore.ts"
import { Service } from "../kernel/service/Service.ts"
import { makeClaimLoop, untilDue, workThroughOutages } from "../kernel/worker/ClaimLoop.ts"
import { lease, makeTransferSync, within } from "./transfer/TransferSync.ts"

/** Attempts that are leased with one claim, and taken up side by side. */
const batch = 8

/**
 * Brings the parts of payments to their recipients: claims the attempts that are due, sends each, and writes its
 * outcome. Any number of processes may run one over the same store, and a crash leaves an attempt due again. money,
 * section 6.
 */
export class Distributor extends Service<Distributor>()("almoner/app/Distributor", function* () {
  const attempts = yield* TransferAttemptStore
  const transferring = yield* makeTransferSync

  /** One that breaks is due again after its lease, and stops no other. */
  const safely = (due: DueTransfer): Effect.Effect<void> =>
    orLogged(
      Effect.asVoid(Effect.timeoutOption(transferring(due), within)),
      `The transfer ${due.id} broke off; it is taken up again in a minute`
    )

  /** Claims attempts and takes up some side by side, until none is due; of one organisation, where it is asked for. */
  const distributeAll = makeClaimLoop("transfer", (only) => attempts.claim(batch, lease, only), safely)

  /**
   * Takes up every attempt that is due, and answers how many that were. For hosts with a job runner of their own, in place of
   * {@link run}. Dies when the store is away, and may then be called again.
   */
  const distributeDue: Effect.Effect<number> = distributeAll()

  /** As {@link distributeDue}, of one organisation alone. */
  const distributeDueOf: (organisation_id: OrganisationId) => Effect.Effect<number> = distributeAll

  const untilNext = untilDue(Effect.map(attempts.nextDue, Option.toArray), attempts.wait)

  /** Distributes for as long as it is not interrupted; to be forked in a scope. It outlives any outage of the store. */
  const run = workThroughOutages("The store of transfers", Effect.andThen(distributeDue, untilNext))

  return { run, distributeDue, distributeDueOf } as const
}) {}
