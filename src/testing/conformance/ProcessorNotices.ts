import { Effect, Option } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { ChargeContext, PaymentProcessor } from "../../ports/payments/PaymentProcessors.ts"
import type { NoticeObject } from "../../ports/payments/ProcessorNotices.ts"
import { assert } from "./Assert.ts"
import { paidCharge } from "./ProcessorCases.ts"
import { ProcessorUnderTest } from "./ProcessorDriver.ts"
import { type Check, lawsOn, same } from "./Suite.ts"

const { law, must } = lawsOn(ProcessorUnderTest)

const signed =
  "ProcessorNotices.verifyNotice MUST check its signature and time before anything else, against every secret that is valid now."

/** What an account's notices since a cursor are about, and the next cursor. */
export const noticesSince = Effect.fnUntraced(function* (
  processor: PaymentProcessor,
  integration: Integration,
  from: string | null
) {
  const told: Array<NoticeObject> = []
  for (let cursor = from; ; ) {
    const page = yield* processor.noticesSince(integration, cursor)
    told.push(...page.notices.map(({ object }) => object))
    cursor = page.cursor
    if (!page.has_more) return { told, cursor }
  }
})

/** The checks of what a processor tells by itself, and to pages. */
export const processorNotices: ReadonlyArray<Check<ProcessorUnderTest>> = [
  must("a notice that is not signed is refused, whatever it says, and says nothing of why", [signed], function* () {
    const { account, processor } = yield* ProcessorUnderTest
    const integration = yield* account
    const utf8 = new TextEncoder()
    for (const body of [utf8.encode(""), utf8.encode('{"id":"evt_1"}'), new Uint8Array([0xff, 0xfe])]) {
      for (const headers of [{}, { "stripe-signature": "t=1,v1=00", "almoner-test-signature": "t=1,v1=00" }]) {
        for (const to of [Option.some(integration), Option.none()]) {
          const failure = yield* Effect.flip(processor.verifyNotice({ integration: to, headers, body }))
          same(failure._tag, "NoticeRefused")
        }
      }
    }
  }),

  law(
    "an account's notices are told from where the last ones ended, each once, and no other account's",
    function* (driver) {
      const { processor } = driver
      const [first, other] = [yield* paidCharge(driver), yield* paidCharge(driver)]
      const about = ({ charge }: ChargeContext, told: ReadonlyArray<NoticeObject>) =>
        told.filter(({ reference }) => reference === charge.reference)
      for (const [own, foreign] of [
        [first, other],
        [other, first]
      ] as const) {
        const { cursor, told } = yield* noticesSince(processor, own.integration, null)
        assert.strictEqual(about(own, told).length > 0, driver.withoutNotices !== true)
        for (const { charge_id, kind } of about(own, told)) {
          same([kind, charge_id ?? own.charge.id], ["charge", own.charge.id])
        }
        same([about(foreign, told), (yield* noticesSince(processor, own.integration, cursor)).told], [[], []])
      }
    }
  ),

  law("the key that an account's page needs is the same each time", function* ({ account, processor }) {
    const integration = yield* account
    const key = yield* processor.pageKey(integration)
    same(yield* processor.pageKey(integration), key)
    assert.isTrue(Option.match(key, { onNone: () => true, onSome: (text) => text !== "" }))
  })
]
