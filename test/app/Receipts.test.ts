import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { GivingSettings } from "../../src/app/giving/GivingSettings.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { MailMessage } from "../../src/ports/outbox/MailTransport.ts"
import { makeGivingSandbox } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { mailsOf } from "../support/OutboxMails.ts"
import { renewNow } from "../support/RenewalRun.ts"
import { start } from "../support/Service.ts"
import { makeSharingSandbox } from "../support/SharingSandbox.ts"
import { everyKind } from "../support/Stores.ts"

const day = 86_400_000

describe.each(everyKind)("receipts over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const giving = anew(() => {
    service.clock.now = start
    return makeGivingSandbox(service, { recurring_frequencies: ["MONTHLY"] })
  })
  const sharing = anew(() => makeSharingSandbox(service))

  const messages = (organisation: Pick<Organisation, "id">) => mailsOf(service, organisation)
  const said = async (organisation: Pick<Organisation, "id">): Promise<ReadonlyArray<MailMessage>> =>
    (await messages(organisation)).flatMap(Option.toArray)
  const subjects = async (organisation: Pick<Organisation, "id"> = giving.tenant.organisation) =>
    (await said(organisation)).map(({ subject }) => subject)
  const set = (patch: Parameters<GivingSettings["Service"]["update"]>[0]) =>
    giving.tenant.staff(GivingSettings.use((all) => all.update(patch)))
  const refund = async (donation_id: string | null, amount_cents: number) => {
    const answer = await giving.tenant.writer.post(`/donations/${donation_id}/refund`, { amount_cents })
    assert.strictEqual(answer.status, 200, answer.text)
    await giving.settle()
  }

  const receipt = "Receipt for your gift to Charity"
  const corrected = "Corrected receipt for your gift to Charity"

  it("say what a person needs who gave: to whom, how much, when, and whether it is deductible where that was set", async () => {
    await set({ fund_name: "Riverside Relief Fund", fund_abn: "53004085616", is_deductible: true })
    const gift = await giving.submit({ donor: { email: "ada@example.org", first_name: "Ada <b>" } })
    await giving.settle()
    const [mail, ...more] = await said(giving.tenant.organisation)
    assert.lengthOf(more, 0)
    assert.strictEqual(mail?.to, "ada@example.org")
    assert.strictEqual(mail?.subject, receipt)
    assert.strictEqual(
      mail?.text,
      `This is a test of a sandbox: nobody gave anything, and this is no receipt.

Ada <b>, thank you for your gift to Charity.

This receipt is for a gift.

Receipt: ${gift.donation_id}
Given to: Riverside Relief Fund
ABN: 53\u00a0004\u00a0085\u00a0616
Amount: $50.00
Date: 15 January 2026
Paid by: Card

Gifts to Riverside Relief Fund are tax deductible.

`
    )
  })

  it("go to the mailbox of an address that was copied with characters that nobody sees", async () => {
    await giving.submit({ donor: { email: "a\u200bda@example.org\u2060", first_name: "Ada" } })
    await giving.settle()
    const [mail] = await said(giving.tenant.organisation)
    assert.strictEqual(mail?.to, "ada@example.org")
  })

  it("are corrected after each refund, and one that was not sent before says so, too", async () => {
    await set({ fund_abn: "53004085616", is_deductible: true })
    const { donation_id } = await giving.submit()
    await giving.settle()
    await refund(donation_id, 2_000)
    await refund(donation_id, 3_000)
    assert.deepStrictEqual(await subjects(), [receipt, corrected, corrected])
    for (const { text } of await said(giving.tenant.organisation)) {
      assert.include(text, "Given back: $50.00\nWhat is left of the gift: $0.00")
      assert.notInclude(text, "deductible")
    }
  })

  it("tell donors whose gifts are over a threshold of the law that they, too, have to lodge", async () => {
    const assigned = CodeAssignments.use(({ assign }) => assign({ code: "WINTER", jurisdiction: "AU" }))
    await giving.tenant.staff(assigned)
    const told = async () => {
      const texts = (await said(giving.tenant.organisation)).map(({ text }) => text)
      return texts.filter((text) => text.includes("asks donors, too, to lodge what they gave")).length
    }
    const { donation_id } = await giving.submit({ amount_cents: 1_730_000 })
    await giving.settle()
    assert.strictEqual(await told(), 0)
    await giving.submit({ amount_cents: 1 })
    await giving.settle()
    assert.strictEqual(await told(), 2)
    // What goes back takes the sum to the threshold, and not over it.
    await refund(donation_id, 1)
    assert.strictEqual(await told(), 0)
  })

  it("come with each renewal, and say how often the gift repeats", async () => {
    await giving.submit({ frequency: "MONTHLY" })
    await giving.settle()
    service.clock.now += 31 * day
    await service.run(renewNow(giving.tenant.organisation.id))
    await giving.settle()
    assert.deepStrictEqual(await subjects(), [receipt, receipt])
    for (const { text } of await said(giving.tenant.organisation)) assert.include(text, "Given: every month")
  })

  it("come from each recipient of a shared gift, and a summary from who recommended it", async () => {
    await sharing.give([3_000, 2_000])
    await sharing.giving.settle()
    await sharing.giving.distribute()
    for (const { tenant } of [sharing.first, sharing.second]) {
      assert.deepStrictEqual(await subjects(tenant.organisation), [
        `Receipt for your gift to ${tenant.organisation.name}`
      ])
    }
    const [summary, ...more] = await said(sharing.giving.tenant.organisation)
    assert.lengthOf(more, 0)
    assert.strictEqual(summary?.subject, "Summary of your gift through Charity")
    assert.match(summary?.text ?? "", /Food Bank: \$30\.00\nFood Bank: \$20\.00\n\nPayment: \w+\nAmount: \$50\.00/)
    assert.include(summary?.text, "This is no receipt")
  })

  it("are followed by another summary when a part of a shared gift was given back, and by one more for the rest", async () => {
    const { distribute, settle, tenant } = sharing.giving
    await sharing.give([3_000, 2_000])
    await settle()
    await distribute()
    const back = async (...allocation_ids: ReadonlyArray<string>) => {
      const path = `/recommendation-set-payments/${(await sharing.shown()).id}/refund`
      const answer = await tenant.writer.post(path, { allocation_ids })
      assert.strictEqual(answer.status, 200, answer.text)
      for (const work of [settle, distribute, settle]) await work()
      return (await said(tenant.organisation)).map(
        ({ subject, text }) => [subject, text.replaceAll("\n", " | ")] as const
      )
    }
    const [first, second] = await sharing.shares()
    const [once, corrected, ...more] = await back(first?.id ?? "")
    assert.lengthOf(more, 0)
    assert.deepStrictEqual(
      [once?.[0], corrected?.[0]],
      ["Summary of your gift through Charity", "Corrected summary of your gift through Charity"]
    )
    // The first one says so, too, as it was not sent before.
    for (const each of [once, corrected]) {
      assert.include(each?.[1], "Food Bank: $30.00, which was given back | Food Bank: $20.00 |")
      assert.include(each?.[1], "Amount: $50.00 | Given back: $30.00 | What is left of the gift: $20.00")
    }
    assert.include(corrected?.[1], "takes the place of the one that you had for this gift: part of it was given back.")
    const all = await back(second?.id ?? "")
    assert.lengthOf(all, 3)
    assert.include(all[2]?.[1], "all of it was given back.")
    assert.include(all[2]?.[1], "What is left of the gift: $0.00")
  })

  it("are followed by one summary where all parts of a shared gift come back together, also when one of them cannot", async () => {
    const { giving, second, setAccount } = sharing
    const { distribute, settle, tenant } = giving
    const later = async () => (await subjects(tenant.organisation)).slice(1)
    const askedBack = async () => {
      await sharing.give([3_000, 2_000])
      await settle()
      await distribute()
    }
    const all = async () => {
      const path = `/recommendation-set-payments/${(await sharing.shown()).id}/refund`
      assert.strictEqual((await tenant.writer.post(path, {})).status, 200)
      for (const work of [settle, distribute, settle]) await work()
    }
    await askedBack()
    await all()
    assert.deepStrictEqual(await sharing.statuses(), ["reversed", "reversed"])
    assert.deepStrictEqual(await later(), ["Corrected summary of your gift through Charity"])
    await askedBack()
    const before = (await later()).length
    await setAccount(second, { transfers: "REFUSED" })
    await all()
    assert.lengthOf(await later(), before)
    await setAccount(second, { transfers: "CLOSED" })
    for (const work of [distribute, settle]) await work()
    assert.deepStrictEqual(await sharing.statuses(), ["reversed", "succeeded"])
    assert.lengthOf(await later(), before + 1)
  })
})
