import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Option, Result } from "effect"
import { Donors } from "../../src/app/giving/Donors.ts"
import { GivingSettings } from "../../src/app/giving/GivingSettings.ts"
import { Mailer } from "../../src/app/outbox/Mailer.ts"
import { makeMailMessages } from "../../src/app/outbox/mail/MailMessages.ts"
import { Sweeper } from "../../src/app/outbox/Sweeper.ts"
import { makeSummaryWriter } from "../../src/app/outbox/summary/SummaryWriter.ts"
import { YearlySummaries } from "../../src/app/outbox/YearlySummaries.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { Donation } from "../../src/domain/giving/Donation.ts"
import type { Donor } from "../../src/domain/giving/Donor.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import type { DonorId, OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import * as Mail from "../../src/domain/kernel/Mail.ts"
import { beginSummary } from "../../src/domain/outbox/YearlySummary.ts"
import * as Ports from "../../src/ports.ts"
import { donationOf, donorOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { mailsOf } from "../payments/Receipts.ts"
import { changePort } from "../support/ChangePort.ts"
import { makeGivingSandbox } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { start } from "../support/Service.ts"
import { everyKind, type StoresLayer } from "../support/Stores.ts"
import { asOperator, auditOf } from "../support/Tenant.ts"

/** The eighth of July in Sydney, when the summaries of the year before are due. */
const due = Date.UTC(2026, 6, 7, 14)
const day = 86_400_000

/** A place in a step where the process ends: before a call, or after it and before the commit. */
const faults = { calls: 0, endsAt: Number.POSITIVE_INFINITY, donors: Number.POSITIVE_INFINITY }

const ending = <A>(call: Effect.Effect<A>): Effect.Effect<A> => {
  const place = Effect.suspend(() => {
    faults.calls += 1
    return faults.calls === faults.endsAt ? Effect.die(new Error("the process ended")) : Effect.void
  })
  return Effect.tap(Effect.andThen(place, call), () => place)
}

/** The stores, whose steps have fewer donors where a test says so. */
const withEnds = (stores: StoresLayer): StoresLayer =>
  Layer.merge(
    changePort(Ports.MailOutbox, ({ add }) => ({ add: (mail) => ending(add(mail)) })),
    changePort(Ports.YearlySummaryStore, ({ begin, donorsAfter, openForUpdate, save }) => ({
      begin: (summary) => ending(begin(summary)),
      openForUpdate: (id) => ending(openForUpdate(id)),
      donorsAfter: (id, year, after, limit) => ending(donorsAfter(id, year, after, Math.min(limit, faults.donors))),
      save: (summary) => ending(save(summary))
    }))
  ).pipe(Layer.provideMerge(stores))

const query = Result.getOrThrow(parse(Mail.listing, [["limit", "100"]]))

describe.each(everyKind)("summaries of years over %s", (_name, stores) => {
  const service = serviceOver({ stores: withEnds(stores) })
  const giving = anew(() => {
    service.clock.now = start
    Object.assign(faults, { calls: 0, endsAt: Number.POSITIVE_INFINITY, donors: Number.POSITIVE_INFINITY })
    return makeGivingSandbox(service, {})
  })

  const sweep = () => service.run(Sweeper.use(({ sweepOnce }) => sweepOnce))
  const writeFor = (id: OrganisationId) => Effect.flatMap(makeSummaryWriter, (write) => write(id))

  /** What an organisation's summaries would say now, the oldest first. */
  const said = ({ id }: Pick<Organisation, "id">): Promise<ReadonlyArray<Ports.MailMessage>> =>
    service.run(
      Effect.gen(function* () {
        const outbox = yield* Ports.MailOutbox
        const messageOf = yield* makeMailMessages
        const { data } = yield* outbox.list(id, query)
        const own = data.toReversed().filter(({ template }) => template === "yearly_summary")
        const all = yield* Effect.forEach(own, ({ id: mail_id }) =>
          Effect.flatMap(Effect.map(outbox.find(id, Mail.Mail.fields.id.make(mail_id)), Option.getOrThrow), (mail) =>
            Effect.flatMap(outbox.now, (now) => messageOf(mail, now))
          )
        )
        return all.flatMap(Option.toArray)
      }).pipe(Effect.orDie)
    )
  const set = (patch: Parameters<GivingSettings["Service"]["update"]>[0]) =>
    giving.tenant.staff(GivingSettings.use((all) => all.update(patch)))

  const keepDonor = Effect.fnUntraced(function* (id: OrganisationId, given: Partial<Donor> = {}) {
    const donor = yield* donorOf(id, { email: "ada@example.org", ...given })
    yield* Ports.DonorStore.use(({ insert }) => insert(donor))
    return donor
  })
  const keepGift = Effect.fnUntraced(function* (donor: Donor, given: Partial<Donation> = {}) {
    const gift = yield* donationOf(donor, {
      source: "PAYMENT_PROCESSOR",
      donation_day: CalendarDate.make("2026-01-01"),
      payment_method: "card",
      ...given
    })
    yield* Ports.DonationStore.use(({ insert }) => insert(gift))
    return gift
  })
  /** Donors of a new organisation with a gift each. */
  const makeDonors = Effect.fnUntraced(function* (count: number) {
    const { id } = yield* newOrganisation()
    const donors = yield* Effect.forEach(Array(count).fill(null), () => keepDonor(id))
    yield* Effect.forEach(donors, (donor) => keepGift(donor))
    return { id, ids: donors.map((donor) => donor.id).toSorted() }
  })
  const written = (id: OrganisationId) => service.run(Effect.map(mailsOf(id), (all) => all.toSorted()))
  const owed = (ids: ReadonlyArray<DonorId>) => ids.map((id) => `yearly_summary ${id} 2025-26`)

  it("come a week after the year by the organisation's calendar, once, with each gift and what was given back", async () => {
    const { organisation, writer } = giving.tenant
    await set({ fund_name: "Relief Fund", fund_abn: "53004085616", is_deductible: true })
    const first = await giving.submit()
    await giving.settle()
    service.clock.now += 30 * day
    const second = await giving.submit({ amount_cents: 2_000 })
    await giving.settle()
    const back = await writer.post(`/donations/${first.donation_id}/refund`, { amount_cents: 1_500 })
    assert.strictEqual(back.status, 200, back.text)
    await giving.settle()
    service.clock.now = due - 1
    await sweep()
    assert.lengthOf(await said(organisation), 0)
    service.clock.now = due
    await giving.submit({ amount_cents: 700 })
    await giving.settle()
    for (let time = 0; time < 2; time++) await sweep()
    service.clock.now += 40 * day
    await sweep()
    const [mail, ...more] = await said(organisation)
    assert.lengthOf(more, 0)
    assert.strictEqual(mail?.to, "ada@example.org")
    assert.strictEqual(mail?.subject, "Summary of your gifts to Charity, 2025-26")
    assert.strictEqual(
      mail?.text,
      `This is a test of a sandbox: nobody gave anything, and this is no summary of gifts.

Ada, thank you for your gifts to Charity from 1 July 2025 to 30 June 2026.

15 January 2026, ${first.donation_id}: $50.00, of which $15.00 was given back
14 February 2026, ${second.donation_id}: $20.00

Given to: Relief Fund
ABN: 53\u00a0004\u00a0085\u00a0616
Gifts: 2
Sum: $70.00
Given back: $15.00
What is left of the sum: $55.00

Gifts to Relief Fund are tax deductible: $55.00.

You have a receipt for each of these gifts. This is a summary of them, and no further receipt: each gift counts once. Gifts that reached us in other ways are not in it.

`
    )
    // What is given back later is told with the gift's own receipt, which says so.
    const later = await writer.post(`/donations/${second.donation_id}/refund`, { amount_cents: 2_000 })
    assert.strictEqual(later.status, 200, later.text)
    await giving.settle()
    const text = await service.run(
      Effect.gen(function* () {
        const outbox = yield* Ports.MailOutbox
        const messageOf = yield* makeMailMessages
        const { data } = yield* outbox.list(organisation.id, query)
        const mail = yield* outbox.find(organisation.id, Mail.Mail.fields.id.make(data[0]?.id ?? ""))
        return Option.getOrThrow(yield* messageOf(Option.getOrThrow(mail), yield* outbox.now)).text
      }).pipe(Effect.orDie)
    )
    assert.include(
      text,
      "If you had the summary of your gifts of 2025-26, this receipt takes the place of what it says"
    )
  })

  it("are written once for each donor, wherever the process ends in a step, and whoever writes at the same moment", async () => {
    faults.donors = 2
    service.clock.now = due
    for (let endsAt = 1, wasReached = true; wasReached; endsAt++) {
      const { id, ids } = await service.run(makeDonors(3))
      Object.assign(faults, { calls: 0, endsAt })
      await service.run(Effect.exit(writeFor(id)))
      wasReached = faults.calls >= endsAt
      faults.endsAt = Number.POSITIVE_INFINITY
      await service.run(Effect.all([writeFor(id), writeFor(id)], { concurrency: 2 }))
      assert.deepStrictEqual(await written(id), owed(ids), `it ended at ${endsAt}`)
      assert.strictEqual(await service.run(writeFor(id)), 0)
      if (!wasReached) assert.isAbove(endsAt, 20)
    }
  })

  it("go on with the others where one organisation's cannot be written", async () => {
    service.clock.now = due
    const [one, two] = [await service.run(makeDonors(1)), await service.run(makeDonors(1))]
    Object.assign(faults, { calls: 0, endsAt: 1 })
    await sweep()
    await sweep()
    assert.deepStrictEqual(
      [...(await written(one.id)), ...(await written(two.id))],
      [...owed(one.ids), ...owed(two.ids)]
    )
  })

  it("leave out donors who are archived, without an address, or not to be contacted, and years before", async () => {
    service.clock.now = due
    const { id } = await service.run(newOrganisation())
    await service.run(
      Effect.gen(function* () {
        for (const given of [{ email: null }, { archived_at: DateTime.makeUnsafe(start) }, { do_not_contact: true }]) {
          yield* keepGift(yield* keepDonor(id, given))
        }
        yield* keepGift(yield* keepDonor(id), { donation_day: CalendarDate.make("2025-06-30") })
        yield* keepGift(yield* keepDonor(id), { donation_day: CalendarDate.make("2026-07-01") })
        yield* keepGift(yield* keepDonor(id), { source: "MANUAL" })
        yield* keepGift(yield* keepDonor(id), { status: "FAILED" })
      })
    )
    assert.strictEqual(await service.run(writeFor(id)), 0)
    assert.deepStrictEqual(await written(id), [])
  })

  it("list so many gifts, and sum up all", async () => {
    service.clock.now = due
    const { id, ids } = await service.run(makeDonors(1))
    const donor = Option.getOrThrow(await service.run(Ports.DonorStore.use(({ find }) => find(id, ids[0] as DonorId))))
    await service.run(Effect.forEach(Array(Limits.summaryGifts + 2).fill(null), () => keepGift(donor)))
    await service.run(writeFor(id))
    const [mail] = await said({ id })
    assert.strictEqual(mail?.text.match(/^1 January 2026, don_/gm)?.length, Limits.summaryGifts)
    assert.include(mail?.text, "3 more gifts of the year are not listed. They are in the sum.")
    assert.include(mail?.text, `Gifts: ${Limits.summaryGifts + 3}\nSum: $10,150.00\n`)
  })

  it.each([
    ["before both", false, false],
    ["between both", true, false],
    ["after both", true, true]
  ])("tell a merged donor's gifts to who took over: merged %s", async (_when, isPassed, isWritten) => {
    const { organisation, writer } = giving.tenant
    service.clock.now = due
    const made = await Promise.all([1, 2].map(() => writer.post("/donors", { email: "kim@example.org" })))
    const [survivor = "", duplicate_donor_id = ""] = made.map((each) => each.textAt("id")).toSorted()
    const merge = Donors.use((all) => all.merge(survivor as DonorId, { duplicate_donor_id }))
    const gift = await service.run(
      Effect.gen(function* () {
        const duplicate = yield* Ports.DonorStore.use(({ find }) =>
          find(organisation.id, duplicate_donor_id as DonorId)
        )
        const gift = yield* keepGift(Option.getOrThrow(duplicate))
        const store = yield* Ports.YearlySummaryStore
        const begun = beginSummary(organisation, DateTime.makeUnsafe(due))
        yield* store.begin({ ...begun, after_donor_id: isPassed ? survivor : "" })
        if (isWritten) yield* writeFor(organisation.id)
        yield* merge.pipe(asOperator(organisation))
        yield* writeFor(organisation.id)
        return gift
      })
    )
    const texts = (await said(organisation)).filter(({ text }) => text.includes(gift.id))
    assert.lengthOf(texts, 1)
  })

  it("are not written where receipts are switched off, and not made up for", async () => {
    const { organisation } = giving.tenant
    await giving.submit()
    await giving.settle()
    await set({ sends_receipts: false })
    service.clock.now = due
    await sweep()
    await set({ sends_receipts: true })
    await sweep()
    assert.lengthOf(await said(organisation), 0)
    const [shown] = await service.run(YearlySummaries.use((all) => all.list()).pipe(asOperator(organisation)))
    assert.deepInclude(shown, { year: "2025-26", ends_on: CalendarDate.make("2026-06-30"), mail_count: 0 })
    assert.isNotNull(shown?.completed_at)
  })

  it("are sent again by staff, once on a day, with the gifts as they are then", async () => {
    const { organisation } = giving.tenant
    const gift = await giving.submit()
    await giving.settle()
    const { donor_id } = await giving.giftOf(gift)
    const send = async (year?: string, id: DonorId = donor_id) => {
      const sent = YearlySummaries.use((all) => all.send(id, year === undefined ? {} : { year }))
      const answer = await service.run(Effect.result(sent.pipe(asOperator(organisation))))
      return Result.getOrElse(answer, (refused) => refused)
    }
    assert.include(await send("2025-26"), { _tag: "InvalidInput", param: "year" })
    service.clock.now = due
    await sweep()
    const answer = { donor_id, year: "2025-26", gift_count: 1 }
    for (let time = 0; time < 2; time++) assert.deepStrictEqual(await send(), answer)
    service.clock.now += day
    assert.deepStrictEqual(await send("2025-26"), answer)
    const texts = (await said(organisation)).map(({ text }) => text.includes("takes the place of any that you had"))
    assert.deepStrictEqual(texts, [false, true, true])
    const audited = (await auditOf(service, organisation)).filter(({ operation }) => operation.startsWith("yearly_"))
    assert.lengthOf(audited, 3)
    for (const year of ["2024-25", "2026-27", "2025-27", "2025", ""]) {
      assert.include(await send(year), { _tag: "InvalidInput", param: "year" }, year)
    }
    const other = await service.run(Effect.flatMap(newOrganisation(), ({ id }) => keepDonor(id)))
    assert.include(await send("2025-26", other.id), { _tag: "NotFound" })
    const silent = await service.run(keepDonor(organisation.id, { email: null }))
    assert.include(await send("2025-26", silent.id), { _tag: "InvalidInput", param: "id" })
    await set({ sends_receipts: false })
    assert.include(await send(), { _tag: "InvalidInput", param: "sends_receipts" })
  })

  it("wait in a lane of their own", async () => {
    service.clock.now = due
    const { id } = await service.run(makeDonors(2))
    await service.run(writeFor(id))
    const sent: Array<string> = []
    const transport = Ports.MailTransport.of({
      send: ({ subject }) =>
        Effect.sync(() => {
          sent.push(subject)
          return { _tag: "Sent" }
        })
    })
    const lease = Duration.minutes(1)
    const { claimed } = await service.run(
      Ports.MailOutbox.use(({ claim }) => claim({ lane: "owed", lease_id: "lease", lease, limit: 100 }))
    )
    assert.notInclude(
      claimed.map(({ mail }) => mail.template),
      "yearly_summary"
    )
    const mailer = Mailer.layer.pipe(Layer.provide(Layer.succeed(Ports.MailTransport, transport)))
    await service.run(
      Effect.provide(
        Mailer.use(({ sendDue }) => sendDue),
        mailer
      )
    )
    assert.isAtLeast(sent.filter((subject) => subject.endsWith(", 2025-26")).length, 2)
  })
})
