import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { GivingSettings } from "../../src/app/giving/GivingSettings.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { mandateSet } from "../../src/domain/payments/TestMandates.ts"
import { makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { mailsOf } from "../support/OutboxMails.ts"
import { renewNow } from "../support/RenewalRun.ts"
import { start } from "../support/Service.ts"
import { makeSharingSandbox } from "../support/SharingSandbox.ts"
import { everyKind } from "../support/Stores.ts"
import { instructionsOf } from "../support/Transfers.ts"

const day = 86_400_000

const methods = ["card", "au_becs_debit", "payto", "bank_transfer"] as const

const transfer = { method: "bank_transfer", payment_token: null } as const
const debit = { method: "au_becs_debit", payment_token: numbers.debit } as const
const agreement = { method: "payto", payment_token: numbers.agreement } as const

describe.each(everyKind)("mails that follow payments over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const giving = anew(() => {
    service.clock.now = start
    return makeGivingSandbox(service, { recurring_frequencies: ["MONTHLY"] }, { methods })
  })
  const sharing = anew(() => makeSharingSandbox(service, { own: { methods } }))

  const mails = async ({ tenant } = giving) => (await mailsOf(service, tenant.organisation)).flatMap(Option.toArray)
  const subjects = async (given = giving) => (await mails(given)).map(({ subject }) => subject)

  const receipt = "Receipt for your gift to Charity"
  const unfinished = "Your gift to Charity is not finished yet"
  const onItsWay = "Your gift to Charity is on its way"
  const failed = "Your gift to Charity did not arrive"

  it("tell who gives by bank transfer what the page tells, and lead to it", async () => {
    const gift = await giving.submit(transfer)
    const step = instructionsOf(gift)
    const [mail, ...more] = await mails()
    assert.lengthOf(more, 0)
    assert.deepInclude(mail, { to: "ada@example.org", subject: unfinished })
    const token = /\/p\/(\S+)/.exec(mail?.text ?? "")?.[1] ?? ""
    assert.strictEqual(
      mail?.text.replace(token, "TOKEN").replace(/https?:\S+\/p\//, "PAGE/"),
      `This is a test of a sandbox: no money is taken.

You give $50.00 to Charity. Thank you.

Transfer it from your bank to this account:

Account name: ${step.account_name}
BSB: ${step.bsb}
Account number: ${step.account_number}
Reference: ${step.reference}
Amount: $50.00

Write the reference as it stands here: your gift is known by it. It is expected until 29 January 2026.

You get a receipt when it has arrived, and a mail if it does not.

See how it goes:

PAGE/TOKEN

The page can be opened until 16 January 2026 at 1:00 pm AEDT, by whoever has its address.

`
    )
    const page = await service.run(Checkouts.use((checkouts) => checkouts.progress(token)))
    assert.deepStrictEqual(page.next_step, gift.next_step)
  })

  it("say nothing any more once the money is there: then the receipt does", async () => {
    const byDebit = await giving.submit(debit)
    assert.deepStrictEqual(await subjects(), [onItsWay])
    await giving.move(byDebit, Bank.settle)
    await giving.settle()
    assert.deepStrictEqual(await subjects(), [receipt])
    const byAgreement = await giving.submit(agreement)
    assert.deepStrictEqual(await subjects(), [receipt, unfinished])
    await giving.move(byAgreement, Bank.approve)
    await giving.settle()
    assert.deepStrictEqual(await subjects(), [receipt, onItsWay])
    await giving.move(byAgreement, Bank.settle)
    await giving.settle()
    assert.deepStrictEqual(await subjects(), [receipt, receipt])
  })

  it("are one for each payment that takes days, and one for its failure, and none where it is given up on purpose", async () => {
    const byDebit = await giving.submit(debit)
    assert.deepStrictEqual(await subjects(), [onItsWay])
    await giving.move(byDebit, (charge, now) => Bank.dishonour(charge, "insufficient_funds", now))
    await giving.settle()
    assert.deepStrictEqual(await subjects(), [failed])
    const [mail] = await mails()
    assert.include(mail?.text, "Your gift of $50.00 to Charity did not arrive.\n\nNo money was taken.")
    assert.include(mail?.text, `/f/${giving.form.slug}`)
    const byAgreement = await giving.submit(agreement)
    assert.deepStrictEqual(await subjects(), [failed, unfinished])
    await giving.move(byAgreement, Bank.decline)
    await giving.settle()
    assert.deepStrictEqual(await subjects(), [failed, failed])
  })

  it("tell of a renewal that fails when it is tried again, and when it is given up that nothing more is taken", async () => {
    const gift = await giving.submit({ frequency: "MONTHLY" })
    await giving.settle()
    await giving.move(gift, (charge, now) => mandateSet(charge, "DECLINING", now))
    const texts: Array<ReadonlyArray<string>> = []
    for (const days of [31, 3, 5, 7, 1, 1]) {
      service.clock.now += days * day
      await service.run(renewNow(giving.tenant.organisation.id))
      await giving.settle()
      texts.push((await mails()).slice(1).map(({ text }) => text))
    }
    // Each is made anew when it is sent: what was said of earlier tries says nothing any more.
    const [first, second, third, last, ...after] = texts
    assert.deepStrictEqual([second, third], [[], []])
    assert.lengthOf(first ?? [], 1)
    assert.include(first?.[0], "It is the gift that you give every month.\n\nIt is tried again on 18 February 2026")
    assert.lengthOf(last ?? [], 1)
    assert.include(last?.[0], "It was tried several times. Your gift has ended, and nothing more is taken.")
    assert.deepStrictEqual(after, [last, last])
  })

  it("go to who gave to a set, and to nobody where the organisation sends none", async () => {
    await sharing.give([3_000, 2_000], debit)
    assert.deepStrictEqual(await subjects(sharing.giving), [onItsWay])
    const set = GivingSettings.use((all) => all.update({ sends_receipts: false }))
    await sharing.giving.tenant.staff(set)
    assert.deepStrictEqual(await subjects(sharing.giving), [])
  })
})
