import { type DateTime, Effect, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { standardAccount, type TestCharge } from "../../../domain/payments/TestCharge.ts"
import { reverseTransfer, transferMoney } from "../../../domain/payments/TestTransfers.ts"
import {
  type ChargeContext,
  type ProcessorFailure,
  ProcessorRefused
} from "../../../ports/payments/PaymentProcessors.ts"
import type {
  MadeTransfer,
  ProcessorTransfers,
  ReversalContext,
  TransferContext
} from "../../../ports/payments/ProcessorTransfers.ts"
import type { TestBank } from "../../../ports/payments/TestBank.ts"

/** A charge of the bank's that is held, as it is kept and as it stands now. */
interface Held {
  readonly held: TestCharge
  readonly charge: TestCharge
  readonly now: DateTime.Utc
}

/** How the bank is asked for the account of an integration, and how its charges are found and held. */
interface Asking {
  readonly ask: <A>(
    integration: Integration,
    request: Effect.Effect<A, ProcessorRefused>
  ) => Effect.Effect<A, ProcessorFailure>
  readonly made: (charging: ChargeContext) => Effect.Effect<Option.Option<TestCharge>>
  readonly hold: (charging: ChargeContext) => Effect.Effect<Held, ProcessorRefused>
}

/** The transfers of the simulated bank: each is kept with the charge whose money it is. */
export const transfersOf = (
  bank: TestBank["Service"],
  { ask, hold, made }: Asking,
  write: (before: TestCharge, after: TestCharge) => Effect.Effect<void>
): ProcessorTransfers => {
  const accountOf = ({ id, organisation_id }: Integration) =>
    Effect.map(
      bank.account(organisation_id, id),
      Option.getOrElse(() => standardAccount(organisation_id, id))
    )

  const transfer = Effect.fnUntraced(function* ({ amount_cents, destination, id, ...charging }: TransferContext) {
    const { charge, held, now } = yield* hold(charging)
    const asked = { transfer_id: id, destination: destination.id, amount_cents }
    const moved = transferMoney(charge, asked, yield* accountOf(destination), now)
    const { charge: after, transfer: made } = yield* Effect.fromResult(
      Result.mapError(moved, ({ code, message }) => new ProcessorRefused({ code, message }))
    )
    yield* write(held, after)
    return { reference: made.reference }
  })

  const fetch = ({ id, ...charging }: TransferContext) =>
    Effect.map(
      made(charging),
      Option.flatMap(({ transfers }) =>
        Option.map(
          Option.fromNullishOr(transfers.find(({ transfer_id }) => transfer_id === id)),
          ({ reference, reversal }): MadeTransfer => ({
            reference,
            reversal: reversal === undefined ? null : { reference: reversal.reference }
          })
        )
      )
    )

  const reverse = Effect.fnUntraced(function* ({ destination, id, transfer, ...charging }: ReversalContext) {
    const { charge, held, now } = yield* hold(charging)
    const asked = { reversal_id: id, transfer_id: transfer.id }
    const moved = reverseTransfer(charge, asked, yield* accountOf(destination), now)
    const { charge: after, reference } = yield* Effect.fromResult(
      Result.mapError(moved, ({ code, message }) => new ProcessorRefused({ code, message }))
    )
    yield* write(held, after)
    return { reference }
  })

  const fetchReversal = ({ id, ...charging }: ReversalContext) =>
    Effect.map(
      made(charging),
      Option.flatMap(({ transfers }) => {
        const found = transfers.find(({ reversal }) => reversal?.reversal_id === id)?.reversal
        return Option.map(Option.fromNullishOr(found), ({ reference }) => ({ reference }))
      })
    )

  return {
    reverse: (reversing) => ask(reversing.integration, reverse(reversing)),
    fetchReversal: (reversing) => ask(reversing.integration, fetchReversal(reversing)),
    transfer: (transferring) => ask(transferring.integration, transfer(transferring)),
    fetchTransfer: (transferring) => ask(transferring.integration, fetch(transferring))
  }
}
