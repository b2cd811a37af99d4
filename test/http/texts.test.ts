import { assert, beforeAll, it } from "@effect/vitest"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { newLink } from "../../src/testing/conformance/MoneyRecords.ts"
import { assertRefused } from "../support/Answer.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

/** Texts of one kind that a body may hold: where it is sent, with what beside it, and how long each may be. */
interface Texts {
  readonly method?: "PATCH"
  readonly path: string
  readonly beside: object
  /** Trimmed when they are kept; white space around them does not count. */
  readonly names?: Readonly<Record<string, number>>
  /** Kept as they are given. */
  readonly free?: Readonly<Record<string, number>>
}

const { nameCharacters: name, textCharacters: long } = Limits

/** A character of four bytes, which is two of UTF-16. */
const wide = "\u{20000}"

/** One more time, so that what is unique stays so: the last characters differ. */
let made = 0
const numbered = (length: number): string => {
  made += 1
  return wide.repeat(length - 6) + `${made}`.padStart(6, "0")
}

describeService(everyKind, "texts", (service) => {
  let tenant: Tenant
  let all: ReadonlyArray<Texts>

  beforeAll(async () => {
    tenant = await makeTenant(service)
    const recipient = await makeTenant(service)
    const donor = (await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id")
    const log = (await tenant.writer.post(`/donors/${donor}/contact-logs`, { contact_method: "PHONE" })).textAt("id")
    const link = await service.run(newLink(tenant.organisation.id, recipient.organisation))
    const inKind = { donation_type: "IN_KIND", in_kind_category: "GOODS", in_kind_description: "Chairs" }
    const gift = { donor_id: donor, amount_cents: 1, donation_date: "2026-01-02" }
    const allocations = [{ recipient_org_account_link_id: link.id, amount_cents: 1 }]
    const donorNames = {
      ...{ first_name: name, last_name: name, organisation_name: name, phone: name, address_line1: name },
      ...{ address_line2: name, suburb: name, state: name, postcode: name, country: name, employer_name: name },
      occupation: name
    }
    const formTexts = { description: long, thank_you_message: long, disclaimer_text: long }
    const form = (await tenant.writer.post("/forms", { name: "Appeal" })).textAt("id")
    all = [
      { path: "/donors", beside: { first_name: "Ada" }, names: donorNames },
      { method: "PATCH", path: `/donors/${donor}`, beside: {}, names: donorNames },
      { path: `/donors/${donor}/contact-logs`, beside: { contact_method: "PHONE" }, free: { notes: long } },
      { method: "PATCH", path: `/donors/${donor}/contact-logs/${log}`, beside: {}, free: { notes: long } },
      { path: "/donations", beside: { ...gift, ...inKind }, free: { in_kind_description: 500 } },
      { path: "/revenue-codes", beside: { code: "C" }, names: { code: 100 } },
      { path: "/revenue-codes", beside: { code: "D" }, free: { description: name } },
      { path: "/forms", beside: { name: "Appeal" }, names: { name, title: name }, free: formTexts },
      { method: "PATCH", path: `/forms/${form}`, beside: {}, names: { name, title: name }, free: formTexts },
      { path: "/checkout-links", beside: { donor_email: "a@x.org", amount_cents: 1 }, free: { description: long } },
      {
        path: "/recommendation-sets",
        beside: { name: "S", allocations },
        names: { name: 500 },
        free: { description: long }
      },
      {
        path: "/introductions",
        beside: { invitee_email: "a@x.org" },
        names: { invitee_org_name_hint: name },
        free: { external_id: name }
      },
      {
        path: "/webhook-endpoints",
        beside: { url: "https://hooks.example.org/", event_types: ["donor.created"] },
        free: { description: long }
      },
      { method: "PATCH", path: "/organisations/me", beside: {}, names: { name } }
    ]
  })

  const send = ({ beside, method, path }: Texts, field: string, text: string) =>
    tenant.writer.request(method ?? "POST", path, { json: { ...beside, [field]: text } })

  const kept = async (texts: Texts, field: string, text: string, expected: string | null) => {
    // A code that another text took is refused for that alone.
    const once =
      texts.path === "/revenue-codes" && field !== "code" ? { ...texts, beside: { code: numbered(20) } } : texts
    const answer = await send(once, field, text)
    assert.isBelow(answer.status, 300, `${texts.path} ${field}: ${answer.text.slice(0, 300)}`)
    assert.strictEqual(answer.at(field) ?? null, expected, `${texts.path} ${field}`)
    const id = answer.at("id")
    if (texts.path === "/organisations/me" || typeof id !== "string") return
    const path = texts.method === "PATCH" ? texts.path : `${texts.path}/${id}`
    assert.deepStrictEqual((await tenant.reader.get(path)).at(field) ?? null, expected, `${path} ${field}`)
  }

  it("that are names are trimmed, counted in characters and kept at their longest", async () => {
    for (const texts of all) {
      for (const [field, most] of Object.entries(texts.names ?? {})) {
        const longest = numbered(most)
        // A code is printable, white space around it included.
        const around = field === "code" ? "\u3000  " : "\u3000\n\t "
        await kept(texts, field, around + longest + around, longest)
        assertRefused(await send(texts, field, `${around}${longest}x `), "validation_failed", field)
      }
    }
  })

  it("that are free are kept byte for byte at their longest, and their white space counts", async () => {
    for (const texts of all) {
      for (const [field, most] of Object.entries(texts.free ?? {})) {
        const longest = ` \n\t${numbered(most - 4)}\u3000`
        await kept(texts, field, longest, longest)
        assertRefused(await send(texts, field, `${longest} `), "validation_failed", field)
      }
    }
  })

  it("that are e-mail addresses are trimmed, and only then counted", async () => {
    const longest = `${wide.repeat(Limits.emailCharacters - "@example.org".length)}@example.org`
    const answer = await tenant.writer.post("/donors", { email: ` ${longest}\n` })
    assert.strictEqual(answer.at("email"), longest)
    assert.deepStrictEqual(
      (await tenant.reader.get(`/donors?email=${encodeURIComponent(longest)}`)).listAt("data").length,
      1
    )
    assertRefused(await tenant.writer.post("/donors", { email: `x${longest}` }), "validation_failed", "email")
  })
})
