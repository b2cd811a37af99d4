import { afterEach, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Move } from "../../src/app/payments/charge/TestChargeMove.ts"
import { Transfers } from "../../src/app/sharing/Transfers.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { mandateSet } from "../../src/domain/payments/TestMandates.ts"
import type { SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { numbers, pageId } from "../support/GivingSandbox.ts"
import { anew } from "../support/Late.ts"
import { renewNow } from "../support/RenewalRun.ts"
import { rounds } from "../support/Rounds.ts"
import { server } from "../support/Stores.ts"
import { asOperator } from "../support/Tenant.ts"
import { makePoints } from "./Points.ts"
import { lastLook, submitGift, toSet, work } from "./shared/actions.ts"
import { type House, type Houses, makeHouses, setAccount } from "./shared/Houses.ts"
import { assertAgreement, assertBalanced } from "./shared/Oracle.ts"
import { paymentsOf } from "./shared/PaymentView.ts"
import { startWithPoints } from "./World.ts"

/** How often each race is run: where the parties meet is drawn each time. */
const runs = 2 * rounds

const day = 24 * 3_600_000

/** Something that one of several does at the same moment. */
type Party = () => Promise<unknown>

/** What several do at the same moment to a payment that was shared, or to a gift that is repeated. */
interface Race {
  readonly given: "a set" | "a recurring gift"
  /** What has happened before. */
  readonly before?: (world: Houses, house: House) => Promise<void>
  readonly parties: (world: Houses, house: House, given: SubmittedCheckout) => Promise<ReadonlyArray<Party>>
  /** What must be true then, beside what is always true. */
  readonly ends?: (answers: ReadonlyArray<unknown>) => void
}

const renewer =
  ({ service }: Houses, { giving }: House): Party =>
  () =>
    service.run(renewNow(giving.tenant.organisation.id))

const distributor =
  ({ giving }: House): Party =>
  () =>
    giving.distribute()

const atBank =
  ({ giving }: House, given: SubmittedCheckout, move: Move): Party =>
  async () => {
    await giving.move(given, move)
    await giving.settle()
  }

const refunder =
  (house: House, more: object = {}): Party =>
  async () => {
    const [paid] = await paymentsOf(house)
    const path = `/recommendation-set-payments/${paid?.id}/refund`
    return (await house.giving.tenant.writer.post(path, more, { "idempotency-key": pageId() })).status
  }

/** Two who begin the same transfer anew: whoever looks for one later would find another, where the first has been begun. */
const retriers = async ({ service }: Houses, house: House): Promise<ReadonlyArray<Party>> => {
  const [paid] = await paymentsOf(house)
  const failed = paid?.allocations.find(({ transfer_status }) => transfer_status === "failed")
  const { id } = failed ?? assert.fail("no part has failed")
  const retried = Transfers.use((all) => all.retry(id)).pipe(asOperator(house.giving.tenant.organisation))
  const retrier = async () => (await service.run(Effect.result(retried)))._tag
  return [retrier, retrier]
}

const donorIdOf = async ({ giving }: House, given: SubmittedCheckout): Promise<string> =>
  (await giving.giftOf(given)).donor_id

const passWeek = async ({ service }: Houses): Promise<void> => service.clock.advance(8 * day)

const one = (answers: ReadonlyArray<unknown>, wanted: unknown): void =>
  assert.lengthOf(
    answers.filter((each) => each === wanted),
    1,
    String(answers)
  )

const races: Readonly<Record<string, Race>> = {
  "two workers renew one gift": {
    given: "a recurring gift",
    before: passWeek,
    parties: async (world, house) => [renewer(world, house), renewer(world, house), renewer(world, house)]
  },
  "staff end a gift while it is renewed": {
    given: "a recurring gift",
    before: passWeek,
    parties: async (world, house, { subscription_id }) => [
      renewer(world, house),
      async () => {
        const ended = await house.giving.tenant.writer.post(`/subscriptions/${subscription_id}/cancel`)
        assert.strictEqual(ended.status, 200, ended.text)
      }
    ]
  },
  "the donor is archived while the gift is renewed": {
    given: "a recurring gift",
    before: passWeek,
    parties: async (world, house, given) => {
      const donor = await donorIdOf(house, given)
      return [renewer(world, house), async () => (await house.giving.tenant.writer.delete(`/donors/${donor}`)).status]
    }
  },
  "the donor is merged while the gift is renewed": {
    given: "a recurring gift",
    before: passWeek,
    parties: async (world, house, given) => {
      const donor = await donorIdOf(house, given)
      const { writer } = house.giving.tenant
      const kept = await writer.post("/donors", { first_name: "Kim" })
      const merging = { duplicate_donor_id: donor }
      return [
        renewer(world, house),
        async () => (await writer.post(`/donors/${kept.textAt("id")}/merge`, merging)).status
      ]
    }
  },
  "the donor revokes the mandate while the gift is renewed": {
    given: "a recurring gift",
    before: passWeek,
    parties: async (world, house, given) => [
      renewer(world, house),
      atBank(house, given, (charge, now) => mandateSet(charge, "REVOKED", now))
    ]
  },
  "two workers share one payment out": {
    given: "a set",
    parties: async (_, house) => [distributor(house), distributor(house)]
  },
  "a payment is refunded while its parts go on": {
    given: "a set",
    parties: async (_, house) => [distributor(house), refunder(house)]
  },
  "a payment is refunded by two": {
    given: "a set",
    before: work,
    parties: async (_, house) => [refunder(house), refunder(house)],
    ends: (answers) => one(answers, 200)
  },
  "a payment is refunded while its bank takes it back": {
    given: "a set",
    before: work,
    parties: async (_, house, given) => [
      refunder(house),
      atBank(house, given, (charge, now) => Bank.dispute(charge, null, now))
    ]
  },
  "the bank takes a payment back while its parts go on": {
    given: "a set",
    parties: async (_, house, given) => [
      distributor(house),
      async () => {
        await atBank(house, given, (charge, now) => Bank.dispute(charge, null, now))()
        await atBank(house, given, Bank.disputeLost)()
      }
    ]
  },
  "a transfer is begun anew by two": {
    given: "a set",
    before: async (world, house) => {
      const accounts = world.houses.flatMap((each) => [[each, 0] as const, [each, 1] as const])
      for (const [each, account] of accounts) await setAccount(world, each, account, { transfers: "CLOSED" })
      await house.giving.distribute()
      for (const [each, account] of accounts) await setAccount(world, each, account, {})
    },
    parties: retriers,
    ends: (answers) => one(answers, "Success")
  }
}

const give = async (world: Houses, house: House, given: Race["given"]): Promise<SubmittedCheckout> => {
  const amounts = [3_000, 2_000, 1_000]
  const answer = await submitGift(
    world,
    house,
    given === "a set" ? toSet(house, amounts) : { frequency: "WEEKLY", payment_token: numbers.succeeds }
  )
  if ("_tag" in answer) return assert.fail(String(answer))
  if (given === "a recurring gift") world.repeated.push({ house, answer })
  return answer
}

describe("those who meet at what is shared and repeated, on PostgreSQL", () => {
  const points = makePoints()
  // Each race compares all that its service knows with the bank: a new one has little to compare.
  const service = anew(() => startWithPoints(server, points))
  afterEach(() => service.stop())

  for (const [name, race] of Object.entries(races)) {
    it(name, async () => {
      for (let count = 0; count < runs; count += 1) {
        const world = await makeHouses(service, points, false)
        const house = world.houses[count % world.houses.length] ?? assert.fail()
        const given = await give(world, house, race.given)
        await race.before?.(world, house)
        const parties = await race.parties(world, house, given)
        const answers = await Promise.all(parties.map((party) => party()))
        race.ends?.(answers)
        await assertBalanced(world)
        await lastLook(world)
        await assertBalanced(world)
        await assertAgreement(world)
      }
    })
  }
})
