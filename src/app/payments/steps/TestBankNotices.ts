import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { advanced } from "../../../domain/payments/TestBank.ts"
import type { TestCharge } from "../../../domain/payments/TestCharge.ts"
import {
  bodyOf,
  sent,
  signatureHeader,
  signatureValue,
  signedText,
  type TestNotice,
  TestNoticeBody
} from "../../../domain/payments/TestNotice.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { TestBank } from "../../../ports/payments/TestBank.ts"
import { makeTestBankChange } from "../../../ports/payments/TestBankChange.ts"
import { batchOf, untilNone } from "./Batch.ts"
import { NoticeIntake } from "./NoticeIntake.ts"

const batch = 32

/** How long a notice is left to whoever sends it. After a crash it is sent again then. */
const lease = Duration.minutes(1)

const encodeBody = Schema.encodeEffect(TestNoticeBody)

/**
 * Makes the worker of the simulated bank: it does what the bank has scheduled, and sends the bank's notices, signed, in the way
 * in which any processor's come. money, section 3: Test processor.
 */
export const makeTestBankNotices = Effect.gen(function* () {
  const bank = yield* TestBank
  const change = yield* makeTestBankChange
  const intake = yield* NoticeIntake
  const macs = yield* Macs
  const transaction = yield* Transaction

  const act = Effect.fnUntraced(function* ({ id, organisation_id }: Pick<TestCharge, "organisation_id" | "id">) {
    const held = yield* bank.findForUpdate(organisation_id, id)
    if (Option.isSome(held)) yield* change.charge(held.value, advanced(held.value, yield* bank.now))
  }, transaction.run)

  const send = Effect.fnUntraced(function* (notice: TestNotice) {
    const { integration_id } = notice
    const body = yield* Effect.orDie(encodeBody(bodyOf(notice)))
    const seconds = Math.floor((yield* DateTime.now).epochMilliseconds / 1000)
    const text = signedText(integration_id, seconds, body)
    const mac = yield* macs.make(macs.keyIds[0], "test_notice", text)
    const headers = { [signatureHeader]: signatureValue(seconds, Option.toArray(mac)) }
    const address = { _tag: "Integration", id: integration_id } as const
    yield* intake
      .receive(address, headers, new TextEncoder().encode(body))
      .pipe(
        Effect.catch(({ _tag }) =>
          Effect.logWarning(`The notice ${notice.id} of the test processor was refused (${_tag})`)
        )
      )
    yield* bank.setSends(sent(notice, yield* bank.now))
  })

  const actAll = Effect.fnUntraced(function* (all: ReadonlyArray<Pick<TestCharge, "organisation_id" | "id">>) {
    yield* Effect.forEach(all, act, { discard: true })
  })
  const sendAll = Effect.fnUntraced(function* (all: ReadonlyArray<TestNotice>) {
    yield* Effect.forEach(all, send, { discard: true })
  })

  /** Does and sends what is due. */
  return Effect.andThen(
    untilNone(batchOf(() => bank.due(batch), actAll)),
    untilNone(batchOf(() => bank.claimNotices(batch, lease), sendAll))
  )
})
