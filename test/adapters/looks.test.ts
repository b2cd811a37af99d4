import { assert, describe } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SMTPServer } from "smtp-server"
import { lookAtServer } from "../../src/adapters/mail/Smtp.ts"
import { lookAtStripe } from "../../src/adapters/processors/stripe/PlatformLook.ts"
import { mailServer } from "../support/MailServer.ts"
import { live } from "../support/Steps.ts"
import { stripeDouble } from "../support/stripe/StripeDouble.ts"

const whole = (key: string) => ({
  secretKey: Redacted.make(key),
  publishableKey: "pk_test_1",
  noticeSecrets: [Redacted.make("whsec_1")]
})

const said = (found: ReadonlyArray<{ readonly state: string; readonly message: string }>) =>
  found.map(({ message, state }) => `${state}: ${message}`)

describe("A look at Stripe's keys", () => {
  live("tries the key of each mode there, and tells which variable is wrong", function* () {
    const double = yield* stripeDouble
    const look = lookAtStripe({ live: whole("sk_live_one"), test: whole("sk_test_one"), baseUrl: double.url })
    assert.match(
      said(yield* look).join("\n"),
      /^ok: Stripe, live mode: .*account platform\nok: Stripe, test mode: .*account platform$/
    )
    assert.sameMembers(
      double.requests.map(({ headers }) => headers.authorization),
      ["Bearer sk_live_one", "Bearer sk_test_one"]
    )
    double.revokeKey("sk_test_one")
    const [, wrong = ""] = said(yield* look)
    assert.match(
      wrong,
      /^wrong: Stripe, test mode: the key is not accepted: .* Set STRIPE_TEST_SECRET_KEY to the right one\.$/
    )
    assert.notInclude(wrong, "sk_test_one")
  })

  live("tells what may pass from what does not", function* () {
    const double = yield* stripeDouble
    const look = lookAtStripe({ live: whole("sk_live_one"), baseUrl: double.url })
    const faults = [
      [401, "wrong"],
      [403, "warning"],
      [429, "away"],
      [500, "away"]
    ] as const
    for (const [status, state] of faults) {
      double.fail({ kind: "status", status, type: "invalid_request_error" })
      assert.strictEqual((yield* look)[0]?.state, state, `${status}`)
    }
    double.lose("requests")
    assert.match(
      said(yield* look).join(),
      /^away: .*was not reached \(not_reached\).* reaches http:\/\/127\.0\.0\.1:\d+\.$/
    )
  })

  live("warns of what is missing beside a key", function* () {
    const double = yield* stripeDouble
    const look = lookAtStripe({ test: { secretKey: Redacted.make("sk_test_one") }, baseUrl: double.url })
    assert.match(
      said(yield* look).join("\n"),
      /^ok: .*\nwarning: .*Set it\.\nwarning: .* Set STRIPE_TEST_NOTICE_SECRETS\.$/
    )
  })
})

describe("A look at the mail server", () => {
  const look = (url: string) => lookAtServer({ url: Redacted.make(url) })

  /** A mail server that knows one user. */
  const guarded = Effect.map(
    Effect.acquireRelease(
      Effect.callback<SMTPServer>((resume) => {
        const server = new SMTPServer({
          authOptional: false,
          allowInsecureAuth: true,
          disabledCommands: ["STARTTLS"],
          onAuth: ({ password, username }, _, done) =>
            username === "almoner" && password === "canary/word"
              ? done(null, { user: "almoner" })
              : done(new Error("no"))
        })
        server.on("error", () => {})
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
    ),
    (server) => {
      const address = server.server.address()
      return typeof address === "object" && address !== null ? address.port : 0
    }
  )

  live("logs in and sends nothing", function* () {
    const open = yield* mailServer()
    assert.strictEqual((yield* look(open.url)).state, "ok")
    assert.isEmpty(open.received)
    const port = yield* guarded
    assert.strictEqual((yield* look(`smtp://almoner:canary%2Fword@127.0.0.1:${port}`)).state, "ok")
  })

  live("tells a wrong password from a server that is away, and neither by the password", function* () {
    const port = yield* guarded
    const refused = yield* look(`smtp://almoner:canary-wrong@127.0.0.1:${port}`)
    assert.match(
      `${refused.state}: ${refused.message}`,
      /^wrong: 127\.0\.0\.1:\d+ refuses the user or the password \(EAUTH 535\)\. Set /
    )
    const away = yield* look("smtp://almoner:canary-word@127.0.0.1:1")
    assert.match(
      `${away.state}: ${away.message}`,
      /^away: 127\.0\.0\.1:1 cannot be used now \(ESOCKET|ECONNECTION\)\. Look at host/
    )
    const tls = yield* look(`smtps://almoner:canary-word@127.0.0.1:${port}`)
    assert.match(`${tls.state}: ${tls.message}`, /^wrong: .* does not speak TLS as SMTP_URL asks/)
    for (const { message } of [refused, away, tls]) assert.notInclude(message, "canary")
  })
})
