import { Duration, Effect, Option, Schema } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { advance } from "../../../domain/payments/TestBank.ts"
import type { TestCharge } from "../../../domain/payments/TestCharge.ts"
import * as TestNotice from "../../../domain/payments/TestNotice.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { makeTestBankChange, TestBank } from "../../../ports/payments/TestBank.ts"
import { makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { batchOf, untilNone } from "../../kernel/worker/ClaimLoop.ts"
import { NoticeReceiver } from "./NoticeReceiver.ts"

const batch = 32

/** How long a notice is left to whoever sends it. After a crash it is sent again then. */
const lease = Duration.minutes(1)

const encodeBody = Schema.encodeEffect(TestNotice.TestNoticeBody)

/**
 * Makes the worker of the simulated bank: it does what the bank has scheduled, and sends the bank's notices, signed, in the way
 * in which any processor's come. money, section 3: Test processor.
 */
export const makeTestBankNotices = Effect.gen(function* () {
  const bank = yield* TestBank
  const change = yield* makeTestBankChange
  const intake = yield* NoticeReceiver
  const macs = yield* Macs
  const timeOf = yield* makeOrganisationTime
  const transaction = yield* Transaction

  type Due = Pick<TestCharge, "organisation_id" | "id">

  const acted = Effect.fnUntraced(function* ({ id, organisation_id }: Due) {
    const held = yield* bank.findForUpdate(organisation_id, id)
    if (Option.isNone(held)) return false
    const after = advance(held.value, yield* bank.now)
    if (after === held.value) return false
    yield* change.charge(held.value, after)
    return true
  }, transaction.run)

  const act = (due: Due) => timeOf(due.organisation_id)(acted(due))

  const send = Effect.fnUntraced(function* (notice: TestNotice.TestNotice) {
    const { integration_id } = notice
    const body = yield* Effect.orDie(encodeBody(TestNotice.bodyOf(notice)))
    const seconds = Math.floor((yield* organisationNow).epochMilliseconds / 1000)
    const text = TestNotice.signedText(integration_id, seconds, body)
    const mac = yield* macs.make(macs.keyIds[0], "test_notice", text)
    const headers = { [TestNotice.signatureHeader]: TestNotice.signatureValue(seconds, Option.toArray(mac)) }
    const address = { _tag: "Integration", id: integration_id } as const
    yield* intake
      .receive(address, headers, new TextEncoder().encode(body))
      .pipe(
        Effect.catch(({ _tag }) =>
          Effect.logWarning(`The webhook ${notice.id} of the test processor was refused (${_tag})`)
        )
      )
    return TestNotice.markSent(notice)
  })

  /** Does what is due. It ends where nothing changes: the store and the bank may have clocks that are not quite the same. */
  const actDue = Effect.fnUntraced(function* (only?: OrganisationId) {
    for (let isMoving = true; isMoving; ) {
      const done = yield* Effect.forEach(yield* bank.due(batch, only), act)
      isMoving = done.includes(true)
    }
  })

  /** What was sent is written together, wherever the sending ends. */
  const sendAll = (all: ReadonlyArray<TestNotice.TestNotice>) => {
    const sent: Array<TestNotice.TestNotice> = []
    return Effect.ensuring(
      Effect.forEach(all, (notice) => Effect.map(send(notice), (after) => sent.push(after)), {
        concurrency: "unbounded",
        discard: true
      }),
      Effect.suspend(() => (sent.length === 0 ? Effect.void : bank.setSends(sent)))
    )
  }

  /** Does and sends what is due; of one organisation, where it is asked for. */
  return (only?: OrganisationId): Effect.Effect<number> =>
    Effect.andThen(actDue(only), untilNone(batchOf(() => bank.claimNotices(batch, lease, only), sendAll)))
})
