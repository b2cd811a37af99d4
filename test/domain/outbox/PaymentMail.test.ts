import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { type MailContent, plainText } from "../../../src/domain/kernel/MailContent.ts"
import { cardCodeMail } from "../../../src/domain/outbox/CardCodeMail.ts"
import { cardsClosedMail } from "../../../src/domain/outbox/CardsClosedMail.ts"
import { paymentFailedMail, paymentProcessingMail } from "../../../src/domain/outbox/PaymentMail.ts"
import type { NextStep } from "../../../src/domain/payments/NextStep.ts"
import { forEvery } from "../../support/Property.ts"

const sandbox = fc.boolean()
const isSaidToBeTest = (content: MailContent, is_sandbox: boolean) =>
  assert.strictEqual(/is a test/.test(plainText(content)), is_sandbox)

const organisationOf = (is_sandbox: boolean) => ({
  name: "Sea Rescue",
  abn: null,
  is_sandbox,
  timezone: "Australia/Sydney"
})
const charge = { amount_cents: 1_234_50, currency: "AUD", method: "bank_transfer", status: "WAITING" } as const
const day = CalendarDate.make("2026-07-09")
const page = { url: "https://pages.example/p/tok", expires_at: DateTime.makeUnsafe("2026-07-10T14:30:00Z") }

const processing = (
  next_step: NextStep | null,
  change: Partial<typeof charge> | { status: "PROCESSING" } = {},
  is_sandbox = false
) =>
  paymentProcessingMail({
    language: "en-AU",
    organisation: organisationOf(is_sandbox),
    charge: { ...charge, ...change },
    next_step,
    last_day: day,
    page
  })

const transfer: NextStep = {
  _tag: "BankTransfer",
  account_name: "Sea Rescue Fund",
  bsb: "062-000",
  account_number: "12345678",
  reference: "GIFT7",
  amount_cents: 1_234_50,
  currency: "AUD"
}

describe("the mail of a payment under way", () => {
  it("tells amount, organisation, page and until when the page is there, by the organisation's clock", () => {
    for (const step of [null, transfer]) {
      const text = plainText(processing(step))
      for (const fact of ["$1,234.50", "Sea Rescue", "https://pages.example/p/tok", "11 July 2026"])
        assert.include(text, fact)
    }
  })

  it("tells the account, the reference and the last day of a transfer", () => {
    const facts = processing(transfer).parts.find((part) => typeof part !== "string" && part.kind === "facts")
    assert.deepStrictEqual(facts, {
      kind: "facts",
      rows: [
        ["Account name", "Sea Rescue Fund"],
        ["BSB", "062-000"],
        ["Account number", "12345678"],
        ["Reference", "GIFT7"],
        ["Amount", "$1,234.50"]
      ]
    })
    const text = plainText(processing(transfer))
    assert.match(text, /Transfer it .*account/)
    assert.include(text, "until 9 July 2026")
  })

  it("asks for an approval in the bank's app until the last day, and leads to the page where that is not known", () => {
    const approval = plainText(processing({ _tag: "Approval" }))
    assert.match(approval, /Approve it in the app of your bank, until 9 July 2026/)
    const unknown = plainText(processing(null))
    assert.match(unknown, /page says what is to be done.*until 9 July 2026/)
    assert.notInclude(unknown, "Approve")
  })

  it("asks for nothing once the bank was asked, and its subject says which it is", () => {
    const asked = processing(transfer, { status: "PROCESSING" })
    assert.match(plainText(asked), /You need do nothing/)
    assert.notInclude(plainText(asked), "GIFT7")
    assert.match(asked.subject, /on its way/)
    assert.match(processing(transfer).subject, /not finished yet/)
  })

  it("says of a sandbox's that it is a test, and of no other", () =>
    forEvery(sandbox, (is_sandbox) => isSaidToBeTest(processing(null, {}, is_sandbox), is_sandbox)))
})

describe("the mail of a payment that failed", () => {
  const failed = (change: Partial<Parameters<typeof paymentFailedMail>[0]> = {}, is_sandbox = false) =>
    paymentFailedMail({
      language: "en-AU",
      organisation: organisationOf(is_sandbox),
      charge: { ...charge, failure_code: "insufficient_funds", method: "payto" },
      renewal: null,
      page_url: null,
      ...change
    })

  it("tells of which gift, and that no money was taken, or that a transfer was not seen", () => {
    const taken = plainText(failed())
    assert.match(taken, /\$1,234\.50 to Sea Rescue did not arrive/)
    assert.match(taken, /No money was taken/)
    const sent = plainText(failed({ charge: { ...charge, failure_code: "bank_transfer_lapsed" } }))
    assert.match(sent, /not seen on the account/)
    assert.notMatch(sent, /No money was taken/)
  })

  it("says of no bank that it knows why, where the payment came to none", () => {
    const text = (method: "au_becs_debit" | "payto", failure_code: string) =>
      plainText(failed({ charge: { ...charge, failure_code, method } }))
    for (const method of ["au_becs_debit", "payto"] as const) {
      assert.match(text(method, "abandoned"), /not approved in time/)
      assert.match(text(method, "processor_unreachable"), /could not be passed on/)
      for (const code of ["abandoned", "processor_unreachable"]) assert.notMatch(text(method, code), /bank/i)
      assert.match(text(method, "insufficient_funds"), /your bank may know why/)
    }
    // An agreement is often refused by its donor.
    assert.match(text("payto", "payment_refused"), /If you did not refuse it/)
    assert.notMatch(text("au_becs_debit", "payment_refused"), /did not refuse/)
  })

  it("leads to where one can give again, where there is such a page", () => {
    const link = { kind: "link", label: "Give again", url: new URL("https://pages.example/f/a") } as const
    assert.includeDeepMembers([...failed({ page_url: link.url.href }).parts], [link])
    assert.isTrue(failed().parts.every((part) => typeof part === "string"))
  })

  it("tells of a recurring gift whether it is tried again, goes on, or has ended", () => {
    const renewal = { frequency: "MONTHLY", again_on: day, has_ended: false } as const
    const again = plainText(failed({ renewal }))
    assert.match(again, /every month/)
    assert.match(again, /tried again on 9 July 2026/)
    const on = plainText(failed({ renewal: { ...renewal, again_on: null } }))
    assert.match(on, /not tried again.*next gift is taken/)
    const over = plainText(failed({ renewal: { ...renewal, again_on: null, has_ended: true } }))
    assert.match(over, /has ended, and nothing more is taken/)
    for (const text of [on, over]) assert.match(text, /every month/)
    for (const text of [again, on, over]) assert.notMatch(text, /No money was taken/)
  })

  it("says of a sandbox's that it is a test, and of no other", () =>
    forEvery(sandbox, (is_sandbox) => isSaidToBeTest(failed({}, is_sandbox), is_sandbox)))
})

describe("mails about cards", () => {
  it("tell the code and for how long it is good, and of a sandbox's that it is a test", () =>
    forEvery(sandbox, (is_sandbox) => {
      const mail = cardCodeMail({ language: "en-AU", code: "012345", organisation: organisationOf(is_sandbox) })
      const text = plainText(mail)
      assert.match(text, /Code: 012345/)
      assert.match(text, /page of Sea Rescue that asked for it/)
      assert.match(text, /15 minutes/)
      isSaidToBeTest(mail, is_sandbox)
    }))

  it("tell admins which pages take none until when, by their clock, and of a sandbox's that it is a test", () =>
    forEvery(sandbox, (is_sandbox) => {
      const closed_until = DateTime.makeUnsafe("2026-07-10T14:30:00Z")
      const organisation = organisationOf(is_sandbox)
      const mail = cardsClosedMail({ organisation, page: { kind: "form", name: "Winter" }, closed_until })
      assert.match(plainText(mail), /form Winter of Sea Rescue .*closed there until 11 July 2026/)
      assert.match(cardsClosedMail({ organisation, page: null, closed_until }).subject, /all forms of Sea Rescue/)
      isSaidToBeTest(mail, is_sandbox)
    }))
})
