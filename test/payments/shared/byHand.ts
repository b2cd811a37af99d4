import { assert } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { Refunds } from "../../../src/app/giving/Refunds.ts"
import { Credits } from "../../../src/app/payments/Credits.ts"
import { Transfers } from "../../../src/app/sharing/Transfers.ts"
import { dayOf } from "../../../src/domain/kernel/CalendarDate.ts"
import type { Charge } from "../../../src/domain/payments/Charge.ts"
import type { TransferAttempt } from "../../../src/domain/sharing/TransferAttempt.ts"
import { RefundStore } from "../../../src/ports/giving/RefundStore.ts"
import { type Action, type Picks, pick, pickNew } from "../Action.ts"
import type { House, Houses } from "./Houses.ts"

// What happens in the random histories to what donors transfer to an organisation's bank: it comes, goes on, comes back and is
// paid back by hand, and no processor knows of it.

const transfersOf = async ({ giving }: House): Promise<ReadonlyArray<Charge>> =>
  (await giving.charges()).filter(({ method }) => method === "bank_transfer")

/** What donors have still to transfer. */
const awaited = async (house: House): Promise<ReadonlyArray<Charge>> =>
  (await transfersOf(house)).filter(({ reference, status }) => status === "WAITING" && reference !== null)

/** Money comes to the account of a house. */
const arrive = async ({ service }: Houses, house: House, { reference }: Charge, amount_cents: number, line: number) => {
  const { integration_id, tenant } = house.giving
  const now = DateTime.makeUnsafe(service.clock.currentTimeMillisUnsafe())
  const day = dayOf(now, tenant.organisation.timezone)
  const came = { integration_id, day, amount_cents, text: `${line} ${reference}` }
  await tenant.staff(Credits.use((all) => all.record(came)))
}

/** The attempts of a house that wait for people. */
const waiting = async (house: House): Promise<ReadonlyArray<TransferAttempt>> => {
  const charges = new Set<string>((await transfersOf(house)).map(({ id }) => id))
  return (await house.giving.attempts()).filter(({ charge_id, status }) => status === "NEW" && charges.has(charge_id))
}

/** Somebody says of an attempt that its money has moved, or cannot be moved. */
const said = async (world: Houses, house: House, { id }: TransferAttempt, has: "moved" | "failed"): Promise<string> => {
  const { movedByHand } = world
  const saying = Transfers.use((all) => (has === "moved" ? all.settle(id, {}) : all.fail(id)))
  const done = await house.giving.tenant.staff(Effect.result(saying))
  if (Result.isFailure(done)) assert.strictEqual(done.failure._tag, "IllegalTransition", done.failure.message)
  else if (has === "moved") movedByHand.add(id)
  return Result.isFailure(done) ? done.failure._tag : has
}

/** The refunds of a house that wait for people. */
const refundsOf = async ({ service }: Houses, house: House) => {
  const { id: organisation_id } = house.giving.tenant.organisation
  const rows = await Promise.all(
    (await transfersOf(house)).map(({ id }) =>
      service.run(RefundStore.use((store) => store.ofCharge(organisation_id, id)))
    )
  )
  return rows.flat().filter(({ status }) => status === "PENDING")
}

/** Something that happens to one of what there is of a house. */
const toOne = <A>(
  name: string,
  weight: number,
  all: (world: Houses, house: House) => Promise<ReadonlyArray<A>>,
  happens: (world: Houses, house: House, found: A, picks: Picks) => Promise<string>
): Action<Houses> => ({
  name,
  weight,
  perform: async (world, picks) => {
    const house = pick(world.houses, picks.one)
    const found = await all(world, house)
    return found.length === 0 ? "nothing" : happens(world, house, pickNew(found, picks.two), picks)
  }
})

/** What happens to what donors transfer. */
export const byHand: ReadonlyArray<Action<Houses>> = [
  toOne(
    "what a donor was to transfer comes",
    4,
    (_, house) => awaited(house),
    async (world, house, charge, { one, two }) => {
      const cents = one % 4 === 0 ? Math.ceil(charge.amount_cents / 2) : charge.amount_cents
      await arrive(world, house, charge, cents, one * 1_000 + two)
      return `${charge.id.slice(-6)} ${cents} of ${charge.amount_cents}`
    }
  ),
  toOne(
    "somebody has moved money, or cannot",
    6,
    (_, house) => waiting(house),
    async (world, house, attempt, { one, two }) => {
      const how = one % 4 === 0 ? "failed" : "moved"
      // Two may say it at once, and not the same.
      const rivals = two % 5 === 0 ? ([how, "moved", "failed"] as const) : ([how] as const)
      const all = await Promise.all(rivals.map((each) => said(world, house, attempt, each)))
      assert.lengthOf(
        all.filter((each) => each !== "IllegalTransition"),
        1
      )
      return `${attempt.id}: ${all.join(", ")}`
    }
  ),
  toOne("somebody has paid a transfer back, or cannot", 2, refundsOf, async (_, house, { id }, { one }) => {
    const saying = Refunds.use((all) => (one % 3 === 0 ? all.fail(id) : all.settle(id, {})))
    return (await house.giving.tenant.staff(saying)).status
  })
]

/** Everything that was awaited comes. */
export const arriveAll = async (world: Houses): Promise<void> => {
  for (const house of world.houses) {
    for (const [line, charge] of (await awaited(house)).entries()) {
      await arrive(world, house, charge, charge.amount_cents, -1 - line)
    }
  }
}

/** Everything that waits for people is moved. */
export const moveAll = async (world: Houses): Promise<void> => {
  for (const house of world.houses)
    for (const attempt of await waiting(house)) await said(world, house, attempt, "moved")
}
