import { Effect, Option, Result } from "effect"
import { finalCodes } from "../../domain/sharing/TransferAttempt.ts"
import type { ProcessorFailure } from "../../ports/payments/PaymentProcessors.ts"
import type { ProcessorTransfers, ReversalContext, TransferContext } from "../../ports/payments/ProcessorTransfers.ts"
import { assert } from "./Assert.ts"
import { atOnce, isNow, newCharging, paidWith } from "./ProcessorCases.ts"
import { type ProcessorDriver, ProcessorUnderTest } from "./ProcessorDriver.ts"
import { freshId } from "./Records.ts"
import { type Body, type Check, lawsOn, none, type Step, same } from "./Suite.ts"

const { must } = lawsOn(ProcessorUnderTest)

/** The part of each charge that goes on, minor units: less than its fee leaves. */
const part = 2_000

type Asking = Omit<TransferContext, "id">

/** A payment that is there, and an account to which a part of it is to go. */
const payment = Effect.fnUntraced(function* (driver: ProcessorDriver) {
  const { charge, integration } = yield* newCharging(driver, "card")
  const shared = { integration, charge: { ...charge, purpose: "payment" } } as const
  const charging = yield* paidWith(driver, shared, driver.tokens.card?.succeeds ?? "")
  yield* isNow(driver.processor, charging, "succeeded")
  const asking: Asking = { ...charging, destination: yield* driver.account, amount_cents: part }
  return asking
})

/** A check of a payment, where the processor brings money on. */
const whereItShares = <S extends Step>(
  name: string,
  sentences: ReadonlyArray<string>,
  body: Body<[driver: ProcessorDriver, transfers: ProcessorTransfers, asking: Asking], S>
) =>
  must(name, sentences, function* (driver) {
    const { transfers } = driver.processor
    if (driver.withoutTransfers === true || transfers === undefined) return
    const asking = yield* payment(driver)
    yield* Effect.gen(() => body(driver, transfers, asking))
  })

/** Minor units of the charge that are at other accounts; what the driver cannot see is passed over. */
const isAway = ({ sharedOut }: ProcessorDriver, asking: Asking, expected: number) =>
  sharedOut === undefined ? Effect.void : Effect.map(sharedOut(asking), (cents) => assert.strictEqual(cents, expected))

const codeOf = <A>(asked: Effect.Effect<A, ProcessorFailure>) =>
  Effect.map(Effect.result(asked), (answer) => {
    const failure = Result.isFailure(answer) ? answer.failure : null
    return failure?._tag === "ProcessorRefused" ? failure.code : assert.isTrue(false, "it was not refused")
  })

/** A transfer that was made, and how it is taken back. */
const made = Effect.fnUntraced(function* (transfers: ProcessorTransfers, asking: Asking) {
  const transferring: TransferContext = { ...asking, id: yield* freshId("transferAttempt") }
  const { reference } = yield* transfers.transfer(transferring)
  const reversing: ReversalContext = {
    ...asking,
    id: yield* freshId("reversal"),
    transfer: { id: transferring.id, reference }
  }
  return { transferring, reversing, reference }
})

const isFinal = (code: unknown): boolean => finalCodes.some((each) => each === code)

/** Checks that a refusal says whether the other account will ever take money. */
const refusals = Effect.fnUntraced(function* (
  { refuseTransfers }: ProcessorDriver,
  { destination }: Asking,
  asked: Effect.Effect<unknown, ProcessorFailure>
) {
  if (refuseTransfers === undefined) return
  yield* refuseTransfers(destination, "now")
  assert.isFalse(isFinal(yield* codeOf(asked)), "one that may take money some day")
  yield* refuseTransfers(destination, "forever")
  assert.isTrue(isFinal(yield* codeOf(asked)), "one that never will")
})

/** The checks of processors that bring money on to other accounts; the others have nothing to prove. */
export const processorTransfers: ReadonlyArray<Check<ProcessorUnderTest>> = [
  whereItShares(
    "a part of a payment goes on once for each attempt, at the same moment, later, and when its key is forgotten",
    ["ProcessorTransfers.transfer MUST move it once, however often it is asked for the same attempt."],

    function* (driver, transfers, asking) {
      const transferring: TransferContext = { ...asking, id: yield* freshId("transferAttempt") }
      none(yield* transfers.fetchTransfer(transferring))
      yield* Effect.asVoid(atOnce(Effect.result(transfers.transfer(transferring))))
      yield* isAway(driver, asking, part)
      const found = Option.map(yield* transfers.fetchTransfer(transferring), ({ reference }) => ({ reference }))
      yield* driver.forgetKeys(asking)
      same(yield* Effect.option(transfers.transfer(transferring)), found)
      yield* isAway(driver, asking, part)
      yield* transfers.transfer({ ...asking, id: yield* freshId("transferAttempt") })
      yield* isAway(driver, asking, 2 * part)
    }
  ),

  whereItShares(
    "a transfer that is refused moves nothing, and says whether the account will ever take money",
    ["ProcessorTransfers.transfer MUST have moved nothing; it is one of account_closed,"],

    function* (driver, transfers, asking) {
      const transferring: TransferContext = { ...asking, id: yield* freshId("transferAttempt") }
      yield* refusals(driver, asking, transfers.transfer(transferring))
      const more = { destination: yield* driver.account, amount_cents: 10 * asking.charge.amount_cents }
      const tooMuch: TransferContext = { ...asking, ...more, id: yield* freshId("transferAttempt") }
      assert.isFalse(isFinal(yield* codeOf(transfers.transfer(tooMuch))))
      none(yield* transfers.fetchTransfer(tooMuch))
      yield* isAway(driver, asking, 0)
    }
  ),

  whereItShares(
    "a transfer is taken back whole and once, at the same moment, later, and when its key is forgotten",
    [
      "ProcessorTransfers.reverse MUST take it back once, however often it is asked for the same reversal.",
      "ProcessorTransfers.fetchTransfer MUST say of one that was taken back whole what took it back, whoever asked for that."
    ],

    function* (driver, transfers, asking) {
      const kept = yield* made(transfers, asking)
      const { reversing, transferring } = yield* made(transfers, asking)
      yield* isAway(driver, asking, 2 * part)
      none(yield* transfers.fetchReversal(reversing))
      yield* Effect.asVoid(atOnce(Effect.result(transfers.reverse(reversing))))
      yield* isAway(driver, asking, part)
      const found = yield* transfers.fetchReversal(reversing)
      yield* driver.forgetKeys(asking)
      same(yield* Effect.option(transfers.reverse(reversing)), found)
      yield* isAway(driver, asking, part)
      none(yield* transfers.fetchReversal(kept.reversing))
      const both = yield* Effect.forEach([transferring, kept.transferring], (each) => transfers.fetchTransfer(each))
      same(both.map(Option.map(({ reversal }) => reversal)), [found, Option.some(null)])
    }
  ),

  whereItShares(
    "a reversal that is refused takes nothing back, and so does another one of a transfer that was taken back",
    ["ProcessorTransfers.reverse MUST have taken nothing back; its codes are those of transfer."],

    function* (driver, transfers, asking) {
      const { reversing } = yield* made(transfers, asking)
      yield* made(transfers, asking)
      yield* transfers.reverse(reversing)
      yield* codeOf(transfers.reverse({ ...reversing, id: yield* freshId("reversal") }))
      yield* isAway(driver, asking, part)
      const { reversing: refused } = yield* made(transfers, { ...asking, amount_cents: part / 2 })
      yield* refusals(driver, asking, transfers.reverse(refused))
      none(yield* transfers.fetchReversal(refused))
      yield* isAway(driver, asking, part + part / 2)
    }
  )
]
