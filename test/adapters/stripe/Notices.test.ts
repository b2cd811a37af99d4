import { assert } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { chargeRefundOf } from "../../../src/testing/conformance/ProcessorDriver.ts"
import { withFresh } from "../../support/Steps.ts"
import { signedNotice } from "../../support/stripe/StripeDouble.ts"
import { over, secrets, world } from "./World.ts"

const seconds = () => Math.floor(Date.now() / 1_000)

const event = (object: object, given: object = {}) =>
  JSON.stringify({
    id: "evt_1",
    object: "event",
    type: "payment_intent.succeeded",
    created: 1_768_442_400,
    data: { object },
    ...given
  })

const { live } = withFresh(over)

live("a notice is read when one of the secrets that are valid signed it, in either mode", function* () {
  const { accountIn, integration, processor } = yield* world
  const live = yield* accountIn(false)
  const body = event({ id: "pi_1", object: "payment_intent", metadata: { almoner_charge_id: "nonsense" } })
  for (const secret of secrets) {
    const own = secret === secrets[0] ? live : integration
    const foreign = Option.some(own === live ? integration : live)
    const elsewhere = processor.verifyNotice({ integration: foreign, ...signedNotice(body, secret) })
    assert.strictEqual((yield* Effect.flip(elsewhere))._tag, "NoticeRefused")
    for (const at of [own, undefined]) {
      const facts = yield* processor.verifyNotice({
        integration: Option.fromUndefinedOr(at),
        ...signedNotice(body, secret)
      })
      assert.deepInclude(facts, { event_id: "evt_1", type: "payment_intent.succeeded", account: null })
      assert.deepStrictEqual(facts.object, { kind: "charge", reference: "pi_1", charge_id: null })
      assert.strictEqual(facts.created_at.epochMilliseconds, 1_768_442_400_000)
    }
  }
})

live("no other notice is: another secret, another byte, another time, no signature, no event", function* () {
  const { processor } = yield* world
  const body = event({ id: "pi_1", object: "payment_intent" })
  const good = signedNotice(body, secrets[1])
  const asked = (headers: Record<string, string | undefined>, sent: Uint8Array) =>
    Effect.map(Effect.result(processor.verifyNotice({ integration: Option.none(), headers, body: sent })), (result) =>
      Result.isSuccess(result) ? "read" : result.failure._tag
    )
  assert.strictEqual(yield* asked(good.headers, good.body), "read")
  const refused = [
    signedNotice(body, "whsec_other"),
    signedNotice(body, secrets[1], seconds() - 400),
    signedNotice(body, secrets[1], seconds() + 400),
    signedNotice("{}", secrets[1]),
    signedNotice("not JSON", secrets[1]),
    signedNotice("", secrets[1]),
    { headers: {}, body: good.body },
    { headers: { "stripe-signature": "" }, body: good.body },
    { headers: { "stripe-signature": "t=1,v0=abc" }, body: good.body },
    { headers: { "stripe-signature": "t=x,v1=zz" }, body: good.body }
  ]
  for (const { body: sent, headers } of refused) assert.strictEqual(yield* asked(headers, sent), "NoticeRefused")
  yield* Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(fc.nat({ max: good.body.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Uint8Array.from(good.body)
        changed[at] = (changed[at] ?? 0) ^ flip
        return (await Effect.runPromise(asked(good.headers, changed))) === "NoticeRefused"
      }),
      { numRuns: 50 }
    )
  )
})

live("charges, refunds, disputes, accounts and what is kept are named by what we know them by", function* () {
  const { paid, processor } = yield* world
  const { charge } = yield* paid()
  const read = (object: object, given: object = {}) =>
    processor.verifyNotice({ integration: Option.none(), ...signedNotice(event(object, given), secrets[0]) })
  const metadata = { almoner_charge_id: charge.id }
  const of = Effect.fnUntraced(function* (object: object) {
    const { object: named } = yield* read(object)
    return [named.kind, named.reference, named.charge_id]
  })
  assert.deepStrictEqual(yield* of({ id: "pi_1", object: "payment_intent", metadata }), ["charge", "pi_1", charge.id])
  assert.deepStrictEqual(yield* of({ id: "ch_1", object: "charge", payment_intent: "pi_1", metadata }), [
    "charge",
    "pi_1",
    charge.id
  ])
  assert.deepStrictEqual(yield* of({ id: "re_1", object: "refund", payment_intent: { id: "pi_1" } }), [
    "refund",
    "pi_1",
    null
  ])
  assert.deepStrictEqual(yield* of({ id: "du_1", object: "dispute", payment_intent: "pi_1", metadata: {} }), [
    "dispute",
    "pi_1",
    null
  ])
  assert.deepStrictEqual(yield* of({ id: "acct_1", object: "account" }), ["account", "acct_1", null])
  const authority = { id: "mandate_1", object: "mandate", payment_method: "pm_1", status: "inactive" }
  assert.deepStrictEqual(yield* of(authority), ["mandate", "mandate_1", null])
  const card = { id: "pm_1", object: "payment_method", customer: null, metadata: {} }
  assert.deepStrictEqual(yield* of(card), ["mandate", "pm_1", null])
  assert.deepStrictEqual(yield* of({ object: "balance" }), ["other", null, null])
  assert.strictEqual((yield* read({ object: "balance" }, { account: "acct_7" })).account, "acct_7")
})

live(
  "the events of an account are walked from the oldest to the newest, each once, and later ones follow",
  function* () {
    const { double, integration, paid, processor } = yield* world
    for (let count = 0; count < 70; count += 1) yield* paid()
    const foreign = double.intents.get([...double.intents.keys()][3] ?? "")
    Object.assign(foreign?.metadata ?? {}, { almoner_integration_id: "int_other" })
    const walk = Effect.fnUntraced(function* (from: string | null) {
      const seen: Array<string> = []
      let cursor = from
      for (let more = true; more; ) {
        const page = yield* processor.noticesSince(integration, cursor)
        seen.push(...page.notices.map(({ event_id }) => event_id))
        cursor = page.cursor
        more = page.has_more
      }
      return { seen, cursor }
    })
    const first = yield* walk(null)
    const known = double.events.map(({ id }) => id)
    assert.deepStrictEqual(first.seen, known)
    const charged = yield* paid()
    yield* processor.refund(charged, yield* chargeRefundOf(charged, 1))
    const after = yield* walk(first.cursor)
    assert.deepStrictEqual(
      [...first.seen, ...after.seen],
      double.events.map(({ id }) => id)
    )
    assert.deepStrictEqual((yield* walk(after.cursor)).seen, [])
    // An account that was quiet for so long that Stripe has dropped the event that was reached.
    double.events.splice(0)
    assert.deepStrictEqual((yield* walk(after.cursor)).seen, [])
    yield* paid()
    const later = yield* walk(after.cursor)
    assert.deepStrictEqual(
      later.seen,
      double.events.map(({ id }) => id)
    )
    assert.deepStrictEqual((yield* walk(later.cursor)).seen, [])
  }
)

live("a day's movements are those of the account, with their fees, whoever made them", function* () {
  const { accountIn, double, integration, paid, processor } = yield* world
  const charged = yield* paid()
  yield* processor.refund(charged, yield* chargeRefundOf(charged, 2_000))
  double.refundThere(charged.charge.id, 500)
  const disputed = yield* paid({ purpose: "payment" })
  double.dispute(disputed.charge.id)
  double.moveThere(disputed.charge.id, "reserve_hold", -700)
  double.moveThere(disputed.charge.id, "payment_reversal", -400)
  double.moveThere(disputed.charge.id, "adjustment", -300)
  double.moveThere(null, "payout", -9_000)
  const today = CalendarDate.make(new Date().toISOString().slice(0, 10))
  const { data, next } = yield* processor.movements(integration, today, null)
  assert.isNull(next)
  assert.deepStrictEqual(
    data.map(({ amount_cents, charge_reference, fee_cents, kind }) => [
      kind,
      amount_cents,
      fee_cents,
      charge_reference
    ]),
    [
      ["other", -300, 0, disputed.charge.reference],
      ["other", -400, 0, disputed.charge.reference],
      ["dispute", -5_000, 2_500, disputed.charge.reference],
      ["charge", 5_000, 118, disputed.charge.reference],
      ["refund", -500, 0, charged.charge.reference],
      ["refund", -2_000, 0, charged.charge.reference],
      ["charge", 5_000, 0, charged.charge.reference]
    ]
  )
  assert.deepStrictEqual((yield* processor.movements(yield* accountIn(true), today, null)).data, [])
  assert.deepStrictEqual((yield* processor.movements(integration, CalendarDate.make("2020-01-01"), null)).data, [])
  const created = yield* processor.listCreated(integration, charged.charge.created_at, null)
  assert.deepStrictEqual(
    created.data.map(({ charge_id }) => charge_id).toSorted(),
    [charged.charge.id, disputed.charge.id].toSorted()
  )
})
