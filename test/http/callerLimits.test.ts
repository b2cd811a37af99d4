import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Mailer } from "../../src/app/outbox/Mailer.ts"
import { Invitations } from "../../src/app/sharing/Invitations.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import * as InviteToken from "../../src/domain/sharing/InviteToken.ts"
import { MailTransport } from "../../src/ports/outbox/MailTransport.ts"
import type { Service } from "../support/Service.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenants, type Tenant } from "../support/Tenant.ts"

/** One limit on callers: what reaches it, how often that is let through, and what its refusal answers. */
interface CallerLimit {
  readonly times: number
  readonly windowMillis: number
  readonly refusal: number
  readonly attempt: (tenant: Tenant, turn: number, service: Service) => Promise<{ readonly status: number }>
}

type CallerLimits = Partial<Record<keyof typeof Limits, CallerLimit>>

/** The limits whose window is a span of time, by the row of the table that counts them. */
const limits: CallerLimits = {
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

/** A second later invites somebody, looks at the invitation, so that it is pending no more, and sends what is due: 429 where its mail waits. */
const mailTo =
  (address: (turn: number) => string): CallerLimit["attempt"] =>
  async ({ writer }, turn, service) => {
    service.clock.advance(1_000)
    const invited = await writer.post("/introductions", { invitee_email: address(turn) })
    assert.strictEqual(invited.status, 201, invited.text)
    const token = InviteToken.tokenIn(invited.textAt("invite_url"))
    await service.run(Invitations.use(({ open }) => open({ token, request_id: "req_page" })))
    const sent: Array<string> = []
    const send: MailTransport["Service"]["send"] = ({ text }) =>
      Effect.as(
        Effect.sync(() => sent.push(text)),
        { _tag: "Sent" }
      )
    const mailer = Layer.provide(Mailer.layer, Layer.succeed(MailTransport, { send }))
    await service.run(
      Effect.provide(
        Mailer.use(({ sendDue }) => sendDue),
        mailer
      )
    )
    return { status: sent.some((text) => text.includes(invited.textAt("invite_url"))) ? 200 : 429 }
  }

const mailWindow = { windowMillis: Limits.mailBudgetHours * 3_600_000, refusal: 429 }

/** The budgets of mails. A database counts them by its own clock, which no test moves. */
const mailLimits: CallerLimits = {
  mailsPerAddress: { ...mailWindow, times: Limits.mailsPerAddress, attempt: mailTo(() => "bea@example.org") },
  mailsPerOrganisation: {
    ...mailWindow,
    times: Limits.mailsPerOrganisation,
    attempt: mailTo((turn) => `bea${turn}@example.org`)
  }
}

/** Tries limits on a sandbox that is far ahead of the real time. */
const tried = (all: CallerLimits) => (service: Service) => {
  for (const [name, { attempt, refusal, times, windowMillis }] of Object.entries(all)) {
    it(`${name} ends by the real time, however far ahead the clock of the sandbox is`, async () => {
      service.pace = 0
      const { sandbox } = await makeTenants(service)
      const advance = async (duration: string) => {
        const { status, text } = await sandbox.writer.post("/sandbox/advance", { duration })
        assert.strictEqual(status, 200, text)
      }
      for (let turn = 0; turn < times; turn++) {
        if (turn % Math.ceil(times / 2) === 0) await advance("90d")
        await attempt(sandbox, turn, service)
      }
      assert.strictEqual((await attempt(sandbox, times, service)).status, refusal)
      await sandbox.writer.post("/sandbox/advance", { duration: "300d" })
      assert.strictEqual((await attempt(sandbox, times, service)).status, refusal)
      service.clock.advance(windowMillis)
      assert.notStrictEqual((await attempt(sandbox, times, service)).status, refusal)
    })
  }
}

describeService(everyKind, "limits on callers", tried(limits))
describeService(inMemory, "budgets of mails", tried(mailLimits))
