import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CampaignStore } from "../../src/ports.ts"
import { changePort } from "../support/ChangePort.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { memory } from "../support/Stores.ts"

/** Done once a submission was checked, and before it is written: a submission asks for its campaign last. */
let meanwhile: () => Promise<unknown> = () => Promise.resolve()

const stores = changePort(CampaignStore, ({ list }) => ({
  list: (organisation_id, query) =>
    Effect.andThen(
      Effect.promise(() => {
        const now = meanwhile
        meanwhile = () => Promise.resolve()
        return now()
      }),
      list(organisation_id, query)
    )
})).pipe(Layer.provideMerge(memory))

const service = serviceOver({ stores })
const giving: GivingSandbox = anew(() => makeGivingSandbox(service))

const linkTo = async () => {
  const link = await giving.tenant.writer.post("/checkout-links", {
    donor_email: "bea@example.org",
    amount_cents: 5_000,
    payment_methods: ["card", "au_becs_debit"],
    revenue_code: "SPRING"
  })
  return { id: link.textAt("id"), code: link.textAt("code") }
}

it("a gift on a link that changes while it is submitted is booked as the link is then", async () => {
  const { code, id } = await linkTo()
  meanwhile = () => giving.tenant.writer.patch(`/checkout-links/${id}`, { revenue_code: "AUTUMN" })
  const given = await giving.submit({ slug: null, code, donor: null, campaign: "none" })
  assert.strictEqual((await giving.giftOf(given)).revenue_code, "AUTUMN")
})

it("a link takes no gift by a method that it lost while that was submitted", async () => {
  const { code, id } = await linkTo()
  const debit = { method: "au_becs_debit", payment_token: numbers.debit } as const
  meanwhile = () => giving.tenant.writer.patch(`/checkout-links/${id}`, { payment_methods: ["card"] })
  const refused = await giving.attempt({ slug: null, code, donor: null, campaign: "none", ...debit })
  assert.strictEqual(refused, "InvalidInput method")
})

it("a donor who is archived while they give by their own link is asked who they are, and not made anew", async () => {
  const { reader, writer } = giving.tenant
  const donor = await writer.post("/donors", { first_name: "Zoë", email: "zoe@example.org" })
  const id = donor.textAt("id")
  const link = await writer.post(`/forms/${giving.form.id}/personalised-links`, { donor_id: id })
  const dt = new URL(link.textAt("url")).searchParams.get("dt")
  meanwhile = () => writer.delete(`/donors/${id}`)
  assert.strictEqual(
    await giving.attempt({ dt, donor: { first_name: "Zoë" }, campaign: "none" }),
    "InvalidInput donor.email"
  )
  assert.deepStrictEqual((await reader.get("/donors")).listAt("data"), [])
})
