import { assert, beforeEach, it } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/adapters/http/Api.ts"
import { AnswersSecret } from "../../src/adapters/http/endpoints/Annotations.ts"
import { PersonalisedLinks } from "../../src/app/sharing/PersonalisedLinks.ts"
import type { LinkPage, Target } from "../../src/domain/giving/PersonalisedLink.ts"
import { DonationFormId, RecommendationSetId } from "../../src/domain/kernel/Ids.ts"
import { RecommendationSetStore } from "../../src/ports/sharing/RecommendationSetStore.ts"
import { newLink, setOf } from "../../src/testing/conformance/MoneyRecords.ts"
import { assertRefused, fieldsOf } from "../support/Answer.ts"
import { anew } from "../support/Late.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { auditOf, makeTenant, type Tenant } from "../support/Tenant.ts"

const day = 86_400_000

it("a minted link is an answer with a secret, so that its stored bytes are sealed", () => {
  const secret: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      if (Context.get(mergedAnnotations, AnswersSecret)) secret.push(endpoint.path)
    }
  })
  assert.includeMembers(secret, [
    "/api/v1/forms/:id/personalised-links",
    "/api/v1/recommendation-sets/:id/personalised-links"
  ])
})

describeService(everyKind, "personalised links", (service) => {
  const tenant = anew(() => makeTenant(service))
  let donor: string
  let form: string

  const newDonor = async (owner: Tenant, json: object = { first_name: "Ada" }) =>
    (await owner.writer.post("/donors", json)).textAt("id")

  const newForm = async () => (await tenant.writer.post("/forms", { name: "Gala", status: "ACTIVE" })).textAt("id")

  beforeEach(async () => {
    donor = await newDonor(tenant)
    form = await newForm()
  })

  const mint = (donor_id: string, id = form) => tenant.writer.post(`/forms/${id}/personalised-links`, { donor_id })

  const tokenOf = (url: string) => new URL(url).searchParams.get("dt") ?? ""

  const minted = async (donor_id = donor) => tokenOf((await mint(donor_id)).textAt("url"))

  const formTarget = (id = form): Target => ({ kind: "donation_form", id: DonationFormId.make(id) })

  const placeOf = (target: Target, { organisation } = tenant): LinkPage => ({
    organisation_id: organisation.id,
    target
  })

  /** The id of the donor whose token it is, null where it opens nothing. */
  const opened = async (token: string, place = placeOf(formTarget())) => {
    const found = await service.run(PersonalisedLinks.use((links) => links.verify(place, token)))
    return Option.getOrNull(Option.map(found, ({ id }) => id))
  }

  it("to a form are its page with a token, which opens it for the donor, any number of times", async () => {
    const made = await mint(donor)
    const expires_at = service.clock.iso(30 * day)
    const { hosted_page_url } = Object((await tenant.reader.get(`/forms/${form}`)).at(""))
    const url = made.textAt("url")
    assert.isTrue(url.startsWith(`${hosted_page_url}?dt=v1.`), url)
    assert.deepStrictEqual([made.status, made.at("")], [201, { url, donor_id: donor, form_id: form, expires_at }])
    for (let visit = 0; visit < 3; visit++) assert.strictEqual(await opened(tokenOf(url)), donor)
  })

  it("to a recommendation set are its giving address with a token, on every plan", async () => {
    const { organisation: recipient } = await makeTenant(service)
    const set = await service.run(
      Effect.gen(function* () {
        const link = yield* newLink(tenant.organisation.id, recipient)
        const set = yield* setOf(tenant.organisation.id, [link])
        yield* (yield* RecommendationSetStore).insert(set)
        return set
      })
    )
    const path = `/recommendation-sets/${set.id}/personalised-links`
    const made = await tenant.writer.post(path, { donor_id: donor })
    const { expires_at, url, ...rest } = Object(made.at(""))
    assert.deepStrictEqual(rest, { donor_id: donor, recommendation_set_id: set.id })
    assert.strictEqual(expires_at, service.clock.iso(30 * day))
    assert.isTrue(
      url.startsWith(`http://${tenant.organisation.slug}.localhost:8080/g/${set.url_key}?dt=`),
      "the giving address"
    )
    const place = placeOf({ kind: "recommendation_set", id: RecommendationSetId.make(set.id) })
    assert.strictEqual(await opened(tokenOf(url), place), donor)
    assert.isNull(await opened(tokenOf(url)), "not on a form")
  })

  it("to a set are refused while it takes no payment, and made again when it does", async () => {
    const { organisation: recipient } = await makeTenant(service)
    const link = await service.run(newLink(tenant.organisation.id, recipient))
    const allocations = [{ recipient_org_account_link_id: link.id, amount_cents: 1 }]
    const expires_at = service.clock.iso(day)
    const made = await tenant.writer.post("/recommendation-sets", { name: "Gala", allocations, expires_at })
    const path = `/recommendation-sets/${made.textAt("id")}`
    const statusOfLink = async () =>
      (await tenant.writer.post(`${path}/personalised-links`, { donor_id: donor })).status
    const refused = async (status: string) => {
      const answer = await tenant.writer.post(`${path}/personalised-links`, { donor_id: donor })
      assertRefused(answer, "conflict")
      assert.include(answer.textAt("error.message"), status)
    }
    assert.strictEqual(await statusOfLink(), 201)
    await tenant.writer.post(`${path}/deactivate`)
    await refused("deactivated")
    await tenant.writer.patch(path, { is_active: true })
    assert.strictEqual(await statusOfLink(), 201)
    service.clock.advance(day)
    await refused("expired")
    await tenant.writer.patch(path, { expires_at: null })
    assert.strictEqual(await statusOfLink(), 201)
    await tenant.writer.delete(path)
    await refused("archived")
  })

  it("are revoked when the donor is edited or archived, and by nothing that changes nothing", async () => {
    const token = await minted()
    await tenant.writer.patch(`/donors/${donor}`, { first_name: "Ada " })
    await tenant.writer.patch(`/forms/${form}`, { title: "Come" })
    assert.strictEqual(await opened(token), donor)
    await tenant.writer.patch(`/donors/${donor}`, { phone: "1" })
    assert.isNull(await opened(token))
    const again = await minted()
    assert.strictEqual(await opened(again), donor)
    await tenant.writer.delete(`/donors/${donor}`)
    assert.isNull(await opened(again))
  })

  it("of both donors are revoked by a merge", async () => {
    const duplicate = await newDonor(tenant, { first_name: "Ada", email: "ada@example.org" })
    const tokens = [await minted(), await minted(duplicate)]
    assert.deepStrictEqual([await opened(tokens[0] ?? ""), await opened(tokens[1] ?? "")], [donor, duplicate])
    await tenant.writer.post(`/donors/${donor}/merge`, { duplicate_donor_id: duplicate })
    for (const token of tokens) assert.isNull(await opened(token))
  })

  it("are the same when their request is repeated, are audited without a trace of them, and emit nothing", async () => {
    const path = `/forms/${form}/personalised-links`
    const send = () => tenant.writer.post(path, { donor_id: donor }, { "Idempotency-Key": "mint" })
    const [first, replay] = [await send(), await send()]
    assert.strictEqual(replay.headers.get("Idempotent-Replayed"), "true")
    assert.deepStrictEqual(replay.bytes, first.bytes)
    const entries = (await auditOf(service, tenant.organisation)).filter(
      ({ operation }) => operation === "forms.mint_link"
    )
    assert.deepStrictEqual(fieldsOf(entries, "subject_id"), [form])
    const token = tokenOf(first.textAt("url"))
    const events = await tenant.reader.get("/events?limit=100")
    assert.lengthOf(events.listAt("data"), 3)
    for (const text of [events.text, JSON.stringify(entries), service.logs.join("\n")]) assert.notInclude(text, token)
  })
})
