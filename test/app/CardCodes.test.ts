import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { anew } from "../support/Late.ts"
import { codeMails, codesSentTo } from "../support/OutboxMails.ts"
import { describeServiceFromStart, times } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"

const minute = 60_000
const hour = 60 * minute

describeServiceFromStart(everyKind, "cards that a mailed code opens", (service) => {
  let tried = 0
  /** An address that no other test has: the clock begins anew with each. */
  const anybody = () => `somebody${++tried}@example.org`
  const donorOf = (email: string) => ({ email, first_name: "Di", last_name: "Lee" })

  const give = ({ attempt }: GivingSandbox, given: FieldsOf<Submission> = {}) =>
    attempt({ donor: donorOf(`d${++tried}@example.org`), ...given })

  /** A form whose cards are closed, since many were declined. */
  const closed = async () => {
    service.pace = 0
    const giving = await makeGivingSandbox(service)
    await times(40, () => give(giving, { payment_token: numbers.declined }))
    return giving
  }
  const giving = anew(closed)

  const targetOf = ({ form, tenant }: GivingSandbox = giving) => ({
    organisation: tenant.organisation.slug,
    slug: form.slug
  })
  const pageOf = (target: object = targetOf()) =>
    service.run(Checkouts.use((checkouts) => checkouts.open({ ...targetOf(), ...target })))
  const ask = (email: string, submission_id: string, target: object = targetOf()) =>
    service.run(
      Effect.result(
        Checkouts.use((checkouts) => checkouts.requestCode({ ...targetOf(), ...target, submission_id, email }))
      )
    )
  const enter = async (email: string, submission_id: string, email_code: string, target: object = targetOf()) => {
    const entered = { ...targetOf(), ...target, submission_id, email, email_code }
    const opened = await service.run(Effect.result(Checkouts.use((checkouts) => checkouts.openCards(entered))))
    return Result.isSuccess(opened) ? opened.success.card_pass : null
  }
  const codesOf = (email: string, { tenant }: GivingSandbox = giving) =>
    codesSentTo(service, tenant.organisation, email)
  const otherThan = (code: string) => (code === "123456" ? "654321" : "123456")

  /** Whoever reads the mails of an address, and gives by a code. */
  const giveByCode = async (sandbox: GivingSandbox, email: string, payment_token: string) => {
    const submission_id = randomUUID()
    await ask(email, submission_id, targetOf(sandbox))
    const [code = ""] = (await codesOf(email, sandbox)).slice(-1)
    const card_pass = await enter(email, submission_id, code, targetOf(sandbox))
    return give(sandbox, { submission_id, card_pass, donor: donorOf(email), payment_token })
  }

  it("are open for the submission, the address and the page that the code was asked for, and for no other", async () => {
    const page = await pageOf()
    assert.deepInclude(page, { cards_closed: true, card_codes: true, closed: null })
    const [submission_id, email] = [randomUUID(), anybody()]
    const answer = Result.getOrThrow(await ask(email, submission_id))
    const [mail, ...more] = await codeMails(service, giving.tenant.organisation)
    assert.lengthOf(more, 0)
    assert.strictEqual(mail?.to, email)
    assert.strictEqual(mail?.subject, "Your code for giving to Charity")
    assert.match(mail?.text ?? "", /^Code: \d{6}$/m)
    assert.notInclude(JSON.stringify(answer), email)
    const [code = ""] = await codesOf(email)
    assert.isNull(await enter(email, submission_id, otherThan(code)))
    assert.isNull(await enter("bea@example.org", submission_id, code))
    assert.isNull(await enter(email, randomUUID(), code))
    const other = await giving.tenant.writer.post("/forms", { name: "Spring appeal", status: "ACTIVE" })
    assert.isNull(await enter(email, submission_id, code, { slug: other.textAt("slug") }))
    const card_pass =
      (await enter(` ${email.toUpperCase()}`, submission_id, code)) ?? assert.fail("the code is refused")
    const donor = donorOf(email)
    const refused = "InvalidInput method"
    assert.strictEqual(await give(giving, { card_pass, donor }), refused)
    assert.strictEqual(await give(giving, { card_pass, submission_id, donor: donorOf("bea@example.org") }), refused)
    assert.strictEqual(await give(giving, { card_pass: `${card_pass}x`, submission_id, donor }), refused)
    assert.strictEqual(await give(giving, { card_pass, submission_id, donor }), "SUCCEEDED")
    // The same submission is the same gift, as ever.
    assert.strictEqual(await give(giving, { card_pass, submission_id, donor }), "SUCCEEDED")
    assert.strictEqual(await give(giving, { donor }), refused)
    await giving.balanced()
  })

  it("answer a known address as an unknown one, in the same bytes", async () => {
    await giving.tenant.writer.post("/donors", { first_name: "Zo", last_name: "Quill", email: "zo@example.org" })
    const answers = [await ask("zo@example.org", randomUUID()), await ask("nobody@example.org", randomUUID())]
    const [known, unknown] = answers.map((answer) => JSON.stringify(Result.getOrThrow(answer)))
    assert.strictEqual(known, unknown)
    const mails = await codeMails(service, giving.tenant.organisation)
    const [one, two] = mails.map(({ parts, subject }) => JSON.stringify([subject, parts]).replaceAll(/\d{6}/g, "…"))
    assert.strictEqual(one, two)
  })

  it("need the code within 15 minutes and 5 tries, and the pass within half an hour", async () => {
    const [submission_id, email] = [randomUUID(), anybody()]
    await ask(email, submission_id)
    const [code = ""] = await codesOf(email)
    for (let each = 0; each < Limits.emailCodeTries; each++) {
      assert.isNull(await enter(email, submission_id, otherThan(code)))
    }
    assert.isNull(await enter(email, submission_id, code))
    await ask(email, submission_id)
    const [, second = ""] = await codesOf(email)
    service.clock.advance(Limits.emailCodeMinutes * minute)
    assert.isNull(await enter(email, submission_id, second))
    assert.deepStrictEqual(await codesOf(email), [])
    await ask(email, submission_id)
    const [third = ""] = await codesOf(email)
    service.clock.advance(Limits.emailCodeMinutes * minute - 1)
    const card_pass = await enter(email, submission_id, third)
    assert.isNotNull(card_pass)
    service.clock.advance(Limits.cardPassMinutes * minute)
    assert.strictEqual(await give(giving, { card_pass, submission_id, donor: donorOf(email) }), "InvalidInput method")
  })

  it("are asked for at most 5 times an hour for an address, by whichever page, and nobody is told", async () => {
    const email = anybody()
    const beside = await closed()
    const asked = Limits.emailCodesPerAddress
    for (let each = 0; each < asked - 1; each++) await ask(email, randomUUID())
    const last = randomUUID()
    await ask(email, last, targetOf(beside))
    const beyond = await ask(email, last)
    assert.isTrue(Result.isSuccess(beyond))
    assert.lengthOf(await codesOf(email), asked - 1)
    assert.lengthOf(await codesOf(email, beside), 1)
    service.clock.advance(hour)
    await ask(email, last)
    assert.lengthOf(await codesOf(email), 1)
  })

  it("are opened by no code where they are open, where the donor is known, or where no gift is taken", async () => {
    const open = await makeGivingSandbox(service)
    const asked = async (target: object) => {
      const answer = await ask("ada@example.org", randomUUID(), target)
      return Result.isFailure(answer) ? answer.failure._tag : "sent"
    }
    assert.isFalse((await pageOf(targetOf(open))).card_codes)
    assert.strictEqual(await asked(targetOf(open)), "InvalidInput")
    const { writer } = giving.tenant
    const donor = await writer.post("/donors", { first_name: "Zo", last_name: "Quill", email: "zo@example.org" })
    const link = await writer.post(`/forms/${giving.form.id}/personalised-links`, { donor_id: donor.textAt("id") })
    const dt = new URL(link.textAt("url")).searchParams.get("dt")
    assert.isFalse((await pageOf({ dt })).card_codes)
    assert.strictEqual(await asked({ dt }), "InvalidInput")
    await writer.patch(`/forms/${giving.form.id}`, { status: "PAUSED" })
    assert.strictEqual(await asked({}), "TakesNoPayment")
    assert.lengthOf(await codeMails(service, open.tenant.organisation), 0)
  })

  it("are closed for those with codes, too, when these are declined", async () => {
    const asked = (await giving.charges()).length
    const outcomes: Array<string> = []
    for (let each = 0; each < 12; each++) outcomes.push(await giveByCode(giving, anybody(), numbers.declined))
    assert.lengthOf(
      outcomes.filter((outcome) => outcome === "FAILED"),
      Limits.cardCreditCodes
    )
    assert.lengthOf(await giving.charges(), asked + Limits.cardCreditCodes)
    assert.deepInclude(await pageOf(), { cards_closed: true, card_codes: false })
    service.clock.advance((Limits.cardClosingHours[0] ?? 0) * hour)
    assert.deepInclude(await pageOf(), { cards_closed: false, card_codes: false })
  })

  it("show the page where cards are the only way, until codes are closed as well", async () => {
    const only = await makeGivingSandbox(service, {}, { methods: ["card"] })
    await times(40, () => give(only, { payment_token: numbers.declined }))
    assert.deepInclude(await pageOf(targetOf(only)), { closed: null, card_codes: true, methods: [] })
    assert.strictEqual(await giveByCode(only, anybody(), numbers.succeeds), "SUCCEEDED")
    for (let each = 0; each < 10; each++) await giveByCode(only, anybody(), numbers.declined)
    assert.deepInclude(await pageOf(targetOf(only)), { closed: "cards_closed", card_codes: false, methods: [] })
  })
})
