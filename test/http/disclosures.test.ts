import { setTimeout } from "node:timers/promises"
import { assert, beforeAll, it } from "@effect/vitest"
import { DateTime, Effect, Option, Result } from "effect"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { Caps } from "../../src/app/compliance/Caps.ts"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { DefaultCodes } from "../../src/app/compliance/DefaultCodes.ts"
import { Disclosures } from "../../src/app/compliance/Disclosures.ts"
import { Elections } from "../../src/app/compliance/Elections.ts"
import { Recounter } from "../../src/app/compliance/Recounter.ts"
import { Election } from "../../src/domain/compliance/Election.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import { DisclosureId, DonorId } from "../../src/domain/kernel/Ids.ts"
import { DisclosureStore, DonationStore, DonorStore, PaymentExceptionStore, Transaction } from "../../src/ports.ts"
import { donationOf } from "../../src/testing/conformance/Records.ts"
import { type Answer, valueAt } from "../support/Answer.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenants, type Tenant } from "../support/Tenant.ts"

/** The kind, due instant and end of each duty, in the order of their numbers. */
const dutiesOf = (disclosure: Answer | object) => {
  const duties = "listAt" in disclosure ? disclosure.listAt("duties") : Object(disclosure).duties
  return duties
    .toSorted((a: object, b: object) => Number(valueAt(a, "number")) - Number(valueAt(b, "number")))
    .map((duty: object) => [valueAt(duty, "kind"), valueAt(duty, "due_at"), valueAt(duty, "end")])
}

describeService(everyKind, "disclosures", (service) => {
  /** A sandbox whose clock stands at 10 February 2027, with a code that is assigned to the federal jurisdiction. */
  let tenant: Tenant

  const advance = async (day: string) => {
    const { status, text } = await tenant.writer.post("/sandbox/advance", { to: `${day}T03:00:00Z` })
    assert.strictEqual(status, 200, text)
  }

  beforeAll(async () => {
    service.pace = 0
    tenant = (await makeTenants(service)).sandbox
    // A step of the clock is a year at most.
    for (const day of ["2026-12-01", "2027-02-10"]) await advance(day)
    await tenant.writer.post("/revenue-codes", { code: "FEDERAL" })
    const assigned = CodeAssignments.use(({ assign }) => assign({ code: "federal", jurisdiction: "AU" }))
    await tenant.staff(assigned)
  })

  const newDonor = async () => (await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id")

  let given = 0

  /** Gives under a key of its own, as callers do. */
  const give = async (donor_id: string, amount_cents: number, donation_date: string, more = {}) => {
    const gift = { donor_id, donation_type: "MONETARY", amount_cents, donation_date, revenue_code: "federal" }
    given += 1
    const answer = await tenant.writer.post("/donations", { ...gift, ...more }, { "idempotency-key": `gift ${given}` })
    assert.strictEqual(answer.status, 201, answer.text)
    return answer.textAt("id")
  }

  const all = async (donor_id: string) => (await tenant.reader.get(`/disclosures?donor_id=${donor_id}`)).listAt("data")

  /** The types of the events of a disclosure, the oldest first. */
  const toldOf = async (id: string) =>
    (await tenant.reader.get("/events?limit=100&sort=created_at"))
      .listAt("data")
      .filter((event) => valueAt(event, "data.id") === id)
      .map((event) => valueAt(event, "type"))

  /** Recounts what is asked for, once that is due. */
  const recount = () => {
    service.clock.advance(60_000)
    return service.run(Recounter.use(({ recountDue }) => recountDue))
  }

  const lodge = (id: string, input: { readonly duties?: ReadonlyArray<number> } = {}) =>
    tenant.staff(
      Disclosures.use((disclosures) =>
        disclosures.lodge(DisclosureId.make(id), { lodgement_reference: "AEC-1", ...input })
      )
    )

  it("begin with the gift that crosses the threshold, and not with one that reaches it", async () => {
    const donor_id = await newDonor()
    const first = await give(donor_id, 500_000, "2027-02-09")
    assert.isEmpty(await all(donor_id))
    const second = await give(donor_id, 1, "2027-02-10")
    const [made, ...more] = await all(donor_id)
    assert.isEmpty(more)
    const read = await tenant.reader.get(`/disclosures/${valueAt(made, "id")}`)
    assert.deepStrictEqual(read.at(""), made)
    assert.deepInclude(Object(made), {
      donor_id,
      jurisdiction: "AU",
      period: "2027",
      status: "PENDING",
      total_cents: 500_001,
      threshold_cents: 500_000,
      cap_remaining_cents: 4_499_999,
      cap_level: "NONE",
      donation_ids: [first, second],
      due_at: "2027-03-21T12:59:59.999Z"
    })
    assert.deepStrictEqual(dutiesOf(Object(made)), [["NOTICE", "2027-03-21T12:59:59.999Z", null]])
    const [told] = (await tenant.reader.get("/events?type=disclosure.created")).listAt("data")
    assert.deepStrictEqual(valueAt(told, "data"), made)
  })

  it("are cancelled by a refund before they are lodged, and asked for again by another gift", async () => {
    const donor_id = await newDonor()
    const gift = await give(donor_id, 600_000, "2027-02-10")
    await tenant.writer.post(`/donations/${gift}/refund`, {})
    const [cancelled] = await all(donor_id)
    assert.deepInclude(Object(cancelled), { status: "CANCELLED", total_cents: 0, due_at: null })
    await give(donor_id, 600_000, "2027-02-10", {
      donation_type: "IN_KIND",
      in_kind_category: "OTHER",
      in_kind_description: "Hall"
    })
    const [again] = await all(donor_id)
    assert.deepInclude(Object(again), { status: "PENDING", total_cents: 600_000, in_kind_cents: 600_000 })
    assert.deepStrictEqual(await toldOf(String(valueAt(again, "id"))), [
      "disclosure.created",
      "disclosure.updated",
      "disclosure.updated"
    ])
  })

  it("of a donor who is merged are superseded: what was lodged is to be amended under the survivor's name, and what was done stays done", async () => {
    const donor_id = await newDonor()
    const survivor = (await tenant.writer.post("/donors", { first_name: "Ada", last_name: "B" })).textAt("id")
    await give(donor_id, 5_000_001, "2027-02-10")
    const id = String(valueAt((await all(donor_id))[0], "id"))
    await lodge(id)
    const acting = Disclosures.use(({ act }) => act(DisclosureId.make(id), { duty: 2, note: "Handed over" }))
    await tenant.staff(acting)
    await give(survivor, 700_000, "2027-02-10")
    const merged = await tenant.writer.post(`/donors/${survivor}/merge`, { duplicate_donor_id: donor_id })
    assert.strictEqual(merged.status, 200, merged.text)
    const [[own], [former]] = [await all(survivor), await all(donor_id)]
    assert.deepInclude(Object(former), { donor_id, status: "SUPERSEDED", due_at: null })
    assert.deepInclude(Object(own), { donor_id: survivor, status: "PENDING", total_cents: 5_700_001 })
    assert.deepStrictEqual(
      dutiesOf(Object(own)).map(([kind, , end]: ReadonlyArray<string>) => [kind, end]),
      [
        ["NOTICE", null],
        ["ACTION", "ACTED"],
        ["ACTION", null],
        ["AMENDMENT", null]
      ]
    )
  })

  it("that are lodged while their donor is being merged stay lodged", async () => {
    const [donor_id, survivor] = [await newDonor(), await newDonor()]
    await give(donor_id, 600_000, "2027-02-10")
    const id = DisclosureId.make(String(valueAt((await all(donor_id))[0], "id")))
    const lodging = Disclosures.use((disclosures) => disclosures.lodge(id, { lodgement_reference: "AEC-2" }))
    let merging: Promise<Answer> | undefined
    const merge = Effect.promise(async () => {
      merging = tenant.writer.post(`/donors/${survivor}/merge`, { duplicate_donor_id: donor_id })
      await setTimeout(200)
    })
    const both = Transaction.use(({ run }) => run(Effect.andThen(lodging, merge)))
    await tenant.staff(both)
    assert.strictEqual((await merging)?.status, 200)
    const [[own], [former]] = [await all(survivor), await all(donor_id)]
    assert.deepInclude(Object(former), { status: "SUPERSEDED", lodgement_reference: "AEC-2" })
    assert.deepStrictEqual(
      Object(own).duties.map((duty: object) => `${valueAt(duty, "kind")} ${valueAt(duty, "end")}`),
      ["AMENDMENT null"]
    )
  })

  it("ask for acceptable action on a gift over the cap within six weeks, until it is refunded", async () => {
    const donor_id = await newDonor()
    await give(donor_id, 5_000_000, "2027-02-09")
    const over = await give(donor_id, 100, "2027-02-10")
    const [asked] = await all(donor_id)
    assert.deepInclude(Object(asked), { cap_level: "OVER", cap_remaining_cents: 0 })
    assert.deepStrictEqual(dutiesOf(Object(asked)).at(-1), ["ACTION", "2027-03-24T12:59:59.999Z", null])
    await tenant.writer.post(`/donations/${over}/refund`, {})
    const [acted] = await all(donor_id)
    assert.strictEqual(valueAt(acted, "cap_level"), "CRITICAL")
    assert.deepStrictEqual(dutiesOf(Object(acted)).at(-1), ["ACTION", "2027-03-24T12:59:59.999Z", "NOT_NEEDED"])
  })

  it("are one with a duty for each, of gifts at the same moment, the first ones of a donor or not", async () => {
    for (const before of [[], [], [1], [1], [1]]) {
      const donor_id = await newDonor()
      for (const cents of before) await give(donor_id, cents, "2027-02-10")
      await Promise.all([1, 2].map(() => give(donor_id, 300_000, "2027-02-10")))
      const [made, ...more] = await all(donor_id)
      assert.isEmpty(more)
      assert.lengthOf(dutiesOf(Object(made)), before.length + 2)
      assert.strictEqual(valueAt(made, "total_cents"), 600_000 + before.length)
    }
  })

  it("do not begin with what does not count: no code, another currency, another period", async () => {
    const donor_id = await newDonor()
    await give(donor_id, 900_000, "2027-02-10", { revenue_code: null })
    await give(donor_id, 900_000, "2027-02-10", { revenue_code: "shop" })
    await give(donor_id, 500_000, "2026-12-31")
    await give(donor_id, 500_000, "2027-01-01")
    assert.isEmpty(await all(donor_id))
  })

  it("are recounted when a code is assigned, and when it is assigned to none", async () => {
    const donor_id = await newDonor()
    const code = `late ${donor_id}`
    await give(donor_id, 900_000, "2027-02-10", { revenue_code: code })
    const assign = async (jurisdiction: string | null) => {
      const assigning = CodeAssignments.use((assignments) => assignments.assign({ code, jurisdiction }))
      await tenant.staff(assigning)
      await service.run(Recounter.use(({ recountDue }) => recountDue))
    }
    assert.isEmpty(await all(donor_id))
    await assign("AU")
    assert.deepInclude(Object((await all(donor_id))[0]), { status: "PENDING", total_cents: 900_000 })
    await assign(null)
    assert.deepInclude(Object((await all(donor_id))[0]), { status: "CANCELLED", total_cents: 0 })
  })

  it("count gifts of recommendation sets by a default code, and what came before it was set", async () => {
    const donor_id = await newDonor()
    const setDefault = (code: string | null) => tenant.staff(DefaultCodes.use((codes) => codes.default({ code })))
    const share = (amount_cents: number) =>
      service.run(
        Effect.gen(function* () {
          const donor = yield* (yield* DonorStore).find(tenant.organisation.id, DonorId.make(donor_id))
          const fields = { source: "RECOMMENDATION_SET", donation_day: CalendarDate.make("2027-02-10") } as const
          const shared = yield* donationOf(Option.getOrThrow(donor), { ...fields, amount_cents })
          yield* (yield* DonationStore).insert(shared)
        })
      )
    await share(900_000)
    await setDefault("federal")
    // One that was being recorded meanwhile, and knew of no code, is counted as well.
    await service.run(Recounter.use(({ recountDue }) => recountDue))
    await share(1)
    await recount()
    assert.deepInclude(Object((await all(donor_id))[0]), { status: "PENDING", total_cents: 900_001 })
    await setDefault(null)
    await recount()
    assert.deepInclude(Object((await all(donor_id))[0]), { status: "CANCELLED", total_cents: 0 })
  })

  it("that are lodged before a recount ask for notice of what they did not name", async () => {
    const donor_id = await newDonor()
    const code = `unnamed ${donor_id}`
    await give(donor_id, 600_000, "2027-02-10")
    const unnamed = await give(donor_id, 7, "2027-02-10", { revenue_code: code })
    const assign = CodeAssignments.use((assignments) => assignments.assign({ code, jurisdiction: "AU" }))
    await tenant.staff(assign)
    const [made] = await all(donor_id)
    assert.deepInclude(await lodge(String(valueAt(made, "id"))), { status: "COMPLETED" })
    await recount()
    const [again] = await all(donor_id)
    assert.deepInclude(Object(again), { status: "PENDING", total_cents: 600_007 })
    const [open] = Object(again).duties
    assert.deepInclude(open, { kind: "NOTICE", donation_id: unnamed, end: null })
  })

  it("that are lodged before a recount ask for the amendment of what they named and counts no more", async () => {
    const donor_id = await newDonor()
    const codes = ["taken out", "refunded"].map((name) => `${name} ${donor_id}`)
    const assign = async (code: string, jurisdiction: string | null) => {
      const assigning = CodeAssignments.use((assignments) => assignments.assign({ code, jurisdiction }))
      await tenant.staff(assigning)
    }
    await give(donor_id, 600_000, "2027-02-09")
    const named: Array<string> = []
    for (const code of codes) {
      await tenant.writer.post("/revenue-codes", { code })
      await assign(code, "AU")
      named.push(await give(donor_id, 7, "2027-02-10", { revenue_code: code }))
    }
    await recount()
    const id = String(valueAt((await all(donor_id))[0], "id"))
    for (const code of codes) await assign(code, null)
    const refund = await tenant.writer.post(`/donations/${named[1]}/refund`, {})
    assert.strictEqual(refund.status, 200, refund.text)
    assert.deepInclude(await lodge(id), { status: "COMPLETED", total_cents: 600_014 })
    await recount()
    const [again] = await all(donor_id)
    assert.deepInclude(Object(again), { status: "PENDING", total_cents: 600_000 })
    const open = Object(again).duties.filter((duty: object) => valueAt(duty, "end") === null)
    assert.sameDeepMembers(
      open.map((duty: object) => [valueAt(duty, "kind"), valueAt(duty, "donation_id")]),
      named.map((donation_id) => ["AMENDMENT", donation_id])
    )
    assert.deepInclude(await lodge(id), { status: "COMPLETED" })
  })

  it("would follow from gifts whose codes are assigned to nothing, which are listed by period and code", async () => {
    const [crossing, over] = [await newDonor(), await newDonor()]
    const code = `forgotten ${crossing}`
    const listed = async (): Promise<ReadonlyArray<object>> => {
      const uncoded = Disclosures.use((disclosures) => disclosures.uncoded())
      const rows = await tenant.staff(uncoded)
      return rows
        .filter((row) => row.code === code)
        .map(({ crossing_donors, donation_ids, gifts, over_donors, period, sum_cents }) => {
          return { period, gifts, sum_cents, crossing_donors, over_donors, donation_ids }
        })
    }
    await give(over, 500_001, "2027-01-05")
    await give(crossing, 500_000, "2027-01-05")
    const old = await give(crossing, 7, "2026-12-31", { revenue_code: code })
    const [large, small] = [
      await give(over, 3, "2027-02-10", { revenue_code: code }),
      await give(crossing, 1, "2027-02-10", { revenue_code: code })
    ]
    assert.deepStrictEqual(await listed(), [
      { period: "2026-27", gifts: 1, sum_cents: 7, crossing_donors: 0, over_donors: 0, donation_ids: [old] },
      { period: "2027", gifts: 2, sum_cents: 4, crossing_donors: 1, over_donors: 1, donation_ids: [large, small] }
    ])
    const assign = CodeAssignments.use((assignments) => assignments.assign({ code, jurisdiction: "AU" }))
    await tenant.staff(assign)
    assert.isEmpty(await listed())
  })

  it("are due by the calendar that their organisation has now, where that is the earlier one", async () => {
    const donor_id = await newDonor()
    await give(donor_id, 600_000, "2027-02-10")
    const dueAt = async () => valueAt((await all(donor_id))[0], "due_at")
    assert.strictEqual(await dueAt(), "2027-03-21T12:59:59.999Z")
    const move = async (timezone: string) => {
      const moved = Organisations.use(({ updateOwn }) => updateOwn({ timezone }))
      await tenant.staff(moved)
      await recount()
    }
    await move("Pacific/Auckland")
    assert.strictEqual(await dueAt(), "2027-03-21T10:59:59.999Z")
    // Back again: it was said to be due then, and becomes no less urgent.
    await move("Australia/Sydney")
    assert.strictEqual(await dueAt(), "2027-03-21T10:59:59.999Z")
  })

  it("have the cap of the donor's kind, which is told at the moment of the first gift", async () => {
    const tried = Array.from({ length: 8 }, async () => {
      const donor_id = await newDonor()
      const kind = Caps.use((caps) => caps.setDonor(DonorId.make(donor_id), { donor_kind: "PEAK_BODY" }))
      await Promise.all([give(donor_id, 6_000_000, "2027-02-10"), tenant.staff(kind)])
      const [made] = await all(donor_id)
      return [
        valueAt(made, "cap_cents"),
        dutiesOf(Object(made)).map(([kind, , end]: ReadonlyArray<unknown>) => [kind, end])
      ]
    })
    for (const [cap_cents, duties] of await Promise.all(tried)) {
      assert.strictEqual(cap_cents, 20_000_000)
      // One that was recorded before asks for action until its donor's kind is known.
      assert.isFalse(JSON.stringify(duties).includes('["ACTION",null]'))
    }
  })

  it("keep the law of their period as it is told now, also where that changes nothing that they show", async () => {
    const donor_id = DonorId.make(await newDonor())
    await give(donor_id, 600_000, "2027-02-10")
    const id = String(valueAt((await all(donor_id))[0], "id"))
    await lodge(id)
    const before = await toldOf(id)
    const stored = DisclosureStore.use((store) => store.ofDonor(tenant.organisation.id, donor_id))
    const [{ regime, ...rest } = assert.fail()] = await service.run(stored)
    const former = { ...regime, action_within_weeks: 9 }
    await service.run(DisclosureStore.use((store) => store.update({ ...rest, regime: former })))
    const recounted = Caps.use((caps) => caps.setDonor(donor_id, { donor_kind: "ANY" }))
    await tenant.staff(recounted)
    const [kept] = await service.run(stored)
    assert.deepStrictEqual(kept, { ...rest, regime })
    assert.deepStrictEqual(await toldOf(id), before)
  })

  it("that were changed beside the service are told of at night, and recounted", async () => {
    const organisation_id = tenant.organisation.id
    // Of a period that has ended, too: its returns are still to come.
    for (const [day, cents] of [
      ["2027-02-10", 800_000],
      ["2026-12-31", 1_800_000]
    ] as const) {
      const donor_id = await newDonor()
      await give(donor_id, cents, day)
      await service.run(
        Effect.gen(function* () {
          const store = yield* DisclosureStore
          const [found] = yield* store.ofDonor(organisation_id, DonorId.make(donor_id))
          if (found === undefined) return assert.fail()
          yield* store.update({ ...found, total_cents: 1 })
          const counting = Option.getOrThrow(yield* store.recountOf(organisation_id))
          yield* store.moveRecount(counting, { due_at: yield* DateTime.now, after_donor_id: "", is_asked: false })
          // Two processes come to it at the same moment.
          const due = Recounter.use(({ recountDue }) => recountDue)
          yield* Effect.all([due, due], { concurrency: 2 })
          const [exception, ...more] = yield* (yield* PaymentExceptionStore).ofSubject(organisation_id, donor_id)
          assert.isEmpty(more)
          assert.deepInclude(exception, { kind: "disclosure_differs", status: "OPEN", amount_cents: cents - 1 })
        })
      )
      assert.strictEqual(valueAt((await all(donor_id))[0], "total_cents"), cents)
    }
  })

  it("are listed by when they are due, those of which nothing is due after all others", async () => {
    const [march, february, lodged] = [await newDonor(), await newDonor(), await newDonor()]
    await give(march, 600_000, "2027-02-10")
    await give(february, 600_000, "2027-01-10")
    await give(lodged, 600_000, "2027-02-09")
    await lodge(String(valueAt((await all(lodged))[0], "id")))
    const donors = async (query: string) => {
      const only = `donor_id[in]=${[march, february, lodged].join(",")}`
      const page = await tenant.reader.get(`/disclosures?${only}&${query}`)
      return page.listAt("data").map((each) => valueAt(each, "donor_id"))
    }
    assert.deepStrictEqual(await donors("sort=due_at"), [february, march, lodged])
    assert.deepStrictEqual(await donors("sort=-due_at"), [lodged, march, february])
    assert.deepStrictEqual(await donors("sort=-due_at&due_at[gte]=2027-01-01"), [march, february])
    const [first] = await all(february)
    assert.deepStrictEqual(await donors(`sort=due_at&starting_after=${valueAt(first, "id")}`), [march, lodged])
    const refused = await tenant.reader.get("/disclosures?sort=total_cents")
    assert.deepInclude(Object(refused.at("error")), { code: "validation_failed", param: "sort" })
  })

  it("lodged in March ask for a gift of May by 21 June, and for the amendment of one that is refunded", async () => {
    const donor_id = await newDonor()
    await give(donor_id, 600_000, "2027-02-10")
    await advance("2027-03-05")
    const id = String(valueAt((await all(donor_id))[0], "id"))
    const lodged = await lodge(id)
    assert.deepInclude(lodged, { status: "COMPLETED", due_at: null, lodgement_reference: "AEC-1" })
    await advance("2027-05-05")
    const later = await give(donor_id, 100, "2027-05-05")
    const open = await tenant.reader.get(`/disclosures/${id}`)
    assert.deepInclude(Object(open.at("")), {
      status: "PENDING",
      due_at: "2027-06-21T13:59:59.999Z",
      completed_at: null
    })
    await lodge(id)
    const refund = await tenant.writer.post(`/donations/${later}/refund`, {})
    assert.strictEqual(refund.status, 200, refund.text)
    const amended = await tenant.reader.get(`/disclosures/${id}`)
    assert.deepStrictEqual(dutiesOf(amended), [
      ["NOTICE", "2027-03-21T12:59:59.999Z", "LODGED"],
      ["NOTICE", "2027-06-21T13:59:59.999Z", "LODGED"],
      ["AMENDMENT", "2027-06-21T13:59:59.999Z", null]
    ])
    assert.strictEqual(amended.at("total_cents"), 600_000)
  })

  it("are lodged on a day from that of the gift until today, and on no other", async () => {
    const donor_id = await newDonor()
    await give(donor_id, 600_000, "2027-04-20")
    await give(donor_id, 100, "2027-05-02")
    const id = DisclosureId.make(String(valueAt((await all(donor_id))[0], "id")))
    const lodgedOn = (lodged_on: CalendarDate, number: number) => {
      const input = { lodgement_reference: "AEC-3", duties: [number], lodged_on }
      return tenant.staff(Effect.result(Disclosures.use((disclosures) => disclosures.lodge(id, input))))
    }
    const refusals = [
      ["2027-04-19", 1],
      ["2027-05-01", 2],
      ["2027-05-06", 2]
    ] as const
    for (const [day, number] of refusals) {
      const refused = Result.getFailure(await lodgedOn(CalendarDate.make(day), number))
      assert.include(Option.getOrThrow(refused), { _tag: "InvalidInput", param: "lodged_on" }, day)
    }
    const days = ["2027-04-20", "2027-05-02"]
    for (const [index, day] of days.entries()) await lodgedOn(CalendarDate.make(day), index + 1)
    const told = await tenant.reader.get(`/disclosures/${id}`)
    const lodged = told.listAt("duties").map((duty) => valueAt(duty, "lodged_on"))
    assert.deepStrictEqual(lodged.toSorted(), days)
  })

  it("whose return was lodged are amended by the next return, where the law asks for no notice", async () => {
    const donor_id = await newDonor()
    await give(donor_id, 1_800_000, "2026-12-20")
    const id = String(valueAt((await all(donor_id))[0], "id"))
    assert.deepInclude(await lodge(id), { status: "COMPLETED" })
    await give(donor_id, 100, "2026-12-21")
    const due_at = "2027-10-20T12:59:59.999Z"
    const open = await tenant.reader.get(`/disclosures/${id}`)
    assert.deepInclude(Object(open.at("")), { status: "PENDING", due_at })
    assert.deepStrictEqual(dutiesOf(open), [
      ["RETURN", due_at, "LODGED"],
      ["AMENDMENT", due_at, null]
    ])
  })

  it("become due sooner by an election that is called, and never later by one that is taken out", async () => {
    const [early, late] = [await newDonor(), await newDonor()]
    await advance("2027-06-28")
    await give(early, 600_000, "2027-06-20")
    const id = String(valueAt((await all(early))[0], "id"))
    const dueOf = async (donor_id: string) => valueAt((await all(donor_id))[0], "due_at")
    assert.strictEqual(await dueOf(early), "2027-07-21T13:59:59.999Z")
    const election = Election.make({
      jurisdiction: "AU",
      name: "General election",
      writ_on: CalendarDate.make("2027-06-01"),
      polling_on: CalendarDate.make("2027-07-03")
    })
    const elections = await service.run(Elections)
    const added = await service.run(elections.add(election))
    assert.deepInclude(Object(added), { expedited_from: "2027-06-26", ends_on: "2027-07-10", origin: "ADDED" })
    // Gifts count by it at once, and those from before once they are recounted.
    await give(late, 600_000, "2027-06-28")
    assert.strictEqual(await dueOf(late), "2027-06-28T14:00:00.000Z")
    service.clock.advance(60_000)
    await service.run(Recounter.use(({ recountDue }) => recountDue))
    assert.strictEqual(await dueOf(early), "2027-06-27T13:59:59.999Z")
    const told = (await tenant.reader.get("/events?type=disclosure.updated")).listAt("data")
    const due = told.filter((event) => valueAt(event, "data.id") === id).map((event) => valueAt(event, "data.due_at"))
    assert.deepStrictEqual(due, ["2027-06-27T13:59:59.999Z"])
    const refused = await service.run(Effect.result(elections.add({ ...election, name: "Another" })))
    assert.match(String(Object(Result.merge(refused)).message), /share days/u)
    const key = { jurisdiction: "AU", writ_on: election.writ_on }
    await service.run(elections.remove(key))
    assert.isEmpty(await service.run(elections.list))
    const gone = await service.run(Effect.result(elections.remove(key)))
    assert.deepInclude(Result.merge(gone), { _tag: "NotFound" })
    const calm = await newDonor()
    await give(calm, 600_000, "2027-06-28")
    assert.deepStrictEqual(
      [await dueOf(calm), await dueOf(early)],
      ["2027-07-21T13:59:59.999Z", "2027-06-27T13:59:59.999Z"]
    )
  })

  it("are exported with a line for each duty, of donors who were archived as well", async () => {
    const name = '=HYPERLINK("x"),'
    const donor_id = (await tenant.writer.post("/donors", { first_name: name })).textAt("id")
    const [first, second] = [await give(donor_id, 499_999, "2027-03-08"), await give(donor_id, 1_000, "2027-03-08")]
    await tenant.writer.post(`/donations/${second}/refund`, { amount_cents: 998 })
    const archived = await tenant.writer.delete(`/donors/${donor_id}`)
    assert.strictEqual(archived.status, 200, archived.text)
    const [made] = await all(donor_id)
    let text = ""
    for (let starting_after: DisclosureId | null | undefined; starting_after !== null; ) {
      const input = { jurisdiction: "AU", period: "2027", ...(starting_after === undefined ? {} : { starting_after }) }
      const exported = Disclosures.use((disclosures) => disclosures.export(input))
      const page = await tenant.staff(exported)
      text += page.text
      starting_after = page.next
    }
    const [head, ...lines] = text.split("\r\n")
    const columns = head?.split(",") ?? []
    assert.strictEqual(columns.length, new Set(columns).size)
    const about = `${valueAt(made, "id")},PENDING,${donor_id},"'=HYPERLINK(""x""),",AU,2027,AUD,5000.00,5000.01,0.00`
    const due = "2027-04-21T23:59:59.999+10:00,,,"
    assert.deepStrictEqual(
      lines.filter((line) => line.includes(donor_id)),
      [
        `${about},1,NOTICE,${first},2027-03-08,AUD,4999.99,0.00,${due}`,
        `${about},2,NOTICE,${second},2027-03-08,AUD,10.00,9.98,${due}`
      ]
    )
  })
})
