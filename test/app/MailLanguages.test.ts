import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { Donors } from "../../src/app/giving/Donors.ts"
import { YearlySummaries } from "../../src/app/outbox/YearlySummaries.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { DonorId } from "../../src/domain/kernel/Ids.ts"
import type { Language } from "../../src/domain/kernel/Language.ts"
import { DonationStore } from "../../src/ports.ts"
import { closeCards, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { mailsOf } from "../support/OutboxMails.ts"
import { renewNow } from "../support/RenewalRun.ts"
import { start } from "../support/Service.ts"
import { makeSharingSandbox } from "../support/SharingSandbox.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator } from "../support/Tenant.ts"

const day = 86_400_000

describe.each(everyKind)("the language of mails over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const methods = ["card", "au_becs_debit", "bank_transfer"] as const
  const giving = anew(() => {
    service.clock.now = start
    service.pace = 0
    return makeGivingSandbox(service, { recurring_frequencies: ["ANNUALLY"] }, { methods })
  })
  const sharing = anew(() => makeSharingSandbox(service))

  /** What an organisation's mails would say now, the oldest first: their languages, each with what its subject begins with. */
  const said = async (organisation: Pick<Organisation, "id"> = giving.tenant.organisation) =>
    (await mailsOf(service, organisation))
      .flatMap(Option.toArray)
      .map(({ language, subject }) => `${language} ${subject.split(" ", 1)[0]}`)

  it("is that of the page for all that follows a gift, English where none was said, and of no other answer", async () => {
    const gift = await giving.submit({ language: "ar" })
    await giving.settle()
    await giving.submit()
    await giving.submit({ language: "en-XA", method: "bank_transfer", payment_token: null })
    await giving.settle()
    const answer = await giving.tenant.writer.post(`/donations/${gift.donation_id}/refund`, { amount_cents: 1_000 })
    assert.notProperty(Object(answer.at("")), "language")
    await giving.settle()
    assert.deepStrictEqual((await said()).toSorted(), ["ar إيصال", "ar إيصال", "en-AU Receipt", "en-XA ⟦Yöûr"])
  })

  it("is one that mails have, and English for one that a newer version has written", async () => {
    const refused = giving.submission({ language: "tlh" as Language })
    const tried = await service.run(Effect.result(Checkouts.use(({ submit }) => submit(refused))))
    assert.deepInclude(Option.getOrThrow(Result.getFailure(tried)), { _tag: "InvalidInput", param: "language" })
    const { donation_id } = await giving.submit({ language: "ar" })
    await giving.settle()
    const { organisation } = giving.tenant
    await service.run(
      Effect.gen(function* () {
        const store = yield* DonationStore
        const gift = yield* store.find(organisation.id, donation_id ?? assert.fail())
        yield* store.update({ ...Option.getOrThrow(gift), language: "tlh" })
      })
    )
    assert.deepStrictEqual(await said(), ["en-AU Receipt"])
  })

  it("is that of a recurring gift a year later, as its donor set it up, or tried it again", async () => {
    const { organisation } = giving.tenant
    const repeated = { frequency: "ANNUALLY" } as const
    const first = await giving.submit({ ...repeated, payment_token: numbers.declined })
    await giving.submit({ ...repeated, retries: first.progress_token, language: "ar" })
    await giving.settle()
    service.clock.now += 366 * day
    await service.run(renewNow(organisation.id))
    await giving.settle()
    assert.deepStrictEqual(await said(), ["ar إيصال", "ar إيصال"])
  })

  it("is that of a recurring gift when it fails", async () => {
    await giving.submit({ frequency: "ANNUALLY", payment_token: "4000 0000 0000 0341", language: "ar" })
    await giving.settle()
    service.clock.now += 366 * day
    await service.run(renewNow(giving.tenant.organisation.id))
    await giving.settle()
    assert.deepStrictEqual(await said(), ["ar إيصال", "ar لم"])
  })

  it("is that of a shared gift for whoever recommended it, and for each recipient", async () => {
    const { distribute, settle, tenant } = sharing.giving
    await sharing.give([3_000, 2_000], { language: "ar" })
    await settle()
    await distribute()
    assert.deepStrictEqual(await said(tenant.organisation), ["ar ملخص"])
    for (const { organisation } of sharing.recipients) assert.deepStrictEqual(await said(organisation), ["ar إيصال"])
  })

  it("is that of the page which asked for a code", async () => {
    await closeCards(giving)
    const { organisation, submission_id } = giving.submission()
    const asked = { organisation, slug: giving.form.slug, submission_id }
    const request = { ...asked, email: "ada@example.org", language: "ar" } as const
    await service.run(Checkouts.use(({ requestCode }) => requestCode(request)))
    assert.deepStrictEqual(await said(), ["ar رمزك"])
  })

  it("is that of the donor's last gift for a summary of a year, also where it came from a donor who was merged", async () => {
    const { organisation } = giving.tenant
    const donorOf = (email: string) => ({ email, first_name: "Ada", last_name: "Lee" })
    const give = async (email: string, language: Language | null) => {
      const { donation_id } = await giving.submit({ donor: donorOf(email), language })
      await giving.settle()
      service.clock.now += day
      return (await giving.tenant.reader.get(`/donations/${donation_id}`)).textAt("donor_id") as DonorId
    }
    const donor = await give("ada@example.org", "ar")
    const other = await give("bea@example.org", "en-AU")
    await give("ada@example.org", null)
    service.clock.now = Date.UTC(2026, 6, 20)
    const summary = async () => {
      await service.run(YearlySummaries.use((all) => all.send(donor, {})).pipe(asOperator(organisation)))
      const mails = (await mailsOf(service, organisation, "yearly_summary")).flatMap(Option.toArray)
      return mails.at(-1)?.language
    }
    assert.strictEqual(await summary(), "ar")
    const merge = Donors.use((all) => all.merge(donor, { duplicate_donor_id: other }))
    await service.run(merge.pipe(asOperator(organisation)))
    service.clock.now += day
    assert.strictEqual(await summary(), "en-AU")
  })
})
