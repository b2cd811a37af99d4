import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { CheckoutLinks } from "../../src/app/giving/CheckoutLinks.ts"
import { Sweeper } from "../../src/app/outbox/Sweeper.ts"
import { Credits } from "../../src/app/payments/Credits.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { dayOf } from "../../src/domain/kernel/CalendarDate.ts"
import { CheckoutLinkId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import { listing } from "../../src/domain/payments/PaymentException.ts"
import { NoticeManner } from "../../src/domain/payments/TestCharge.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { PaymentExceptionStore } from "../../src/ports/payments/PaymentExceptionStore.ts"
import { numbers } from "../support/GivingSandbox.ts"
import { type Action, type HistoryLink, type Picks, pick, pickNew, type World } from "./Action.ts"

// What else happens in the random histories: links, bank transfers and their credits, notices.

const linkCents = 6_500

const makeLink = async (world: World, { two }: Picks): Promise<HistoryLink> => {
  const hours = pick([1, 30], two)
  const made = await world.giving.tenant.writer.post("/checkout-links", {
    donor_email: "ada@example.org",
    donor_first_name: "Ada",
    donor_last_name: "Lovelace",
    amount_cents: linkCents,
    payment_methods: ["card", "au_becs_debit"],
    ...(two % 3 === 0 ? { expires_at: new Date(world.service.clock.now + hours * 3_600_000).toISOString() } : {})
  })
  assert.strictEqual(made.status, 201, made.text)
  const link = { id: made.textAt("id"), code: made.textAt("code") }
  world.links.push(link)
  return link
}

const onLink = ({ giving }: World, { code }: HistoryLink, { one }: Picks): Submission => {
  const token = pick([numbers.waits, numbers.succeeds, numbers.declined, numbers.debit], one)
  return giving.submission({
    slug: null,
    code,
    donor: null,
    amount_cents: linkCents,
    payment_token: token,
    method: token === numbers.debit ? "au_becs_debit" : "card"
  })
}

/** Gives through a link; another gift may be under way there, and it may have been paid, or be over. */
const giveOnLink = async (world: World, link: HistoryLink, picks: Picks): Promise<string> => {
  const submission = onLink(world, link, picks)
  const answer = await world.service.run(Effect.result(Checkouts.use((all) => all.submit(submission))))
  if (Result.isFailure(answer)) {
    assert.include(["GuardRefused", "TakesNoPayment"], answer.failure._tag, String(answer.failure))
    return answer.failure._tag
  }
  world.gifts.push({ submission, answer: answer.success })
  return `${submission.payment_token}: ${answer.success.status}`
}

const links: ReadonlyArray<Action> = [
  {
    name: "a donor gives through a new link",
    weight: 2,
    perform: async (world, picks) => giveOnLink(world, await makeLink(world, picks), picks)
  },
  {
    name: "a donor gives through a link again",
    weight: 2,
    can: (world) => world.links.length > 0,
    perform: (world, picks) => giveOnLink(world, pickNew(world.links.toReversed(), picks.two), picks)
  },
  {
    name: "two donors give through one link at once",
    can: (world) => world.links.length > 0,
    perform: async (world, picks) => {
      const link = pickNew(world.links.toReversed(), picks.two)
      return `${await Promise.all([giveOnLink(world, link, picks), giveOnLink(world, link, picks)])}`
    }
  },
  {
    name: "a link is cancelled or archived",
    weight: 2,
    can: (world) => world.links.length > 0,
    perform: async (world, { one, two }) => {
      const id = CheckoutLinkId.make(pickNew(world.links.toReversed(), one).id)
      const how = pick(["cancel", "archive"] as const, two)
      const moved = CheckoutLinks.use((all): Effect.Effect<unknown, unknown, never> => all[how](id) as never)
      const done = await world.giving.tenant.staff(Effect.result(moved))
      return `${how}: ${done._tag}`
    }
  },
  {
    name: "it is swept",
    perform: async ({ service }) => {
      await service.run(Sweeper.use(({ sweepOnce }) => sweepOnce))
      return "done"
    }
  }
]

const transfersOf = async ({ giving }: World): Promise<ReadonlyArray<Charge>> =>
  (await giving.charges()).filter(({ method, reference }) => method === "bank_transfer" && reference !== null)

/** A file of these lines as the statement has them now, all of them once more and perhaps new ones. */
const importOf = (world: World, texts: ReadonlyArray<string>) => {
  const { giving, lines } = world
  const { organisation } = giving.tenant
  const day = dayOf(organisation.created_at, organisation.timezone)
  const rows = texts.map((text) => `${day},${((lines.get(text)?.amount_cents ?? 0) / 100).toFixed(2)},${text}`)
  const content = ["Date,Amount,Description", ...rows, `${day},-9,FEE`, ""].join("\n")
  // Earlier files had other lines of the day.
  const input = { integration_id: giving.integration_id, content, anyway: true }
  return () => giving.tenant.staff(Credits.use((all) => all.import(input)))
}

const transfers: ReadonlyArray<Action> = [
  {
    name: "a donor is to transfer",
    weight: 2,
    perform: async (world, { one }) => {
      const given = { method: "bank_transfer", payment_token: null, amount_cents: 3_000 + 100 * (one % 20) } as const
      const submission = world.giving.submission(given)
      const answer = await world.service.run(Effect.result(Checkouts.use((all) => all.submit(submission))))
      if (Result.isFailure(answer)) {
        assert.strictEqual(answer.failure._tag, "TakesNoPayment", String(answer.failure))
        return "refused"
      }
      world.gifts.push({ submission, answer: answer.success })
      return answer.success.status
    }
  },
  {
    name: "a statement is imported",
    weight: 4,
    perform: async (world, { one, two }) => {
      const [charge] = [...(await transfersOf(world))].toSorted(
        (a, b) => (a.id < b.id ? -1 : 1) * (two % 2 === 0 ? 1 : -1)
      )
      const isNamed = charge !== undefined && one % 5 !== 0
      const amount = charge?.amount_cents ?? 2_000
      const amount_cents = pick([amount, Math.ceil(amount / 2), amount + 700], two)
      const text = `${world.lines.size} ${isNamed ? `TRANSFER ${charge.reference}` : "A GIFT"}`
      world.lines.set(text, { amount_cents, charge_id: isNamed ? charge.id : null })
      // Statements overlap: those of before come again.
      const run = importOf(world, Array.from(world.lines.keys()))
      const results = one % 4 === 0 ? await Promise.all([run(), run()]) : [await run()]
      const recorded = results.reduce((sum, each) => sum + each.recorded, 0)
      assert.strictEqual(recorded, 1, "each line once")
      return `${amount_cents} ${text}`
    }
  },
  {
    name: "what was set aside is resolved",
    weight: 2,
    can: (world) => world.lines.size > 0,
    perform: async (world, { one, two }) => {
      const { giving, service } = world
      const query = Effect.orDie(
        Effect.fromResult(
          parse(listing, [
            ["limit", "100"],
            ["status", "OPEN"]
          ])
        )
      )
      const { data } = await service.run(
        PaymentExceptionStore.use((store) =>
          Effect.flatMap(query, (asked) => store.list(giving.tenant.organisation.id, asked))
        )
      )
      const aside = data.filter(({ held_cents, kind }) => held_cents > 0 && kind !== "late_success")
      if (aside.length === 0) return "none"
      const { held_cents, id, kind, subject_id } = pick(aside, one)
      const isCredit = subject_id.startsWith("crd") || kind === "underpaid"
      if (!isCredit || two % 3 === 0) {
        const money = pick(["kept", "returned"] as const, two)
        await giving.tenant.staff(PaymentExceptions.use((all) => all.resolve(id, { note: "Seen", money })))
        return `${kind}: ${money}`
      }
      const donor = await giving.tenant.writer.post("/donors", { first_name: "Kim" })
      const input = { note: "Seen", as_gift: true as const, donor_id: donor.textAt("id") }
      await giving.tenant.staff(PaymentExceptions.use((all) => all.resolve(id, input)))
      world.booked.push(held_cents)
      return `${kind}: a gift of ${held_cents}`
    }
  }
]

const processors: ReadonlyArray<Action> = [
  {
    name: "the bank tells in another manner",
    weight: 2,
    perform: async ({ giving }, { one }) => {
      const notices = pick(NoticeManner.literals, one)
      await giving.setAccount({ notices })
      return notices
    }
  }
]

/** What happens beside gifts on forms and what becomes of them. */
export const moreActions: ReadonlyArray<Action> = [...links, ...transfers, ...processors]
