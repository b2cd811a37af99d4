import { assert, it } from "@effect/vitest"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { type Answer, fieldsOf } from "../support/Answer.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenants, type Tenant } from "../support/Tenant.ts"

/** One limit on callers: what reaches it, how often that is let through, and what its refusal answers. */
interface CallerLimit {
  readonly times: number
  readonly windowMillis: number
  readonly refusal: number
  readonly attempt: (tenant: Tenant, turn: number) => Promise<Answer>
}

/** The limits whose window is a span of time, by the row of the table that counts them. */
const limits: Partial<Record<keyof typeof Limits, CallerLimit>> = {
  passphraseFailures: {
    times: Limits.passphraseFailures,
    windowMillis: Limits.passphraseWindowSeconds * 1_000,
    refusal: 429,
    attempt: ({ writer }) =>
      writer.post("/recipient-accounts", { passphrase: "gravel tiptop outlet zebra unmasked wrong" })
  },
  introductionsPending: {
    times: Limits.introductionsPending,
    windowMillis: Limits.introductionWindowHours * 3_600_000,
    refusal: 400,
    attempt: ({ writer }, turn) =>
      writer.post("/introductions", { invitee_email: `bea${turn}@example.org`, ttl_days: 1 })
  },
  idempotencyRecordHours: {
    times: 1,
    windowMillis: Limits.idempotencyRecordHours * 3_600_000,
    refusal: 409,
    attempt: ({ writer }, turn) =>
      writer.post("/donors", { first_name: `Ada ${turn}` }, { "idempotency-key": "the same" })
  },
  requestBurst: {
    times: Limits.requestBurst,
    windowMillis: 1_000,
    refusal: 429,
    attempt: ({ reader }) => reader.get("/sandbox")
  }
}

describeService(everyKind, "limits on callers", (service) => {
  for (const [name, { attempt, refusal, times, windowMillis }] of Object.entries(limits)) {
    it(`${name} ends by the real time, however far ahead the clock of the sandbox is`, async () => {
      service.pace = 0
      const { sandbox } = await makeTenants(service)
      const advance = async (duration: string) => {
        const { status, text } = await sandbox.writer.post("/sandbox/advance", { duration })
        assert.strictEqual(status, 200, text)
      }
      for (let turn = 0; turn < times; turn++) {
        if (turn % Math.ceil(times / 2) === 0) await advance("90d")
        await attempt(sandbox, turn)
      }
      assert.strictEqual((await attempt(sandbox, times)).status, refusal)
      await sandbox.writer.post("/sandbox/advance", { duration: "300d" })
      assert.strictEqual((await attempt(sandbox, times)).status, refusal)
      service.clock.advance(windowMillis)
      assert.notStrictEqual((await attempt(sandbox, times)).status, refusal)
    })
  }

  it("a sandbox's clock is moved once under one key, and a repetition beside the first request is told that that is under way", async () => {
    const { sandbox } = await makeTenants(service)
    const advance = () => sandbox.writer.post("/sandbox/advance", { duration: "300d" }, { "idempotency-key": "once" })
    const answers = await Promise.all([advance(), advance(), advance()])
    assert.sameMembers(fieldsOf(answers, "status"), [200, 409, 409])
    const refused = answers.filter(({ status }) => status === 409)
    for (const answer of refused) assert.strictEqual(answer.at("error.code"), "conflict", answer.text)
    const first = answers.find(({ status }) => status === 200) ?? assert.fail()
    const again = await advance()
    assert.deepStrictEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"])
    assert.strictEqual((await sandbox.reader.get("/sandbox")).at("ahead_seconds"), 300 * 86_400)
  })
})
