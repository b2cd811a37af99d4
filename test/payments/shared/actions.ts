import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Move } from "../../../src/app/payments/charge/TestChargeMove.ts"
import { Settler } from "../../../src/app/payments/Settler.ts"
import { Checkouts } from "../../../src/app/sharing/Checkouts.ts"
import { Distributor } from "../../../src/app/sharing/Distributor.ts"
import { Transfers } from "../../../src/app/sharing/Transfers.ts"
import type { PaymentAllocationId } from "../../../src/domain/kernel/Ids.ts"
import type { Charge } from "../../../src/domain/payments/Charge.ts"
import * as Bank from "../../../src/domain/payments/TestBank.ts"
import { Reach, TestMandate, TransferManner } from "../../../src/domain/payments/TestCharge.ts"
import { mandateSet } from "../../../src/domain/payments/TestMandates.ts"
import { type TestRule, testRules } from "../../../src/domain/payments/TestRules.ts"
import { reverseNewest } from "../../../src/domain/payments/TestTransfers.ts"
import type { Submission } from "../../../src/domain/sharing/Checkout.ts"
import { ChargeStore } from "../../../src/ports/payments/ChargeStore.ts"
import { pageId } from "../../support/GivingSandbox.ts"
import type { FieldsOf } from "../../support/InputForms.ts"
import { renewNow } from "../../support/RenewalRun.ts"
import { type Action, type Picks, pick, pickNew } from "../Action.ts"
import { moveCharge } from "../BankMoves.ts"
import { commonActions, movingIn, payingRules } from "../CommonActions.ts"
import { cutOff } from "../Interruption.ts"
import { comparisonActions, reconcile } from "../Reconciliation.ts"
import { bankNotices } from "./bankNotices.ts"
import { arriveAll, byHand, moveAll } from "./byHand.ts"
import { type House, type Houses, setAccount } from "./Houses.ts"
import { type PaidSet, paymentsOf } from "./PaymentView.ts"

// What happens in the random histories of gifts that are shared and repeated. An action is a few lines: what it needs, and what
// it does.

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const emails = ["ada@example.org", "grace@example.org"]

/** Amounts of three parts: of which fees leave something to all, to some, and to none. */
const parts: ReadonlyArray<ReadonlyArray<number>> = [
  [3_000, 2_000, 1_000],
  [5_000, 0, 700],
  [0, 0, 4_000],
  [1_999, 1, 3],
  [10, 10, 10]
]

const ruleFor = (one: number): TestRule => (one % 4 === 0 ? pick(testRules, one) : pick(payingRules, one))

const donorOf = ({ two }: Picks) => ({ email: pick(emails, two), first_name: "Ada", last_name: "Lovelace" })

/** Submits; the account may take no charges. */
export const submitGift = async ({ service }: Houses, house: House, given: FieldsOf<Submission>) => {
  const submission = house.giving.submission({ submission_id: pageId(), ...given })
  const answer = await service.run(Effect.result(Checkouts.use((all) => all.submit(submission))))
  return Result.isSuccess(answer) ? answer.success : answer.failure
}

const statusOf = (answer: Awaited<ReturnType<typeof submitGift>>): string =>
  "_tag" in answer ? answer._tag : answer.status

/** What a donor submits to the set of a house. */
export const toSet = ({ set }: House, amounts: ReadonlyArray<number>): FieldsOf<Submission> => ({
  slug: null,
  url_key: set.url_key,
  allocations: set.shares.map(({ id }, index) => ({ id, amount_cents: amounts[index] ?? 0 })),
  amount_cents: amounts.reduce((sum, each) => sum + each, 0)
})

/** A donor pays the set of a house in some way. */
const paySet = async (
  world: Houses,
  picks: Picks,
  how: Pick<Submission, "method" | "payment_token">
): Promise<string> => {
  const house = pick(world.houses, picks.two)
  const amounts = pick(parts, picks.one + picks.two)
  const answer = await submitGift(world, house, { ...toSet(house, amounts), ...how, donor: donorOf(picks) })
  return `${how.method} ${how.payment_token} of ${amounts}: ${statusOf(answer)}`
}

const donors: ReadonlyArray<Action<Houses>> = [
  {
    name: "a donor pays a set",
    weight: 10,
    perform: (world, picks) => {
      const { method, token } = ruleFor(picks.one)
      return paySet(world, picks, { method, payment_token: token })
    }
  },
  {
    name: "a donor is to transfer to a set",
    weight: 4,
    perform: (world, picks) => paySet(world, picks, { method: "bank_transfer", payment_token: null })
  },
  {
    name: "a donor gives again and again",
    weight: 6,
    perform: async (world, picks) => {
      const house = pick(world.houses, picks.two)
      const { method, token } = ruleFor(picks.one)
      const frequency = pick(["WEEKLY", "MONTHLY"] as const, picks.two)
      const answer = await submitGift(world, house, { frequency, method, payment_token: token, donor: donorOf(picks) })
      if (!("_tag" in answer)) world.repeated.push({ house, answer })
      return `${frequency} ${method} ${token}: ${statusOf(answer)}`
    }
  },
  {
    name: "a donor tries a first gift again",
    weight: 2,
    can: ({ repeated }) => repeated.length > 0,
    perform: async (world, picks) => {
      const { answer: before, house } = pickNew(world.repeated.toReversed(), picks.one)
      const { method, token } = pick(payingRules, picks.two)
      const retries = before.progress_token
      const answer = await submitGift(world, house, { frequency: "MONTHLY", retries, method, payment_token: token })
      if (!("_tag" in answer)) world.repeated.push({ house, answer })
      return `${token}: ${statusOf(answer)}`
    }
  }
]

const place = {
  givingOf: ({ houses }: Houses, { one }: Picks) => pick(houses, one).giving,
  chargesOf: ({ houses }: Houses, { one }: Picks) => pick(houses, one).giving.charges()
}

const mandateSetAnew = movingIn(place)(
  "the donor's card does otherwise",
  ({ two }) =>
    (charge, now) =>
      mandateSet(charge, pick(TestMandate.literals, two), now),
  2
)

const transferReversed = movingIn(place)("the processor takes a transfer back", () => reverseNewest, 2)

/** One of the payments of a house to which something can be done; none where there is none. */
const payment = async (house: House, { two }: Picks): Promise<PaidSet | undefined> => {
  const paid = (await paymentsOf(house)).filter(({ payment_status }) => payment_status === "SUCCEEDED")
  return paid.length === 0 ? undefined : pickNew(paid, two)
}

const staff: ReadonlyArray<Action<Houses>> = [
  {
    name: "a payment is given back",
    weight: 5,
    perform: async ({ houses }, picks) => {
      const house = pick(houses, picks.one)
      const paid = await payment(house, picks)
      if (paid === undefined) return "nothing"
      const some = paid.allocations.filter((_, index) => (picks.two >> index) % 2 === 0).map(({ id }) => id)
      const body = picks.one % 2 === 0 || some.length === 0 ? {} : { allocation_ids: some }
      const path = `/recommendation-set-payments/${paid.id}/refund`
      const key = { "idempotency-key": pageId() }
      const ask = () => house.giving.tenant.writer.post(path, body, key)
      const first = await ask()
      assert.include([200, 409], first.status, first.text)
      // The answer may be lost, and the request made again: one refund.
      if (picks.two % 5 === 0) assert.strictEqual((await ask()).text, first.text)
      return `${paid.id.slice(-6)} ${JSON.stringify(body)}: ${first.status}`
    }
  },
  {
    name: "a recipient gives its part back",
    perform: async ({ houses }, picks) => {
      const house = pick(houses, picks.one)
      const paid = await payment(house, picks)
      const share = paid?.allocations.find(({ donation_id }) => donation_id !== null)
      const to = house.set.shares.find(({ link }) => link === share?.recipient_org_account_link_id)?.to
      if (share === undefined || to === undefined) return "nothing"
      const { tenant } = (houses[to] ?? assert.fail()).giving
      const answer = await tenant.writer.post(`/donations/${share.donation_id}/refund`, {})
      assert.strictEqual(answer.status, 409, answer.text)
      return "refused"
    }
  },
  {
    name: "a transfer is begun anew",
    weight: 4,
    perform: async ({ houses }, picks) => {
      const house = pick(houses, picks.one)
      const all = (await paymentsOf(house)).flatMap(({ allocations }) => allocations)
      const failed = all.filter(({ transfer_status }) => transfer_status === "failed")
      const among = failed.length === 0 ? all : failed
      if (among.length === 0) return "nothing"
      const id: PaymentAllocationId = pickNew(among, picks.two).id
      const done = await house.giving.tenant.staff(Effect.result(Transfers.use((use) => use.retry(id))))
      return `${id.slice(-6)}: ${done._tag}`
    }
  },
  {
    name: "staff end a recurring gift",
    can: ({ repeated }) => repeated.length > 0,
    perform: async ({ repeated }, { one }) => {
      const { answer, house } = pickNew(repeated.toReversed(), one)
      const ended = await house.giving.tenant.writer.post(`/subscriptions/${answer.subscription_id}/cancel`)
      assert.include([200, 409], ended.status, ended.text)
      return `${ended.status}`
    }
  }
]

const settleDue = Settler.use((all) => all.settleDue)
const distributeDue = Distributor.use((all) => all.distributeDue)

/** Has every worker do what is due, whenever it was to be. */
export const work = async ({ houses, service }: Houses): Promise<void> => {
  for (const { giving } of houses) {
    await service.run(renewNow(giving.tenant.organisation.id))
    await giving.settle()
    await giving.distribute()
  }
}

const workers: ReadonlyArray<Action<Houses>> = [
  {
    name: "the workers work",
    weight: 8,
    perform: async (world) => {
      await work(world)
      return "done"
    }
  },
  {
    name: "two work at once",
    weight: 2,
    perform: async (world) => {
      await Promise.all([work(world), work(world)])
      return "done"
    }
  },
  {
    name: "a worker is cut off",
    weight: 5,
    perform: async (world, { one, two }) => {
      const { giving } = pick(world.houses, two)
      const renewing = renewNow(giving.tenant.organisation.id)
      const due = [Effect.asVoid(settleDue), Effect.asVoid(distributeDue), renewing] as const
      const { isCut } = await cutOff(world, "work", pick<Parameters<typeof cutOff>[2]>(due, two), one % 60)
      return isCut ? `${two % 3} at the point ${one % 60}` : "not"
    }
  }
]

const surroundings: ReadonlyArray<Action<Houses>> = [
  {
    name: "time passes",
    weight: 8,
    perform: async ({ service }, { one }) => {
      const millis = pick([minute, 4 * minute, 7 * hour, 25 * hour, 3 * day, 8 * day, 31 * day], one)
      service.clock.advance(millis)
      return `${millis / hour} h`
    }
  },
  {
    name: "an account is reached, or not",
    weight: 2,
    perform: async (world, { one, two }) => {
      const reach = pick(Reach.literals, one)
      await setAccount(world, pick(world.houses, two), 0, { reach })
      return reach
    }
  },
  {
    name: "an account takes transfers, or not",
    weight: 5,
    perform: async (world, { one, two }) => {
      const transfers = pick(TransferManner.literals, one)
      const charges_enabled = one % 5 !== 0
      await setAccount(world, pick(world.houses, two), two % 2 === 0 ? 0 : 1, { transfers, charges_enabled })
      return `${transfers} and ${charges_enabled}`
    }
  }
]

/** Everything that happens in a history of gifts that are shared and repeated. */
export const actions: ReadonlyArray<Action<Houses>> = [
  ...donors,
  ...commonActions(place),
  mandateSetAnew,
  transferReversed,
  ...staff,
  ...workers,
  ...surroundings,
  ...bankNotices,
  ...comparisonActions,
  ...byHand
]

/** The open disputes are decided, one this way and one the other. */
const decide = async ({ houses, service }: Houses): Promise<void> => {
  for (const { giving } of houses) {
    for (const charge of await giving.charges()) {
      const how: Move = charge.id.charCodeAt(charge.id.length - 1) % 2 === 0 ? Bank.disputeLost : Bank.disputeWon
      // A charge may have several.
      for (let count = 0; count < 3; count += 1) await service.run(Effect.result(moveCharge(charge, how)))
    }
  }
}

/** Lets the last look happen: everything is reached, takes transfers, and everybody has waited long enough. */
export const lastLook = async (world: Houses): Promise<void> => {
  const { houses, service } = world
  for (const house of houses) for (const account of [0, 1] as const) await setAccount(world, house, account, {})
  const look = async () => {
    for (const { giving } of houses) {
      const { id } = giving.tenant.organisation
      const looking = (charge: Charge) => ChargeStore.use((store) => store.lookNow(id, charge.id))
      for (const charge of await giving.charges()) await service.run(looking(charge))
    }
    await service.run(settleDue)
    await work(world)
    await moveAll(world)
  }
  await arriveAll(world)
  const lookOften = async (times: number) => {
    for (let count = 0; count < times; count += 1) {
      service.clock.advance(10 * minute)
      await look()
    }
  }
  for (const hours of [0, 0.1, 25, 24 * 6]) {
    service.clock.advance(hours * hour)
    await look()
  }
  await decide(world)
  // What the disputes left to do is done, and what was renewed meanwhile settles.
  await lookOften(8)
  // The day has ended, so that it can be compared once what is renewed then has settled, too.
  service.clock.advance(25 * hour)
  await lookOften(4)
  await reconcile(service)
}
