import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { CheckoutLink } from "../../src/domain/giving/CheckoutLink.ts"
import { CheckoutLinkId } from "../../src/domain/kernel/Ids.ts"
import { CampaignStore, CheckoutLinkStore } from "../../src/ports.ts"
import { changePort } from "../support/ChangePort.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { memory } from "../support/Stores.ts"

/** Done once a submission was checked, and before it is written: a submission asks for its campaign last. */
let meanwhile: () => Promise<unknown> = () => Promise.resolve()

/** A link as somebody has read it before a gift began on it; null where nobody has. */
let readBefore: CheckoutLink | null = null

const stale = changePort(CheckoutLinkStore, ({ find }) => ({
  find: (organisation_id, id) =>
    Effect.suspend(() => {
      const seen = readBefore
      readBefore = null
      return seen === null ? find(organisation_id, id) : Effect.succeedSome(seen)
    })
}))

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
})).pipe(Layer.merge(stale), Layer.provideMerge(memory))

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

const changes = {
  "priced anew": (id: string) => giving.tenant.writer.patch(`/checkout-links/${id}`, { amount_cents: 8_000 }),
  cancelled: (id: string) => giving.tenant.writer.post(`/checkout-links/${id}/cancel`),
  archived: (id: string) => giving.tenant.writer.delete(`/checkout-links/${id}`)
}

it.each(Object.entries(changes))("a gift that begins while its link is %s gives way", async (_, change) => {
  const { code, id } = await linkTo()
  const { organisation } = giving.tenant
  const read = CheckoutLinkStore.use(({ find }) => find(organisation.id, CheckoutLinkId.make(id)))
  const before = Option.getOrThrow(await service.run(read))
  const given = await giving.submit({ slug: null, code, donor: null, payment_token: numbers.waits })
  readBefore = before
  assert.strictEqual((await change(id)).status, 200)
  assert.isNull(readBefore)
  await giving.settle()
  assert.deepInclude(await giving.giftOf(given), { status: "FAILED", failure_code: "cancelled" })
})
