import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import fc from "fast-check"
import * as FileOutbox from "../../src/adapters/mail/FileOutbox.ts"
import { mailHtml } from "../../src/adapters/mail/MailDocument.tsx"
import * as Smtp from "../../src/adapters/mail/Smtp.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import { DonationId } from "../../src/domain/kernel/Ids.ts"
import { type MailPart, plainText } from "../../src/domain/kernel/MailContent.ts"
import { receiptMail } from "../../src/domain/outbox/ReceiptMail.ts"
import { type IntroductionMail, introductionMail } from "../../src/domain/sharing/IntroductionMail.ts"
import { type MailMessage, MailTransport } from "../../src/ports/outbox/MailTransport.ts"
import { folder } from "../support/Folder.ts"
import { mailServer } from "../support/MailServer.ts"
import { forEvery } from "../support/Property.ts"
import { live } from "../support/Steps.ts"

const from = "Almoner <almoner@example.org>"

const said = {
  inviter: { name: "Harbour Trust", timezone: "Australia/Sydney" },
  invitee_message: "Dear Bea,\n<script>alert(1)</script> & come",
  invite_url: "http://harbour.localhost:8080/i/intr_1.mac",
  expires_at: DateTime.makeUnsafe("2026-02-14T02:00:00Z")
}

const invitation = (given: Partial<IntroductionMail> = {}) => {
  const content = introductionMail({ ...said, ...given })
  return { ...content, text: plainText(content) }
}

const messageOf = (given: Partial<MailMessage> = {}): MailMessage => ({
  id: "mail_1",
  to: "bea@example.net",
  ...invitation(),
  ...given
})

const send = (url: string, message: MailMessage) =>
  Effect.provide(
    MailTransport.use((transport) => transport.send(message)),
    Smtp.layer({ url: Redacted.make(url), from })
  )

const headersOf = (source: string): string => source.replaceAll("\r\n", "\n").split("\n\n", 1)[0] ?? ""

const refusedWith = (responseCode: number): Error => Object.assign(new Error("canary@example.net"), { responseCode })

describe("mail by SMTP", () => {
  live("goes to the invitee alone, with one Message-ID for all its attempts", function* () {
    const server = yield* mailServer()
    for (let attempt = 0; attempt < 2; attempt++)
      assert.deepStrictEqual(yield* send(server.url, messageOf()), { _tag: "Sent" })
    assert.strictEqual(server.received.length, 2)
    for (const { from: sender, source, to } of server.received) {
      assert.deepStrictEqual([sender, to], ["almoner@example.org", ["bea@example.net"]])
      assert.match(headersOf(source), /^Message-ID: <mail_1@example\.org>$/im)
      assert.match(headersOf(source), /^Auto-Submitted: auto-generated$/im)
    }
  })

  live("gives its password over a network to nobody who does not speak TLS, unless that is said", function* () {
    const passwords: Array<string | null | undefined> = []
    const server = yield* mailServer({
      onAuth: ({ password }, _, done) => {
        passwords.push(password)
        done(null, { user: "almoner" })
      }
    })
    const at = (host: string) => server.url.replace("//127.0.0.1", `//almoner:canary@${host}`)
    // Every address of this machine, which is no name of it for a client.
    const stripped = yield* send(at("0.0.0.0"), messageOf())
    assert.strictEqual(stripped._tag, "Failed")
    assert.deepStrictEqual([passwords, server.received.length], [[], 0])
    for (const url of [`${at("0.0.0.0")}?requireTLS=false`, at("127.0.0.1"), at("localhost")]) {
      assert.deepStrictEqual(yield* send(url, messageOf()), { _tag: "Sent" }, url)
    }
    assert.deepStrictEqual(passwords, ["canary", "canary", "canary"])
  })

  live("is refused for good when the server does not know the address, and tried again otherwise", function* () {
    const unknown = yield* mailServer({ onRcptTo: (_, __, done) => done(refusedWith(550)) })
    const busy = yield* mailServer({ onRcptTo: (_, __, done) => done(refusedWith(451)) })
    const full = yield* mailServer({
      onData: (stream, _, done) => stream.resume().on("end", () => done(refusedWith(552)))
    })
    assert.deepStrictEqual(yield* send(unknown.url, messageOf()), { _tag: "Refused", reason: "EENVELOPE 550" })
    assert.deepStrictEqual(yield* send(busy.url, messageOf()), { _tag: "Failed", reason: "EENVELOPE 451" })
    assert.deepStrictEqual(yield* send(full.url, messageOf()), { _tag: "Failed", reason: "EMESSAGE 552" })
  })

  live("brings a receipt as text and as HTML, in which nothing that the donor typed is markup", function* () {
    const server = yield* mailServer()
    const content = receiptMail({
      language: "en-AU",
      organisation: { name: "Sea Rescue", abn: "51824753556", is_sandbox: false },
      settings: { fund_name: null, fund_abn: null, is_deductible: false },
      gift: {
        id: DonationId.make("don_01jqz6x8h4e5vb9m2k7ncw3t5d"),
        amount_cents: 5_000,
        refunded_amount_cents: 0,
        currency: "AUD",
        donation_day: CalendarDate.make("2026-06-30"),
        payment_method: "card"
      },
      frequency: null,
      donor_name: "<img src=x>",
      is_correction: false,
      is_disclosed: false,
      is_year_over: false
    })
    assert.deepStrictEqual(yield* send(server.url, messageOf({ ...content, text: plainText(content) })), {
      _tag: "Sent"
    })
    const [received] = server.received
    const parts = (received?.source ?? "")
      .replaceAll("=\r\n", "")
      .replaceAll("=3D", "=")
      .replaceAll("=C2=A0", "\u00a0")
      .split(/Content-Type: text\/html/u)
    assert.lengthOf(parts, 2)
    assert.include(parts[0], "<img src=x>, thank you for your gift to Sea Rescue.")
    assert.include(parts[1], "&lt;img src=x&gt;, thank you")
    assert.notInclude(parts[1], "<img")
    for (const form of parts)
      for (const words of ["$50.00", "30 June 2026", "51\u00a0824\u00a0753\u00a0556"]) assert.include(form, words)
  })

  live("says in which language it is, and is written from right to left in Arabic", function* () {
    const server = yield* mailServer()
    for (const language of ["en-AU", "ar"] as const) yield* send(server.url, messageOf({ language }))
    const sources = server.received.map(({ source }) => source.replaceAll("=\r\n", "").replaceAll("=3D", "="))
    assert.deepStrictEqual(
      sources.map((source) => /^Content-Language: (.*)$/im.exec(headersOf(source))?.[1]),
      ["en-AU", "ar"]
    )
    assert.deepStrictEqual(
      sources.map((source) => /<html[^>]*>/u.exec(source)?.[0]),
      ['<html lang="en-AU" dir="ltr">', '<html lang="ar" dir="rtl">']
    )
  })

  live("carries nobody's line breaks into its headers", function* () {
    const server = yield* mailServer()
    const inviter = { ...said.inviter, name: "Harbour\r\nBcc: eve@example.net\u2028X-Evil: 1" }
    const { _tag } = yield* send(server.url, messageOf(invitation({ inviter })))
    assert.strictEqual(_tag, "Sent")
    const [received] = server.received
    assert.deepStrictEqual(received?.to, ["bea@example.net"])
    assert.notMatch(headersOf(received?.source ?? ""), /^(Bcc|X-Evil):/im)
  })
})

describe("mails as files", () => {
  live("are one whole file each, which its owner alone can read", function* () {
    const path = join(yield* folder, "outbox")
    const transport = FileOutbox.layer({ folder: path, from })
    const write = (message: MailMessage) =>
      Effect.provide(
        MailTransport.use(({ send }) => send(message)),
        transport
      )
    yield* write(messageOf({ text: "first" }))
    yield* write(messageOf({ text: "second" }))
    yield* write(messageOf({ id: "mail_2" }))
    const files = (yield* Effect.promise(() => readdir(path))).toSorted()
    assert.deepStrictEqual(files, ["mail_1.eml", "mail_2.eml"])
    for (const name of files) {
      const { mode } = yield* Effect.promise(() => stat(join(path, name)))
      assert.strictEqual(mode & 0o777, 0o600)
    }
    assert.strictEqual((yield* Effect.promise(() => stat(path))).mode & 0o777, 0o700)
    const source = yield* Effect.promise(() => readFile(join(path, "mail_1.eml"), "utf8"))
    assert.include(source, "second")
    assert.match(headersOf(source), /^To: bea@example\.net$/m)
  })
})

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

/** The text that a reader of the document sees. */
const shownBy = (html: string): string =>
  html
    .replace(/^.*<body>|<[^>]*>/gs, "")
    .replace(/&([^;]*);/g, (_, name: string) => entities[name] ?? assert.fail(name))

const typed = fc.string({ unit: fc.constantFrom("<", ">", '"', "'", "&", "a", "b", ";", " ", "/", "=", "\u2028") })

const part: fc.Arbitrary<MailPart> = fc.oneof(
  typed,
  fc.record({
    kind: fc.constant("quote" as const),
    text: fc.array(typed, { minLength: 1 }).map((lines) => lines.join("\n"))
  }),
  fc.record({ kind: fc.constant("facts" as const), rows: fc.array(fc.tuple(typed, typed), { minLength: 1 }) }),
  fc.record({
    kind: fc.constant("link" as const),
    label: typed,
    url: typed.map((query) => new URL(`https://sea.example.org/i/x?a=1&b=${query}`))
  })
)

/** The texts that a part shows, one after the other. */
const wordsOf = (part: MailPart): string => {
  if (typeof part === "string") return part
  if (part.kind === "quote") return part.text.replaceAll("\n", "")
  return part.kind === "link" ? part.label : part.rows.flat().join("")
}

const blank = (part: MailPart): MailPart => {
  if (typeof part === "string") return "x"
  if (part.kind === "quote") return { ...part, text: part.text.replace(/[^\n]+/g, "x") }
  if (part.kind === "link") return { ...part, label: "x", url: new URL("https://sea.example.org/") }
  return { ...part, rows: part.rows.map(() => ["x", "x"]) }
}

const tagsOf = (html: string): ReadonlyArray<string> =>
  (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/^<a .*/, "<a>"))

describe("the HTML of mails", () => {
  it("shows everything that was typed, character by character, in the same markup whatever it was", () =>
    forEvery(typed, fc.array(part, { maxLength: 5 }), (subject, parts) => {
      const html = mailHtml({ language: "en-AU", subject, parts })
      assert.strictEqual(shownBy(html), parts.map(wordsOf).join(""))
      assert.deepStrictEqual(
        tagsOf(html),
        tagsOf(mailHtml({ language: "en-AU", subject: "x", parts: parts.map(blank) }))
      )
      const links = Array.from(html.matchAll(/<a href="([^"]*)"/g), ([, href = ""]) => shownBy(href))
      assert.deepStrictEqual(
        links,
        parts.flatMap((each) => (typeof each !== "string" && each.kind === "link" ? [each.url.href] : []))
      )
    }))
})
