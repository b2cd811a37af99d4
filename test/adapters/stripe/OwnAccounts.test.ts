import { assert } from "@effect/vitest"
import { DateTime, Effect, Option, Result } from "effect"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import type { Charge } from "../../../src/domain/payments/Charge.ts"
import { SecretBox } from "../../../src/ports/kernel/SecretBox.ts"
import { chargeOf, chargeRefundOf } from "../../../src/testing/conformance/ProcessorDriver.ts"
import { integrationOf, newOrganisation } from "../../../src/testing/conformance/Records.ts"
import { keysOf, ownAccountOf } from "../../support/OwnAccounts.ts"
import { withFresh } from "../../support/Steps.ts"
import { signedNotice } from "../../support/stripe/StripeDouble.ts"
import { over, secrets, world } from "./World.ts"

/** The world of a platform with an own account beside its connected one. */
const ownWorld = Effect.gen(function* () {
  const base = yield* world
  const { double, processor } = base
  const newAccount = Effect.fnUntraced(function* (is_sandbox = true) {
    const { id } = yield* newOrganisation({ is_sandbox })
    return yield* ownAccountOf(double, yield* integrationOf(id))
  })
  const own = yield* newAccount()
  const paid = Effect.fnUntraced(function* (integration = own, given: Partial<Charge> = {}) {
    const fresh = { integration, charge: yield* chargeOf(integration, { amount_cents: 5_000, ...given }) }
    const { reference } = yield* processor.begin(fresh)
    const ready = { integration, charge: { ...fresh.charge, reference } }
    yield* processor.confirm(ready, "pm_card_visa")
    return ready
  })
  const keyUsed = () => double.requests.at(-1)?.headers.authorization
  return { ...base, keyUsed, newAccount, own, paid } as const
})

const { live } = withFresh(over)

live("an own account is charged and paid back with its own key, and the platform has no part in it", function* () {
  const { double, keyUsed, own, paid, processor } = yield* ownWorld
  const platform_rate = { basis_points: 100, fixed_cents: 30 }
  const charged = yield* paid(own, { platform_rate })
  assert.strictEqual(double.ownerOf(charged.charge.id), own.processor_connect_account_id)
  const [intent] = double.intentsOf(charged.charge.id)
  assert.deepInclude(intent, { transfer_data: null, on_behalf_of: null, application_fee_amount: null })
  yield* processor.refund(charged, yield* chargeRefundOf(charged, 2_000))
  const refund = double.requests.findLast(({ method, path }) => method === "POST" && path === "/v1/refunds")
  assert.notInclude(refund?.body ?? "", "reverse_transfer")
  assert.notInclude(refund?.body ?? "", "application_fee")
  assert.strictEqual(double.paidBack(charged.charge.id), 2_000)
  for (const { headers } of double.requests) {
    assert.strictEqual(headers.authorization, `Bearer ${keysOf(own.id).secret_key}`)
  }
  assert.deepStrictEqual(yield* processor.fetchAccount(own), { charges_enabled: true, currency: "AUD" })
  assert.strictEqual(double.requests.at(-1)?.path, "/v1/account")
  assert.strictEqual(keyUsed(), `Bearer ${keysOf(own.id).secret_key}`)
  assert.deepStrictEqual(yield* processor.pageKey(own), Option.some(keysOf(own.id).publishable_key))
})

live("without keys that open, nobody is asked: never with the platform's", function* () {
  const { double, newAccount, own, paid, processor } = yield* ownWorld
  const box = yield* SecretBox
  const charged = yield* paid()
  const elsewhere = yield* newAccount()
  const wrongMode = yield* box.seal(JSON.stringify(keysOf(own.id, "live")), own.id)
  const asked = double.requests.length
  for (const sealed_credentials of [
    null,
    "v1.test.nonsense",
    elsewhere.sealed_credentials,
    `${own.sealed_credentials?.replace("v1.test", "v1.lost")}`,
    wrongMode,
    yield* box.seal("{}", own.id)
  ]) {
    const integration = { ...own, sealed_credentials }
    const charging = { ...charged, integration }
    const refund = yield* chargeRefundOf(charged, 1)
    for (const call of [
      processor.begin(charging),
      processor.confirm(charging, "pm_card_visa"),
      processor.cancel(charging),
      processor.fetchCharge(charging),
      processor.nextStep(charging),
      processor.refund(charging, refund),
      processor.fetchAccount(integration),
      processor.noticesSince(integration, null),
      processor.listCreated(integration, charged.charge.created_at, null),
      processor.movements(integration, CalendarDate.make("2026-01-01"), null)
    ] as const) {
      const failure = yield* Effect.flip(Effect.asVoid(call))
      assert.deepInclude(failure, { _tag: "ProcessorUnreachable", reason: "credentials_not_opened" })
    }
    assert.isTrue(Option.isNone(yield* processor.pageKey(integration)))
    const body = JSON.stringify({ id: "evt_1", type: "x", created: 1, data: { object: { object: "balance" } } })
    for (const secret of [...secrets, ...keysOf(own.id).notice_secrets]) {
      const read = processor.verifyNotice({ integration: Option.some(integration), ...signedNotice(body, secret) })
      assert.strictEqual((yield* Effect.flip(read))._tag, "NoticeRefused")
    }
  }
  assert.strictEqual(double.requests.length, asked)
})

live(
  "its notices are signed by its own secrets alone, the former ones while they overlap, and by none elsewhere",
  function* () {
    const { integration: connected, newAccount, own, processor } = yield* ownWorld
    const box = yield* SecretBox
    const other = yield* newAccount()
    const now = yield* DateTime.now
    const rotated = {
      ...own,
      previous_sealed_notice_secrets: yield* box.seal(JSON.stringify(["whsec_former"]), own.id),
      previous_notice_secrets_expire_at: DateTime.add(now, { hours: 1 })
    }
    const over = { ...rotated, previous_notice_secrets_expire_at: DateTime.subtract(now, { seconds: 1 }) }
    const body = JSON.stringify({ id: "evt_1", type: "x", created: 1, data: { object: { object: "balance" } } })
    const reads = (secret: string, at: Option.Option<typeof own>) =>
      Effect.map(Effect.result(processor.verifyNotice({ integration: at, ...signedNotice(body, secret) })), (result) =>
        Result.isSuccess(result)
      )
    const [mine = "", theirs = ""] = [...keysOf(own.id).notice_secrets, ...keysOf(other.id).notice_secrets]
    assert.deepStrictEqual(
      [
        yield* reads(mine, Option.some(own)),
        yield* reads(mine, Option.some(rotated)),
        yield* reads("whsec_former", Option.some(rotated))
      ],
      [true, true, true]
    )
    const refused = [
      yield* reads("whsec_former", Option.some(over)),
      yield* reads("whsec_former", Option.some(own)),
      yield* reads(theirs, Option.some(own)),
      yield* reads(mine, Option.some(other)),
      yield* reads(mine, Option.some(connected)),
      yield* reads(mine, Option.none())
    ]
    assert.deepStrictEqual(refused, [false, false, false, false, false, false])
    for (const secret of secrets) assert.isFalse(yield* reads(secret, Option.some(own)))
  }
)

live("rotated keys are used from the next call on", function* () {
  const { double, keyUsed, own, processor } = yield* ownWorld
  const box = yield* SecretBox
  yield* processor.fetchAccount(own)
  const keys = { ...keysOf(own.id), secret_key: "rk_test_rotated" }
  double.ownKey(keys.secret_key, own.processor_connect_account_id)
  double.revokeKey(keysOf(own.id).secret_key)
  const failure = yield* Effect.flip(processor.fetchAccount(own))
  assert.deepInclude(failure, { _tag: "ProcessorUnreachable", reason: "key_not_accepted" })
  const rotated = { ...own, sealed_credentials: yield* box.seal(JSON.stringify(keys), own.id) }
  yield* processor.fetchAccount(rotated)
  assert.strictEqual(keyUsed(), "Bearer rk_test_rotated")
})

live("two integrations of one own account have each their own of what it lists", function* () {
  const { double, own, paid, processor } = yield* ownWorld
  const box = yield* SecretBox
  const { id } = yield* newOrganisation({ is_sandbox: true })
  const draft = yield* ownAccountOf(double, yield* integrationOf(id))
  const keys = { ...keysOf(draft.id), secret_key: keysOf(own.id).secret_key }
  const beside = {
    ...draft,
    processor_connect_account_id: own.processor_connect_account_id,
    sealed_credentials: yield* box.seal(JSON.stringify(keys), draft.id)
  }
  const today = CalendarDate.make(new Date().toISOString().slice(0, 10))
  for (const integration of [own, beside]) {
    const charged = yield* paid(integration)
    double.dispute((yield* paid(integration)).charge.id)
    double.refundThere(charged.charge.id, 100)
  }
  for (const integration of [own, beside]) {
    const { data: moved } = yield* processor.movements(integration, today, null)
    assert.deepStrictEqual(moved.map(({ amount_cents }) => amount_cents).toSorted(), [-100, -5_000, 5_000, 5_000])
    const { data: created } = yield* processor.listCreated(integration, DateTime.makeUnsafe(0), null)
    assert.lengthOf(created, 2)
    const named = (yield* processor.noticesSince(integration, null)).notices.filter(
      ({ type }) => type === "payment_intent.succeeded"
    )
    assert.deepStrictEqual(
      named.map(({ object }) => object.charge_id).toSorted(),
      created.map(({ charge_id }) => charge_id).toSorted()
    )
  }
})

live("keys are tried before they are taken, and what is wrong with them is said without them", function* () {
  const { double, newAccount, own, processor } = yield* ownWorld
  const live = yield* newAccount(false)
  const keys = keysOf(own.id)
  const refusal = Effect.fnUntraced(function* (given: Partial<typeof keys>, integration = own) {
    if (processor.checkCredentials === undefined) return assert.fail("it tries no keys")
    const credentials = { ...keys, ...given }
    const { fault, field, message } = yield* Effect.flip(processor.checkCredentials(integration, credentials))
    for (const secret of [credentials.secret_key, credentials.publishable_key, ...credentials.notice_secrets]) {
      assert.notInclude(message, secret)
    }
    return `${field}: ${fault}`
  })
  const check = processor.checkCredentials
  if (check === undefined) return assert.fail("it tries no keys")
  assert.deepStrictEqual(yield* check(own, keys), { charges_enabled: true, currency: "AUD" })
  assert.match(yield* refusal({ secret_key: "sk_live_own1" }), /^secret_key: .*test mode.*is a sandbox\.$/)
  assert.match(yield* refusal({ publishable_key: "pk_live_own1" }), /^publishable_key: .*test mode.*is a sandbox\.$/)
  assert.match(yield* refusal({ secret_key: "pk_test_own1" }), /^secret_key: .*test mode/)
  assert.match(yield* refusal(keys, live), /^secret_key: .*live mode.*is live\.$/)
  assert.match(yield* refusal({ notice_secrets: ["sk_test_own1"] }), /^notice_secrets: .*whsec_/)
  const other = yield* newAccount()
  const foreign = keysOf(other.id).secret_key
  assert.match(yield* refusal({ secret_key: foreign }), new RegExp(`account ${own.processor_connect_account_id},`))
  double.revokeKey(foreign)
  assert.match(yield* refusal({ secret_key: foreign }), /is not accepted by Stripe/)
  double.fail({ kind: "status", status: 403 })
  assert.match(yield* refusal({}), /may not read its account/)
  double.fail({ kind: "status", status: 500 })
  assert.match(yield* refusal({}), /could not be tried/)
  double.fail({ kind: "body", body: "<html>" })
  assert.match(yield* refusal({}), /could not be tried/)
})
