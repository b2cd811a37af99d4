import { assert, beforeAll, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Caps } from "../../src/app/compliance/Caps.ts"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { DefaultCodes } from "../../src/app/compliance/DefaultCodes.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { australianRegimes } from "../../src/domain/compliance/AustralianRegimes.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import { AllocationId } from "../../src/domain/kernel/Ids.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { valueAt } from "../support/Answer.ts"
import { type GivingSandbox, linkedRecipient, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { describeServiceWith } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator } from "../support/Tenant.ts"

const cap = 5_000_000

const [capped = assert.fail()] = australianRegimes.filter(({ caps }) => caps.some(({ cap_cents }) => cap_cents === cap))

/** The law that has a cap, from before the tests on. */
const regime = { ...capped, effective_from: CalendarDate.make("2025-01-01"), effective_to: null }

const regimes = { regimes: [regime], from_file: [], elections: [] }

describeServiceWith({ regimes })(everyKind, "caps of gifts under way", (service) => {
  let giving: GivingSandbox

  /** Has gifts of the code count, and those over the cap be refused. */
  const block = (organisation: Organisation, code: string) =>
    service.run(
      Effect.andThen(
        CodeAssignments.use((use) => use.assign({ code, jurisdiction: "AU" })),
        Caps.use((caps) => caps.update({ is_blocking: true }))
      ).pipe(asOperator(organisation))
    )

  beforeAll(async () => {
    service.pace = 0
    giving = await makeGivingSandbox(service)
    await block(giving.tenant.organisation, "WINTER")
  })

  const outcome = async (given: FieldsOf<Submission>) => {
    const submitted = Checkouts.use((checkouts) => checkouts.submit(giving.submission(given)))
    const result = await service.run(Effect.result(submitted))
    return Result.isSuccess(result)
      ? "taken"
      : `${"reason" in result.failure ? result.failure.reason : result.failure._tag}`
  }

  const refused = "over_cap"

  const person = (name: string) => ({ email: `${name}@example.org`, first_name: name, last_name: "Lee" })

  const half = cap / 2 + 1
  const slow = { method: "au_becs_debit", payment_token: numbers.debit } as const

  it("count gifts under way, until they fail", async () => {
    const { organisation } = giving.tenant
    const donor = person("cleo")
    const pending = await giving.submit({ amount_cents: half, donor, ...slow })
    assert.strictEqual((await giving.giftOf(pending)).status, "PENDING")
    assert.strictEqual(await outcome({ amount_cents: half, donor }), refused)
    const { donor_id } = await giving.giftOf(pending)
    const [own] = await service.run(Caps.use((caps) => caps.donor(donor_id)).pipe(asOperator(organisation)))
    assert.deepInclude(Object(own), { used_cents: 0, pending_cents: half, remaining_cents: cap })
    await giving.move(pending, (charge, now) => Bank.dishonour(charge, "insufficient_funds", now))
    await giving.settle()
    assert.strictEqual((await giving.giftOf(pending)).status, "FAILED")
    assert.strictEqual(await outcome({ amount_cents: half, donor }), "taken")
  })

  it("see each other's gifts of one donor at the same moment, and none of another's", async () => {
    for (const name of ["dora", "eli", "finn"]) {
      const at = await Promise.all([
        ...[slow, {}].map((how) => outcome({ amount_cents: half, donor: person(name), ...how })),
        outcome({ amount_cents: half, donor: person(`${name}.other`) })
      ])
      assert.deepStrictEqual(at.slice(0, 2).toSorted(), [refused, "taken"])
      assert.strictEqual(at[2], "taken")
    }
  })

  it("see each other's gifts at the same moment where a donor's own links say who gives", async () => {
    const { form, tenant } = giving
    for (let round = 1; round <= 6; round += 1) {
      const { donor_id } = await giving.giftOf(await giving.submit({ amount_cents: 100, donor: person(`own${round}`) }))
      const own = await tenant.writer.post(`/forms/${form.id}/personalised-links`, { donor_id })
      const given = { dt: new URL(own.textAt("url")).searchParams.get("dt"), donor: null, amount_cents: half }
      const both = await Promise.all([outcome(given), outcome({ ...given, ...slow })])
      assert.deepStrictEqual(both.toSorted(), [refused, "taken"])
    }
  })

  it("of a recipient count the parts of payments under way from a donor's address, with gifts on its own pages", async () => {
    const { link, organisation, tenant: recipient } = await linkedRecipient(service, giving)
    const made = await giving.tenant.writer.post("/recommendation-sets", {
      name: "Harvest",
      amount_mode: "SUGGESTED",
      allocations: [{ recipient_org_account_link_id: link, amount_cents: 100 }]
    })
    const [allocation] = made.listAt("allocations")
    const paid = (name: string, more: FieldsOf<Submission> = {}) => ({
      slug: null,
      url_key: made.textAt("url_key"),
      amount_cents: half,
      allocations: [{ id: AllocationId.make(String(valueAt(allocation, "id"))), amount_cents: half }],
      donor: person(name),
      ...more
    })
    const form = await recipient.writer.post("/forms", { name: "Own", status: "ACTIVE", revenue_code: "SHARED" })
    const own = (name: string) => ({
      organisation: organisation.slug,
      slug: form.textAt("slug"),
      amount_cents: half,
      donor: person(name)
    })
    await block(organisation, "SHARED")
    await service.run(DefaultCodes.use((codes) => codes.default({ code: "SHARED" })).pipe(asOperator(organisation)))
    assert.strictEqual(await outcome(paid("gus", slow)), "taken")
    assert.strictEqual(await outcome(own("gus")), refused)
    assert.strictEqual(await outcome(own("hal")), "taken")
    assert.strictEqual(await outcome(paid("hal")), refused)
    for (const name of ["ida", "jo"]) {
      const both = await Promise.all([outcome(paid(name)), outcome(paid(name, slow))])
      assert.deepStrictEqual(both.toSorted(), [refused, "taken"])
    }
    for (const name of ["kit", "lou"]) {
      const both = await Promise.all([outcome(paid(name, slow)), outcome(own(name))])
      assert.deepStrictEqual(both.toSorted(), [refused, "taken"])
    }
  })
})
