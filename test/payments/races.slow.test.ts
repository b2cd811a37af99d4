import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { Charges } from "../../src/app/payments/Charges.ts"
import { Credits } from "../../src/app/payments/Credits.ts"
import { NoticeReceiver } from "../../src/app/payments/notice/NoticeReceiver.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { dayOf } from "../../src/domain/kernel/CalendarDate.ts"
import type { AllocationId } from "../../src/domain/kernel/Ids.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import type { Submission, SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { IntegrationStore } from "../../src/ports/access/IntegrationStore.ts"
import { linkedRecipient, numbers } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { rounds } from "../support/Rounds.ts"
import type { Service } from "../support/Service.ts"
import { server } from "../support/Stores.ts"
import { asOperator, eventsOf } from "../support/Tenant.ts"
import type { World } from "./Action.ts"
import { lastLook } from "./actions.ts"
import { assertAgreement, assertBalanced } from "./Oracle.ts"
import { makePoints } from "./Points.ts"
import { makeWorld, startWithPoints } from "./World.ts"

/** How often each race is run: where the parties meet is drawn each time. */
const runs = 4 * rounds

const day = 24 * 3_600_000

/** What was asked for at one moment, by several. */
type Party = () => Promise<unknown>

/** Something that several do at the same moment. */
interface Race {
  readonly before: FieldsOf<Submission>
  readonly parties: (world: World, gift: SubmittedCheckout) => Promise<ReadonlyArray<Party>>
  /** What must be true then, beside what is always true. */
  readonly ends: (world: World, gift: SubmittedCheckout, answers: ReadonlyArray<unknown>) => Promise<void>
}

const settleDue = Settler.use((settler) => settler.settleDue)

const worker =
  ({ giving, service }: World): Party =>
  async () => {
    await giving.settle()
    return service.run(settleDue)
  }

const looker =
  ({ giving }: World, gift: SubmittedCheckout): Party =>
  async () => {
    const { id } = await giving.chargeOf(gift)
    return giving.tenant.staff(Charges.use((all) => all.look(id)))
  }

const refunder =
  ({ giving }: World, gift: SubmittedCheckout, key: string, body: object = {}): Party =>
  async () => {
    const { status } = await giving.tenant.writer.post(`/donations/${gift.donation_id}/refund`, body, {
      "idempotency-key": key
    })
    return status
  }

const statuses = async ({ giving }: World, gift: SubmittedCheckout) => [
  (await giving.chargeOf(gift)).status,
  (await giving.giftOf(gift)).status
]

const waiting = { payment_token: numbers.waits }

const donorOf = async ({ giving }: World, gift: SubmittedCheckout) => (await giving.giftOf(gift)).donor_id

/** A set is closed while somebody's payment to it succeeds: the payment was begun before, so it succeeds either way. */
const closingSet = (how: "deactivate" | "archive"): Race => ({
  before: {},
  parties: async (world) => {
    const { giving } = world
    const { reader, writer } = giving.tenant
    const { link } = await linkedRecipient(world.service, giving)
    const allocations = [{ recipient_org_account_link_id: link, amount_cents: 5_000 }]
    const set = await writer.post("/recommendation-sets", { name: "Harvest", amount_mode: "SUGGESTED", allocations })
    assert.strictEqual(set.status, 201, set.text)
    const [first] = set.at("allocations") as ReadonlyArray<{ readonly id: AllocationId }>
    const { id } = first ?? assert.fail("the set has no allocation")
    const page = { slug: null, url_key: set.textAt("url_key"), allocations: [{ id, amount_cents: 5_000 }] }
    const payment = await giving.submit({ ...waiting, ...page })
    await giving.move(payment, Bank.approve)
    const path = `/recommendation-sets/${set.textAt("id")}`
    const close = async () => {
      const { status, text } = how === "archive" ? await writer.delete(path) : await writer.post(`${path}/deactivate`)
      assert.strictEqual(status, 200, text)
      return "closed"
    }
    const ended = async () => {
      await worker(world)()
      await looker(world, payment)()
      const charge = await giving.chargeOf(payment)
      const paid = await reader.get(`${path}/payments`)
      const [only] = paid.at("data") as ReadonlyArray<Readonly<Record<string, unknown>>>
      const told = (await eventsOf(giving.tenant)).filter(
        ({ data }) => data["recommendation_set_payment_id"] === payment.recommendation_set_payment_id
      )
      return {
        charge: charge.status,
        payment: only?.["payment_status"],
        hasDonor: typeof only?.["donor_id"] === "string",
        told: told.map(({ type }) => type)
      }
    }
    return [close, worker(world), looker(world, payment), async () => ended]
  },
  ends: async (_, __, [closed, , , ended]) => {
    assert.strictEqual(closed, "closed")
    assert.deepStrictEqual(await (ended as () => Promise<unknown>)(), {
      charge: "SUCCEEDED",
      payment: "SUCCEEDED",
      hasDonor: true,
      told: ["recommendation_set.payment_succeeded"]
    })
  }
})

/** A link of 5,000 cents, and what is submitted through it. */
const newLink = async ({ giving, links }: World) => {
  const body = { donor_email: "bea@example.org", amount_cents: 5_000, payment_methods: ["card"] }
  const made = await giving.tenant.writer.post("/checkout-links", body)
  const link = { id: made.textAt("id"), code: made.textAt("code") }
  links.push(link)
  return { path: `/checkout-links/${link.id}`, given: { slug: null, code: link.code, donor: null } }
}

/** A link is closed while its gift's money comes. */
const closingLink = (how: "cancel" | "archive"): Race => ({
  before: {},
  parties: async (world) => {
    const { giving } = world
    const { given, path } = await newLink(world)
    const submission = giving.submission({ ...given, ...waiting })
    const gift = await giving.submit(submission)
    world.gifts.push({ submission, answer: gift })
    const close = async () => {
      const { writer } = giving.tenant
      const { status } = how === "archive" ? await writer.delete(path) : await writer.post(`${path}/cancel`)
      assert.include([200, 409], status)
    }
    const approve = () => giving.move(gift, Bank.approve).catch(() => undefined)
    return [close, approve, looker(world, gift), worker(world)]
  },
  ends: async () => undefined
})

const races: Readonly<Record<string, Race>> = {
  "an answer against looks at its charge": {
    before: {},
    parties: async (world) => {
      const submission = world.giving.submission()
      const submit = () => world.service.run(Checkouts.use((all) => all.submit(submission)))
      const look = async () => {
        for (const { id } of await world.giving.charges()) {
          await world.giving.tenant.staff(Charges.use((all) => all.look(id)))
        }
      }
      return [submit, look, look, worker(world)]
    },
    ends: async (world) => {
      for (const { status } of await world.giving.charges()) assert.strictEqual(status, "SUCCEEDED")
      assert.lengthOf(await world.giving.charges(), 2)
    }
  },
  "two workers and a look on one charge": {
    before: { method: "au_becs_debit", payment_token: numbers.debit },
    parties: async (world, gift) => {
      await world.giving.move(gift, Bank.settle)
      return [worker(world), worker(world), looker(world, gift)]
    },
    ends: async (world, gift) => assert.deepStrictEqual(await statuses(world, gift), ["SUCCEEDED", "CONFIRMED"])
  },
  "a donor who clicks many times": {
    before: {},
    parties: async (world) => {
      const submission = world.giving.submission()
      return Array.from({ length: 5 }, () => async () => {
        const { donation_id } = await world.service.run(Checkouts.use((all) => all.submit(submission)))
        return donation_id
      })
    },
    ends: async (world, _, answers) => {
      assert.lengthOf(new Set(answers), 1)
      assert.lengthOf(await world.giving.charges(), 2)
    }
  },
  "a refund against a dispute": {
    before: {},
    parties: async (world, gift) => [
      refunder(world, gift, "one"),
      async () => {
        await world.giving.move(gift, (charge, now) => Bank.dispute(charge, null, now)).catch(() => undefined)
        await looker(world, gift)()
        await world.giving.move(gift, Bank.disputeLost).catch(() => undefined)
      },
      worker(world)
    ],
    ends: async (world, gift) => assert.deepStrictEqual(await statuses(world, gift), ["SUCCEEDED", "REFUNDED"])
  },
  "two refunds of all that is left": {
    before: {},
    parties: async (world, gift) => [refunder(world, gift, "one"), refunder(world, gift, "two"), worker(world)],
    ends: async (world, gift, [first, second]) => {
      assert.sameMembers([first, second], [200, 409])
      assert.lengthOf(await world.giving.refundsOf(gift), 1)
    }
  },
  "one refund that is asked for twice": {
    before: {},
    parties: async (world, gift) => [
      refunder(world, gift, "one", { amount_cents: 2_000 }),
      refunder(world, gift, "one", { amount_cents: 2_000 }),
      worker(world)
    ],
    ends: async (world, gift, [first, second]) => {
      // The second is told the first answer, or that it is still being made.
      assert.include(["200,200", "200,409", "409,200"], `${first},${second}`)
      assert.strictEqual(Bank.leftCents(await world.giving.bank(gift)), 3_000)
    }
  },
  "a refund here against one at the processor": {
    before: {},
    parties: async (world, gift) => [
      refunder(world, gift, "one"),
      () =>
        world.giving
          .move(gift, (charge, now) => {
            const asked = { refund_id: null, idempotency_key: null, amount_cents: 3_000 }
            return Result.map(Bank.refund(charge, asked, now), (refunded) => refunded.charge)
          })
          .catch(() => undefined),
      worker(world)
    ],
    ends: async () => undefined
  },
  "archiving the donor against the success": {
    before: waiting,
    parties: async (world, gift) => {
      await world.giving.move(gift, Bank.approve)
      const donor = await donorOf(world, gift)
      return [() => world.giving.tenant.writer.delete(`/donors/${donor}`), worker(world), looker(world, gift)]
    },
    ends: async (world, gift) => assert.deepStrictEqual(await statuses(world, gift), ["SUCCEEDED", "CONFIRMED"])
  },
  "merging the donor against the success": {
    before: waiting,
    parties: async (world, gift) => {
      await world.giving.move(gift, Bank.approve)
      const donor = await donorOf(world, gift)
      const kept = await world.giving.tenant.writer.post("/donors", { first_name: "Grace" })
      const merge = async () => {
        const path = `/donors/${kept.textAt("id")}/merge`
        const { status, text } = await world.giving.tenant.writer.post(path, { duplicate_donor_id: donor })
        assert.strictEqual(status, 200, text)
        return kept.textAt("id")
      }
      return [merge, worker(world), looker(world, gift)]
    },
    ends: async (world, gift, [kept]) => {
      assert.deepStrictEqual(await statuses(world, gift), ["SUCCEEDED", "CONFIRMED"])
      assert.strictEqual(await donorOf(world, gift), kept)
    }
  },
  "merging the donor against a gift of the same address": {
    before: {},
    parties: async (world, gift) => {
      const donor = await donorOf(world, gift)
      const kept = await world.giving.tenant.writer.post("/donors", { first_name: "Grace" })
      const path = `/donors/${kept.textAt("id")}/merge`
      return [
        () => world.giving.tenant.writer.post(path, { duplicate_donor_id: donor }),
        () => world.giving.submit(),
        () => world.giving.submit()
      ]
    },
    ends: async (world) => {
      const { tenant } = world.giving
      for (const { subject_id } of await world.giving.charges()) {
        const gift = await tenant.reader.get(`/donations/${subject_id}`)
        const donor = await tenant.reader.get(`/donors/${gift.textAt("donor_id")}`)
        // Nobody gives under a donor who was merged away before.
        assert.isNull(donor.at("archived_at"))
      }
    }
  },
  "giving up against the holder's approval": {
    before: waiting,
    parties: async (world, gift) => {
      world.service.clock.advance(day + 1_000)
      return [worker(world), () => world.giving.move(gift, Bank.approve).catch(() => undefined), looker(world, gift)]
    },
    ends: async (world, gift) =>
      assert.include(["SUCCEEDED,CONFIRMED", "CANCELLED,FAILED"], (await statuses(world, gift)).join())
  },
  "two submissions through one link": {
    before: {},
    parties: async (world) => {
      const { given } = await newLink(world)
      return Array.from({ length: 3 }, () => async () => {
        const submission = world.giving.submission(given)
        const answer = await world.service.run(Effect.result(Checkouts.use((all) => all.submit(submission))))
        if (Result.isFailure(answer)) return answer.failure._tag
        world.gifts.push({ submission, answer: answer.success })
        return answer.success.status
      })
    },
    ends: async (world, _, answers) => {
      const paid = (await world.giving.charges()).filter(({ status }) => status === "SUCCEEDED")
      assert.lengthOf(paid, 2, "one beside the first gift")
      // Another one may be taking its money still when it is answered.
      for (const answer of answers) assert.include(["NEW", "SUCCEEDED", "GuardRefused", "TakesNoPayment"], answer)
    }
  },
  ...Object.fromEntries(
    (["cancel", "archive"] as const).map((how) => [`${how} a link against its money`, closingLink(how)])
  ),
  "first gifts of one address": {
    before: {},
    parties: async ({ giving }) =>
      ["new@example.org", "NEW@example.org", " new@example.org"].map((email) => async () => {
        const gift = await giving.submit({ donor: { email } })
        return (await giving.giftOf(gift)).donor_id
      }),
    ends: async (_, __, answers) => assert.lengthOf(new Set(answers), 1)
  },
  ...Object.fromEntries(
    (["deactivate", "archive"] as const).map((how) => [`${how} a set against its payment's success`, closingSet(how)])
  ),
  "two imports of one file": {
    before: { method: "bank_transfer", payment_token: null },
    parties: async (world, gift) => {
      const { amount_cents, id, reference } = await world.giving.chargeOf(gift)
      const { organisation } = world.giving.tenant
      const texts = [`1 TRANSFER ${reference}`, `2 TRANSFER ${reference}`, "3 A GIFT"]
      const day = dayOf(organisation.created_at, organisation.timezone)
      for (const text of texts) {
        world.lines.set(text, { amount_cents: amount_cents / 2, charge_id: text.includes("TRANSFER") ? id : null })
      }
      const rows = texts.map((text) => `${day},${amount_cents / 200},${text}`)
      const content = ["Date,Amount,Description", ...rows, ""].join("\n")
      const input = { integration_id: world.giving.integration_id, content }
      const load = () => world.service.run(Credits.use((all) => all.import(input)).pipe(asOperator(organisation)))
      return [load, load, worker(world), looker(world, gift)]
    },
    ends: async (world, gift, [first, second]) => {
      assert.strictEqual(Object(first).recorded + Object(second).recorded, 3)
      assert.deepStrictEqual(await statuses(world, gift), ["SUCCEEDED", "CONFIRMED"])
    }
  },
  "notices against a look": {
    before: { method: "au_becs_debit", payment_token: numbers.debit },
    parties: async (world, gift) => {
      await world.giving.move(gift, Bank.settle)
      const { id, reference } = await world.giving.chargeOf(gift)
      const integration = await world.service.run(
        IntegrationStore.use((store) =>
          Effect.map(store.find(world.giving.tenant.organisation.id, world.giving.integration_id), Option.getOrThrow)
        )
      )
      const told = (event_id: string) => () => {
        const object = { kind: "charge", reference, charge_id: id } as const
        const created_at = integration.created_at
        const facts = { event_id: `${event_id} ${id}`, type: "charge.succeeded", object, account: null, created_at }
        const heard = NoticeReceiver.use((intake) => intake.takeUnseen(integration, [facts]))
        return world.service.run(Effect.andThen(heard, settleDue))
      }
      return [told("one"), told("one"), told("two"), looker(world, gift)]
    },
    ends: async (world, gift) => assert.deepStrictEqual(await statuses(world, gift), ["SUCCEEDED", "CONFIRMED"])
  },
  "two who resolve one exception": {
    before: { payment_token: numbers.refundWaits },
    parties: async (world, gift) => {
      await refunder(world, gift, "one")()
      await world.giving.settle()
      await world.giving.move(gift, Bank.refundFailed)
      await world.giving.settle()
      const [raised] = await world.giving.exceptionsOf(gift)
      const { id } = raised ?? assert.fail("nothing was raised")
      const resolve = () =>
        world.service.run(
          PaymentExceptions.use((all) => all.resolve(id, { note: "Seen" })).pipe(
            asOperator(world.giving.tenant.organisation),
            Effect.result
          )
        )
      return [resolve, resolve, worker(world)]
    },
    ends: async (_, __, [first, second]) => {
      const tags = [first, second].map((each) => Object(each)._tag)
      assert.sameMembers(tags, ["Success", "Failure"])
    }
  }
}

describe("at the same moment, on PostgreSQL", () => {
  const points = makePoints()
  let service: Service

  beforeAll(async () => {
    service = await startWithPoints(server, points)
  })
  afterAll(() => service.stop())

  /** Lets the parties meet anywhere: each waits a little at many of its points. */
  const atOnce = async (parties: ReadonlyArray<Party>): Promise<ReadonlyArray<unknown>> => {
    points.at = () => (Math.random() < 0.3 ? Effect.sleep(Math.floor(Math.random() * 4)) : Effect.void)
    const all = points.run(
      "race",
      Effect.promise(() => Promise.all(parties.map((party) => party())))
    )
    const answers = await service.run(all)
    points.at = () => Effect.void
    return answers
  }

  for (const [name, race] of Object.entries(races)) {
    it(`${name}: it ends as if one had been first`, async () => {
      for (let run = 0; run < runs; run += 1) {
        const world = await makeWorld(service, points)
        const gift = await world.giving.submit(race.before)
        const parties = await race.parties(world, gift)
        const answers = await atOnce(parties)
        await assertBalanced(world)
        await lastLook(world)
        await assertBalanced(world)
        await assertAgreement(world)
        await race.ends(world, gift, answers)
      }
      assert.deepStrictEqual(service.logs, [])
    })
  }
})
