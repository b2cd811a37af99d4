import { assert, beforeAll, it } from "@effect/vitest"
import { Effect } from "effect"
import { Caps } from "../../src/app/compliance/Caps.ts"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { Donations } from "../../src/app/giving/Donations.ts"
import { australianRegimes } from "../../src/domain/compliance/AustralianRegimes.ts"
import type { Regime } from "../../src/domain/compliance/Regime.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import { DonorId } from "../../src/domain/kernel/Ids.ts"
import { Transaction } from "../../src/ports/kernel/Transaction.ts"
import { valueAt } from "../support/Answer.ts"
import { describeServiceWith } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenants, type Tenant } from "../support/Tenant.ts"

const day = CalendarDate.make

const [former = assert.fail()] = australianRegimes.filter(({ jurisdiction }) => jurisdiction === "AU-VIC")

/** Gifts are disclosed by financial years, and a donor's cap is that of an election term, which ends within one. */
const regime: Regime = {
  ...former,
  status: "IN_FORCE",
  status_decided_on: null,
  effective_to: null,
  terms: [
    { label: "2022-2026", starts_on: day("2022-11-27"), ends_on: day("2026-11-28") },
    { label: "2026-2030", starts_on: day("2026-11-29"), ends_on: day("2030-11-30") }
  ],
  threshold_cents: 900_000,
  caps: [
    { donor_kind: "ANY", cap_cents: 100_000 },
    { donor_kind: "PEAK_BODY", cap_cents: 400_000 }
  ],
  action_within_weeks: 6
}

const regimes = { regimes: [regime], from_file: [], elections: [] }

describeServiceWith({ regimes })(everyKind, "caps of election terms beside disclosures of years", (service) => {
  let tenant: Tenant

  beforeAll(async () => {
    service.pace = 0
    tenant = (await makeTenants(service)).sandbox
    const { status, text } = await tenant.writer.post("/sandbox/advance", { to: "2026-12-10T03:00:00Z" })
    assert.strictEqual(status, 200, text)
    await tenant.writer.post("/revenue-codes", { code: "VIC" })
    const assign = CodeAssignments.use((use) => use.assign({ code: "VIC", jurisdiction: "AU-VIC" }))
    await tenant.staff(assign)
  })

  const newDonor = async () => (await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id")

  const give = async (donor_id: string, amount_cents: number, donation_date: string) => {
    const gift = { donor_id, donation_type: "MONETARY", amount_cents, donation_date, revenue_code: "VIC" }
    const answer = await tenant.writer.post("/donations", gift)
    assert.strictEqual(answer.status, 201, answer.text)
    return answer.textAt("id")
  }

  /** The gifts that action is asked for on, by the period of their disclosure. */
  const actions = async (donor_id: string) =>
    (await tenant.reader.get(`/disclosures?donor_id=${donor_id}`)).listAt("data").flatMap((each) => {
      const duties: ReadonlyArray<object> = Object(valueAt(each, "duties"))
      return duties
        .filter((duty) => valueAt(duty, "kind") === "ACTION" && valueAt(duty, "end") === null)
        .map((duty) => `${valueAt(each, "period")} ${valueAt(duty, "donation_id")}`)
    })

  it("count gifts of the term that a gift lies in, whichever year they were given in", async () => {
    const donor_id = await newDonor()
    await give(donor_id, 90_000, "2026-05-10")
    const over = await give(donor_id, 20_000, "2026-08-10")
    assert.deepStrictEqual(await actions(donor_id), [`2026-27 ${over}`])
    await give(donor_id, 90_000, "2026-12-01")
    assert.deepStrictEqual(await actions(donor_id), [`2026-27 ${over}`])
    const cap = Caps.use((caps) => caps.donor(DonorId.make(donor_id)))
    const [present] = await tenant.staff(cap)
    assert.deepInclude(present, { period: "2026-2030", used_cents: 90_000, remaining_cents: 10_000, level: "RED" })
  })

  it("see each other's gifts of two years at the same moment", async () => {
    for (let round = 1; round <= 6; round += 1) {
      const donor_id = await newDonor()
      const [, later] = await Promise.all([give(donor_id, 60_000, "2026-05-10"), give(donor_id, 60_000, "2026-08-10")])
      assert.deepStrictEqual(await actions(donor_id), [`2026-27 ${later}`])
    }
  })

  it("ask for action, or for none any more, on gifts of another year than the gift that changes them", async () => {
    const donor_id = await newDonor()
    const later = await give(donor_id, 60_000, "2026-08-10")
    assert.isEmpty(await actions(donor_id))
    const earlier = await give(donor_id, 50_000, "2026-05-10")
    assert.deepStrictEqual(await actions(donor_id), [`2026-27 ${later}`])
    assert.strictEqual((await tenant.writer.post(`/donations/${earlier}/refund`, {})).status, 200)
    assert.isEmpty(await actions(donor_id))
  })

  it("go by what is said of a donor while the donor's first gift is recorded, of whichever period", async () => {
    const donor_id = await newDonor()
    const donor = DonorId.make(donor_id)
    let said: Promise<unknown> = Promise.resolve()
    const meanwhile = Effect.promise(() => {
      said = tenant.staff(Caps.use((caps) => caps.setDonor(donor, { donor_kind: "PEAK_BODY" })))
      // Whoever says it waits for the gift, or does not: then it is over by now.
      return Promise.race([said, new Promise((resolve) => setTimeout(resolve, 250))])
    })
    const gift = {
      donor_id,
      donation_type: "MONETARY" as const,
      amount_cents: 150_000,
      donation_date: day("2026-05-10"),
      revenue_code: "VIC"
    }
    const recorded = Donations.use((donations) => donations.create(gift))
    await tenant.staff(Transaction.use(({ run }) => run(Effect.andThen(recorded, meanwhile))))
    await said
    assert.isEmpty(await actions(donor_id))
  })
})
