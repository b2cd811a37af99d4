import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { DonorId, type IntegrationId } from "../../src/domain/kernel/Ids.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { OrganisationStore } from "../../src/ports.ts"
import { queryOf } from "../../src/testing/conformance/Records.ts"
import { makeGivingSandbox, numbers, pageId } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, auditOf, makeTenants } from "../support/Tenant.ts"

describe.each(everyKind)("a checkout over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const giving = anew(() => makeGivingSandbox(service))

  const open = (given: object = {}) =>
    service.run(
      Checkouts.use((checkouts) =>
        checkouts.open({ organisation: giving.tenant.organisation.slug, slug: giving.form.slug, ...given })
      )
    )

  const patch = (json: object) => giving.tenant.writer.patch(`/forms/${giving.form.id}`, json)

  it("shows what a page shows", async () => {
    const page = await open()
    assert.deepInclude(page, { closed: null, currency: "AUD", processor: "test", donor: null })
    assert.deepStrictEqual(page.methods, ["card", "au_becs_debit", "payto"])
    assert.deepInclude(page.form, { title: "Winter appeal", slug: giving.form.slug, allow_custom_amount: true })
    const embedded = await open({ slug: null, embed_token: giving.form.embed_token })
    assert.deepStrictEqual(embedded, page)
  })

  it("shows the organisation as it is, whatever it was at the last look", async () => {
    const { organisation } = giving.tenant
    assert.deepInclude(await open(), { closed: null, currency: "AUD" })
    const changed = { ...organisation, name: "Another name", default_currency: "NZD" }
    await service.run(OrganisationStore.use((store) => store.update(changed)))
    const { closed, currency, organisation: shown } = await open()
    assert.deepStrictEqual([closed, currency, shown.name], ["no_processor", "NZD", "Another name"])
  })

  it("says why a form takes no gift, and takes none", async () => {
    const { id } = giving.form
    await patch({ status: "PAUSED" })
    assert.deepInclude(await open(), { closed: "paused", methods: [], processor: null })
    assert.strictEqual(await giving.attempt(), "TakesNoPayment")
    await patch({ status: "ACTIVE" })
    await giving.tenant.writer.delete(`/forms/${id}`)
    assert.strictEqual((await open()).closed, "archived")
    assert.strictEqual(await giving.attempt(), "TakesNoPayment")
    const deferred = (await giving.tenant.writer.post("/forms", { name: "Draft" })).textAt("slug")
    assert.strictEqual((await open({ slug: deferred })).closed, "draft")
    assert.strictEqual(await giving.attempt({ slug: deferred }), "TakesNoPayment")
  })

  it("needs an account that takes charges in the organisation's currency", async () => {
    const operator = asOperator(giving.tenant.organisation)
    const { data } = await service.run(Integrations.use((use) => use.list(queryOf())).pipe(operator))
    const [first = assert.fail()] = data
    assert.isTrue(first.is_default)
    await service.run(Integrations.use((use) => use.deactivate(first.id as IntegrationId)).pipe(operator))
    assert.strictEqual((await open()).closed, "no_processor")
    assert.strictEqual(await giving.attempt(), "TakesNoPayment")
    const cardsOnly = await service.run(
      Integrations.use((use) =>
        use.create({ label: "Cards", processor_connect_account_id: "acct_2", methods: ["card"] })
      ).pipe(operator)
    )
    assert.isTrue(cardsOnly.is_default)
    assert.deepStrictEqual((await open()).methods, ["card"])
    assert.strictEqual(
      await giving.attempt({ method: "payto", payment_token: numbers.agreement }),
      "InvalidInput method"
    )
    const again = await service.run(
      Effect.flip(Integrations.use((use) => use.setDefault(first.id as IntegrationId)).pipe(operator))
    )
    assert.strictEqual(again._tag, "RecordArchived")
  })

  it("is for play money in a sandbox, and for none elsewhere", async () => {
    const { live, sandbox } = await makeTenants(service)
    const make = (organisation: typeof live.organisation, processor: string) =>
      service.run(
        Effect.result(
          Integrations.use((use) =>
            use.create({ label: "Main", processor_connect_account_id: "acct_1", processor })
          ).pipe(asOperator(organisation))
        )
      )
    assert.isTrue(Result.isFailure(await make(live.organisation, "test")))
    assert.isTrue(Result.isFailure(await make(sandbox.organisation, "bank")))
    assert.isTrue(Result.isSuccess(await make(live.organisation, "stripe")))
    const form = await live.writer.post("/forms", { name: "Appeal", status: "ACTIVE" })
    // This installation does not have that processor.
    const page = await open({ organisation: live.organisation.slug, slug: form.textAt("slug") })
    assert.strictEqual(page.closed, "no_processor")
  })

  it("refuses what the form does not take, and says which part that is", async () => {
    await patch({ allow_custom_amount: false, suggested_amounts_cents: [2_000, 5_000] })
    assert.strictEqual(await giving.attempt({ amount_cents: 3_000 }), "InvalidInput amount_cents")
    await patch({ allow_custom_amount: true, minimum_amount_cents: 1_000, maximum_amount_cents: 9_000 })
    const wrong: ReadonlyArray<readonly [refusal: string, given: FieldsOf<Submission>]> = [
      ["InvalidInput amount_cents", { amount_cents: 999 }],
      ["InvalidInput amount_cents", { amount_cents: 9_001 }],
      ["InvalidInput amount_cents", { amount_cents: 1_000_000_001 }],
      ["InvalidInput currency", { currency: "NZD" }],
      ["InvalidInput method", { method: "bank_transfer" }],
      ["InvalidInput donor.email", { donor: { first_name: "Ada" } }],
      ["InvalidInput payment_token", { payment_token: null }],
      ["InvalidInput submission_id", { submission_id: "1" }],
      ["NotFound", { slug: "no-such-form" }],
      ["NotFound", { organisation: "nobody" }],
      ["InvalidInput slug", { slug: null }],
      ["InvalidInput slug", { embed_token: giving.form.embed_token }]
    ]
    for (const [said, given] of wrong) assert.strictEqual(await giving.attempt(given), said, JSON.stringify(given))
    await patch({ address_visibility: "REQUIRED", phone_visibility: "REQUIRED" })
    assert.strictEqual(await giving.attempt(), "InvalidInput donor.phone")
    const typed = { email: "a@example.org", phone: "1", address_line1: "1 High St" }
    assert.strictEqual(await giving.attempt({ donor: typed }), "InvalidInput donor.suburb")
    const trust = { ...typed, donor_type: "TRUST", suburb: "x", state: "x", postcode: "x" } as const
    assert.strictEqual(await giving.attempt({ donor: trust }), "InvalidInput donor.organisation_name")
  })

  it("gives to the oldest donor of an e-mail address that is not archived, and makes one where there is none", async () => {
    const { writer } = giving.tenant
    const donor = async (json: object) => DonorId.make((await writer.post("/donors", json)).textAt("id"))
    const archived = await donor({ email: "ada@example.org" })
    await writer.delete(`/donors/${archived}`)
    const oldest = await donor({ email: "ADA@example.org", first_name: "Ada", last_name: "King" })
    service.clock.advance(1_000)
    await donor({ email: "ada@example.org", first_name: "Another" })
    const known = await giving.giftOf(await giving.submit({ donor: { email: " Ada@Example.org ", first_name: "Ada" } }))
    assert.deepInclude(known, { donor_id: oldest, differs_from_record: false })
    assert.deepInclude(known.submitted_donor, { email: "Ada@Example.org", first_name: "Ada", last_name: null })
    const differing = await giving.giftOf(
      await giving.submit({ donor: { email: "ada@example.org", last_name: "Byron" } })
    )
    assert.deepInclude(differing, { donor_id: oldest, differs_from_record: true })
    assert.strictEqual((await writer.get(`/donors/${oldest}`)).at("last_name"), "King")
    const fresh = await giving.submit({ donor: { email: "new@example.org", suburb: " Perth " } })
    const { donor_id } = await giving.giftOf(fresh)
    const made = await writer.get(`/donors/${donor_id}`)
    assert.deepStrictEqual(
      [made.at("email"), made.at("suburb"), made.at("country")],
      ["new@example.org", "Perth", "AU"]
    )
    assert.include(await giving.eventsOf(fresh), "donor.created")
  })

  it("leads the address of a merged donor to whom it was merged into in the end", async () => {
    const { writer } = giving.tenant
    const donor = async (email: string) =>
      DonorId.make((await writer.post("/donors", { first_name: "Bea", email })).textAt("id"))
    const [old, middle, kept] = [await donor("bea@old.example"), await donor("bea@b.org"), await donor("bea@kept.org")]
    await writer.post(`/donors/${middle}/merge`, { duplicate_donor_id: old })
    await writer.post(`/donors/${kept}/merge`, { duplicate_donor_id: middle })
    const giver = async (email: string) => (await giving.giftOf(await giving.submit({ donor: { email } }))).donor_id
    assert.deepStrictEqual([await giver("Bea@old.example"), await giver("bea@b.org")], [kept, kept])
    const own = await donor("bea@old.example")
    assert.strictEqual(await giver("bea@old.example"), own)
    await writer.delete(`/donors/${own}`)
    await writer.delete(`/donors/${kept}`)
    assert.notInclude([old, middle, kept, own], await giver("bea@old.example"))
  })

  it("gives to the donor of the link and no other, whatever is typed, and as typed where the link is worth nothing", async () => {
    const { writer } = giving.tenant
    const bea = { first_name: "Bea", email: "bea@example.org" }
    const donor_id = DonorId.make((await writer.post("/donors", bea)).textAt("id"))
    const link = await writer.post(`/forms/${giving.form.id}/personalised-links`, { donor_id })
    const dt = new URL(link.textAt("url")).searchParams.get("dt") ?? assert.fail()
    assert.deepStrictEqual((await open({ dt })).donor, { first_name: "Bea" })
    assert.isNull((await open({ dt: `${dt}x` })).donor)
    const gift = await giving.giftOf(await giving.submit({ dt }))
    assert.deepInclude(gift, { donor_id, differs_from_record: true })
    const bare = await giving.giftOf(await giving.submit({ dt, donor: null }))
    assert.deepInclude(bare, { donor_id, differs_from_record: null, submitted_donor: null })
    await writer.patch(`/donors/${donor_id}`, { first_name: "Beatrice" })
    assert.notStrictEqual((await giving.giftOf(await giving.submit({ dt }))).donor_id, donor_id)
  })

  it("is one gift for each submission id, whatever comes with it, and however often at one moment", async () => {
    const submission_id = pageId()
    const first = await giving.submit({ submission_id })
    const repeated = await giving.submit({ submission_id, amount_cents: 7_000, slug: "gone", payment_token: null })
    assert.deepStrictEqual(repeated, first)
    assert.lengthOf(await giving.charges(), 1)
    const again = pageId()
    const results = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        giving.submit({ submission_id: again, amount_cents: 3_000 + index, donor: { email: "race@example.org" } })
      )
    )
    assert.lengthOf(new Set(results.map(({ donation_id }) => donation_id)), 1)
    assert.lengthOf(await giving.charges(), 2)
    const donors = await giving.tenant.reader.get("/donors?email=race@example.org")
    assert.lengthOf(donors.listAt("data"), 1)
    await giving.settle()
    const [one = assert.fail()] = results
    const told = (await giving.eventsOf(one)).toSorted()
    assert.deepStrictEqual(told, ["donation.created", "donation.succeeded", "donor.created"])
    await giving.balanced()
  })

  it("is audited as the donor's, and keeps what the donor pays with out of everything", async () => {
    const paid = await giving.submit()
    const audit = await auditOf(service, giving.tenant.organisation)
    const submitted = audit.filter(({ operation }) => operation === "checkouts.submit")
    assert.lengthOf(submitted, 2)
    for (const each of submitted) assert.deepInclude(each, { actor_type: "SYSTEM", actor_id: "donor" })
    const settled = audit.filter(({ operation }) => operation === "charges.settle")
    for (const each of settled) assert.deepInclude(each, { actor_type: "SYSTEM", actor_id: "settler" })
    const events = (await giving.tenant.reader.get("/events?limit=100")).text
    const everything = [JSON.stringify(audit), JSON.stringify(await giving.charges()), events, ...service.logs].join(
      "\n"
    )
    for (const secret of ["4242", paid.progress_token]) assert.notInclude(everything, secret)
  })
})
