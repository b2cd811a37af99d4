import { Effect } from "effect"
import { RefundId, TransferAttemptId } from "../../src/domain/kernel/Ids.ts"
import { type PaymentProcessor, ProcessorRefused } from "../../src/ports/payments/PaymentProcessors.ts"
import { freshId } from "../../src/testing/conformance/Records.ts"
import { memory } from "./Adapters.ts"
import { testProcessor } from "./TestProcessorDriver.ts"

const worse = (change: (good: PaymentProcessor) => Partial<PaymentProcessor>) => testProcessor(memory, change)

export const takesAtOnce = worse((good) => ({
  begin: (charging) => Effect.tap(good.begin(charging), () => Effect.ignore(good.confirm(charging, "4242424242424242")))
}))

/** Sends each refund under a new key. */
export const refundsAgain = worse((good) => ({
  refund: (charging, refund) =>
    Effect.flatMap(freshId("refund"), (id) => good.refund(charging, { ...refund, id: RefundId.make(id) }))
}))

/** Says that whatever it does not know did not happen. */
export const silenceRefuses = worse((good) => ({
  confirm: (charging, token) =>
    Effect.mapError(good.confirm(charging, token), () => new ProcessorRefused({ code: "timeout", message: "Timeout" }))
}))

/** Throws at what it cannot read. */
export const throwsAtTokens = worse((good) => ({
  confirm: (charging, token) => (/^[\d -]+$/.test(token) ? good.confirm(charging, token) : Effect.die("no number"))
}))

/** Makes each transfer under a new key. */
export const transfersAgain = worse(({ transfers }) =>
  transfers === undefined
    ? {}
    : {
        transfers: {
          ...transfers,
          transfer: (asked) =>
            Effect.flatMap(freshId("transferAttempt"), (id) =>
              transfers.transfer({ ...asked, id: TransferAttemptId.make(id) })
            )
        }
      }
)

/** Opens another account each time that it is asked. */
export const accountsAgain = worse(({ onboarding }) =>
  onboarding === undefined
    ? {}
    : {
        onboarding: {
          ...onboarding,
          openAccount: () => Effect.map(freshId("integration"), (account_id) => ({ account_id }))
        }
      }
)

/** Says that it has taken back what it leaves where it is. */
export const reversesNothing = worse(({ transfers }) =>
  transfers === undefined
    ? {}
    : { transfers: { ...transfers, reverse: () => Effect.succeed({ reference: "nothing" }) } }
)
