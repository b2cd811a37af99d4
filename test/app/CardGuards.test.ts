import { assert, beforeAll, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Users } from "../../src/app/access/Users.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import { listing } from "../../src/domain/payments/PaymentException.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { Transaction } from "../../src/ports/kernel/Transaction.ts"
import { CardGuardStore } from "../../src/ports/payments/CardGuardStore.ts"
import { PaymentExceptionStore } from "../../src/ports/payments/PaymentExceptionStore.ts"
import { changePort } from "../support/ChangePort.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { mailsOf } from "../support/OutboxMails.ts"
import { describeService, times } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"

const hour = 3_600_000

/** Whether the next donor goes away while the place of their card is being written. */
let isLeaving = false
let isPlaced = false

const leaving = Layer.merge(
  changePort(CardGuardStore, ({ replace }) => ({
    replace: (guards) =>
      Effect.andThen(
        Effect.sync(() => (isPlaced = true)),
        replace(guards)
      )
  })),
  changePort(Transaction, ({ run }) => ({
    run: (effect) =>
      Effect.tap(
        run(effect),
        Effect.withFiber((fiber) =>
          Effect.sync(() => {
            if (isLeaving && isPlaced) fiber.interruptUnsafe()
            if (isPlaced) isLeaving = false
            isPlaced = false
          })
        )
      )
  }))
)

const kinds = everyKind.map(([name, stores]) => [name, Layer.provideMerge(leaving, stores)] as const)

describeService(kinds, "cards that somebody tries out", (service) => {
  let giving: GivingSandbox
  let beside: GivingSandbox
  let tried = 0

  beforeAll(async () => {
    service.pace = 0
    giving = await makeGivingSandbox(service)
    beside = await makeGivingSandbox(service)
    await addMembers(giving)
  })

  const members = { "ada@example.org": "ADMIN", "bea@example.org": "ADMIN", "cy@example.org": "EDITOR" } as const

  const addMembers = async ({ tenant }: GivingSandbox) => {
    for (const [email, role] of Object.entries(members)) {
      const known = Users.use((users) => Effect.option(users.create({ email, name: email })))
      const added = Users.use((users) => users.addToOrganisation(email, role))
      await tenant.staff(Effect.andThen(known, added))
    }
  }

  const pageOf = (target: object = {}, { form: { slug }, tenant }: GivingSandbox = giving) => {
    const asked = { organisation: tenant.organisation.slug, slug, ...target }
    return service.run(Checkouts.use((checkouts) => checkouts.open(asked)))
  }

  /** A try: how it ended, or what refused it. */
  const give = (given: FieldsOf<Submission> = {}, { attempt }: GivingSandbox = giving) =>
    attempt({ donor: { email: `d${++tried}@example.org`, first_name: "Di", last_name: "Lee" }, ...given })

  const decline = () => give({ payment_token: numbers.declined })

  const told = async ({ tenant } = giving) => {
    const query = Effect.orDie(Effect.fromResult(parse(listing, [["kind", "cards_closed"]])))
    const { data } = await service.run(
      PaymentExceptionStore.use((store) => Effect.flatMap(query, (asked) => store.list(tenant.organisation.id, asked)))
    )
    return data.map(({ subject_id }) => subject_id)
  }

  /** What the admins were written, each with the address. */
  const written = async ({ tenant } = giving) =>
    (await mailsOf(service, tenant.organisation, "cards_closed"))
      .flatMap(Option.toArray)
      .map(({ subject, to }) => `${to}: ${subject}`)

  const both = (where: string) =>
    ["ada@example.org", "bea@example.org"].map((to) => `${to}: Cards are closed on ${where} of Charity`)

  it("reach the processor no more once many were declined, and others give as before", async () => {
    const outcomes: Array<string> = []
    for (let round = 0; round < 5; round++) outcomes.push(...(await times(40, decline)))
    const asked = outcomes.filter((outcome) => outcome === "FAILED").length
    assert.isAtLeast(asked, Limits.cardCredit)
    assert.isAtMost(asked, Limits.cardCredit + Limits.cardsBeyondCredit)
    assert.lengthOf(await giving.charges(), asked)
    const refused = new Set(outcomes.filter((outcome) => outcome !== "FAILED" && outcome !== "GuardRefused"))
    assert.deepStrictEqual(refused, new Set(["InvalidInput method"]))
    assert.deepStrictEqual(await told(), [giving.form.id])
    assert.deepStrictEqual(await written(), both("the form Winter appeal"))
    const page = await pageOf()
    assert.isTrue(page.cards_closed)
    assert.isNull(page.closed)
    assert.notInclude(page.methods, "card")
    assert.strictEqual(await give(), "InvalidInput method")
    assert.strictEqual(await give({ method: "au_becs_debit", payment_token: numbers.debit }), "PROCESSING")
    // Another organisation, and another form.
    assert.isFalse((await pageOf({}, beside)).cards_closed)
    assert.strictEqual(await give({}, beside), "SUCCEEDED")
    const other = await giving.tenant.writer.post("/forms", { name: "Spring appeal", status: "ACTIVE" })
    assert.strictEqual(await give({ slug: other.textAt("slug") }), "SUCCEEDED")
  })

  it("leave a donor's own link open, and a checkout link, until its own cards are declined", async () => {
    const { writer } = giving.tenant
    const donor = await writer.post("/donors", { first_name: "Zo", last_name: "Quill", email: "zo@example.org" })
    const link = await writer.post(`/forms/${giving.form.id}/personalised-links`, { donor_id: donor.textAt("id") })
    const dt = new URL(link.textAt("url")).searchParams.get("dt")
    assert.include((await pageOf({ dt })).methods, "card")
    assert.strictEqual(await give({ dt }), "SUCCEEDED")
    const outcomes: Array<string> = []
    for (let each = 0; each < 20; each++) outcomes.push(await give({ dt, payment_token: numbers.declined }))
    assert.lengthOf(
      outcomes.filter((outcome) => outcome === "FAILED"),
      Limits.cardCreditPersonal
    )
    assert.notInclude((await pageOf({ dt })).methods, "card")
    const made = await writer.post("/checkout-links", { donor_email: "bea@example.org", amount_cents: 5_000 })
    const code = new URL(made.textAt("url")).pathname.split("/").at(-1) ?? ""
    const plain = giving.submission({ slug: null, code, donor: null })
    assert.strictEqual(
      await service.run(
        Effect.map(
          Checkouts.use(({ submit }) => submit(plain)),
          ({ status }) => status
        )
      ),
      "SUCCEEDED"
    )
    assert.lengthOf(await told(), 1)
    assert.lengthOf(await written(), 2)
  })

  it("are taken again by itself after some hours, and honest ones keep it so", async () => {
    const [first = 0] = Limits.cardClosingHours
    service.clock.advance(first * hour + 1)
    assert.isFalse((await pageOf()).cards_closed)
    for (let each = 0; each < 40; each++) {
      const isDeclined = each % 5 === 4
      assert.strictEqual(
        await give(isDeclined ? { payment_token: numbers.declined } : {}),
        isDeclined ? "FAILED" : "SUCCEEDED"
      )
    }
    assert.include((await pageOf()).methods, "card")
    await giving.balanced()
  })

  it("wait for those before them where more than may be tried come at once, and are all taken", async () => {
    const crowded = await makeGivingSandbox(service)
    const outcomes = await times(60, () => give({}, crowded))
    assert.deepStrictEqual(new Set(outcomes), new Set(["SUCCEEDED"]))
  })

  it("leave no place taken whose donors went away while it was taken", async () => {
    const left = await makeGivingSandbox(service)
    for (let each = 0; each < Limits.cardCredit + Limits.cardsBeyondCredit; each++) {
      isLeaving = true
      assert.strictEqual(await give({}, left).catch(() => "gone"), "gone")
    }
    assert.isFalse(isLeaving)
    assert.strictEqual(await give({}, left), "SUCCEEDED")
  })

  it("are closed, too, where their holders are asked for an approval that never comes", async () => {
    const asked = await makeGivingSandbox(service)
    const unfinished = () => give({ payment_token: numbers.waits }, asked)
    const outcomes = await times(60, unfinished)
    const waiting = outcomes.filter((outcome) => outcome === "WAITING").length
    assert.isAtLeast(waiting, Limits.cardCredit)
    assert.isAtMost(waiting, Limits.cardCredit + Limits.cardsBeyondCredit)
    assert.isFalse((await pageOf({}, asked)).cards_closed)
    service.clock.advance(Limits.cardApprovalMinutes * 60_000)
    assert.strictEqual(await unfinished(), "InvalidInput method")
    assert.isTrue((await pageOf({}, asked)).cards_closed)
    assert.lengthOf(await asked.charges(), waiting)
    assert.deepStrictEqual(await told(asked), [asked.form.id])
  })

  it("are told to admins each time they close, also of all forms, whatever became of the exception", async () => {
    const attacked = await makeGivingSandbox(service)
    await addMembers(attacked)
    const close = (slug?: string) =>
      times(50, () => give({ ...(slug === undefined ? {} : { slug }), payment_token: numbers.declined }, attacked))
    await close()
    const onForm = both("the form Winter appeal")
    assert.deepStrictEqual(await written(attacked), onForm)
    const [mail] = (await mailsOf(service, attacked.tenant.organisation, "cards_closed")).flatMap(Option.toArray)
    const [hours = 0] = Limits.cardClosingHours
    const until = new Date(service.clock.now + hours * hour).toLocaleTimeString("en-AU", {
      timeZone: "Australia/Sydney",
      timeStyle: "short"
    })
    assert.include(mail?.text, `at ${until} AE`)
    assert.include(mail?.text, "almoner exception list")
    const other = await attacked.tenant.writer.post("/forms", { name: "Spring", status: "ACTIVE" })
    await close(other.textAt("slug"))
    const onAll = [...onForm, ...both("all forms")]
    assert.deepStrictEqual(await written(attacked), onAll)
    service.clock.advance(hours * hour + 1)
    await close()
    assert.deepStrictEqual(await written(attacked), [...onAll, ...onAll])
    assert.sameMembers(await told(attacked), [attacked.form.id, attacked.tenant.organisation.id])
  })

  it("count as successes when their holders approve them", async () => {
    const honest = await makeGivingSandbox(service)
    const { submission } = honest
    for (let each = 0; each < Limits.cardCredit + 10; each++) {
      const given = submission({ payment_token: numbers.waits })
      const approved = Checkouts.use((checkouts) =>
        Effect.flatMap(checkouts.submit(given), ({ progress_token }) =>
          checkouts.approve({ progress_token, is_approved: true })
        )
      )
      assert.strictEqual((await service.run(approved)).status, "SUCCEEDED")
    }
    service.clock.advance(Limits.cardApprovalMinutes * 60_000)
    assert.strictEqual(await give({}, honest), "SUCCEEDED")
  })
})
