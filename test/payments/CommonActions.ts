import { Effect } from "effect"
import type { Move } from "../../src/app/payments/charge/TestChargeMove.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { Tariffs } from "../../src/app/payments/Tariffs.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { testRules } from "../../src/domain/payments/TestRules.ts"
import { PaymentExceptionStore } from "../../src/ports/payments/PaymentExceptionStore.ts"
import type { GivingSandbox } from "../support/GivingSandbox.ts"
import type { Service } from "../support/Service.ts"
import { type Action, type Picks, pick, pickNew } from "./Action.ts"
import { moveFirst } from "./BankMoves.ts"

// What happens in every kind of random histories.

/** Numbers whose money comes: without it little else can happen. */
export const payingRules = testRules.filter(
  ({ confirmed, lost }) => lost === undefined && confirmed.some(({ act }) => act._tag === "Succeed")
)

/** A part of what is left, or all of it. */
export const partOf = (left: number, by: number): number => (by % 3 === 0 ? left : Math.max(1, Math.floor(left / 2)))

/** A world of histories, and where in it something happens. */
interface Place<W extends { readonly service: Service }> {
  /** The organisation that is picked. */
  readonly givingOf: (world: W, picks: Picks) => GivingSandbox
  /** Its charges, the picked ones first. */
  readonly chargesOf: (world: W, picks: Picks) => Promise<ReadonlyArray<Charge>>
}

/** Somebody moves the first charge of a place that the bank lets him move. */
export const movingIn =
  <W extends { readonly service: Service }>({ chargesOf }: Place<W>) =>
  (name: string, how: (picks: Picks) => Move, weight = 1): Action<W> => ({
    name,
    weight,
    perform: async (world, picks) => moveFirst(world.service, await chargesOf(world, picks), how(picks), picks.two)
  })

const disputeThere =
  ({ two }: Picks): Move =>
  (charge, now) =>
    Bank.dispute(charge, partOf(Bank.leftCents(charge), two), now)

const donorsOf = async ({ tenant }: GivingSandbox) =>
  (await tenant.reader.get("/donors")).at("data") as ReadonlyArray<{ readonly id: string }>

/** What the bank, the donors, the staff and the operator of a place do. */
export const commonActions = <W extends { readonly service: Service }>(place: Place<W>): ReadonlyArray<Action<W>> => {
  const { givingOf } = place
  const moving = movingIn(place)
  return [
    moving("the donor approves", () => Bank.approve, 2),
    moving("the money arrives", () => Bank.settle, 2),
    moving("the money does not come", () => (charge, now) => Bank.dishonour(charge, "refer_to_customer", now)),
    moving("a refund comes back", () => Bank.refundFailed, 3),
    moving("the donor disputes", disputeThere, 5),
    moving("the dispute is lost", () => Bank.disputeLost, 4),
    moving("the dispute is won", () => Bank.disputeWon, 5),
    {
      name: "a donor is archived",
      perform: async (world, picks) => {
        const giving = givingOf(world, picks)
        const list = await donorsOf(giving)
        if (list.length === 0) return "nobody"
        return `${(await giving.tenant.writer.delete(`/donors/${pick(list, picks.two).id}`)).status}`
      }
    },
    {
      name: "donors are merged",
      perform: async (world, picks) => {
        const giving = givingOf(world, picks)
        const list = await donorsOf(giving)
        if (list.length < 2) return "nobody"
        const [kept, gone] = [pick(list, picks.two), pick(list, picks.two + 1)]
        const merging = { duplicate_donor_id: gone.id }
        return `${(await giving.tenant.writer.post(`/donors/${kept.id}/merge`, merging)).status}`
      }
    },
    {
      name: "the platform's fee changes",
      perform: async ({ service }, { one }) => {
        const rate = { basis_points: one % 300, fixed_cents: one % 40 }
        await service.run(Tariffs.use((tariffs) => tariffs.set({ plan: "ENTERPRISE", ...rate })))
        return `${rate.basis_points} and ${rate.fixed_cents}`
      }
    },
    {
      name: "an exception is resolved",
      perform: async (world, picks) => {
        const giving = givingOf(world, picks)
        const ofCharge = ({ id, organisation_id }: Charge) =>
          PaymentExceptionStore.use((store) => store.ofCharge(organisation_id, id))
        const raised = await world.service.run(Effect.forEach(await giving.charges(), ofCharge))
        const open = raised.flat().filter(({ status }) => status === "OPEN")
        if (open.length === 0) return "none"
        const { held_cents, id, kind } = pickNew(open, picks.two)
        const money = held_cents > 0 ? { money: pick(["kept", "returned"] as const, picks.two) } : {}
        const resolving = PaymentExceptions.use((all) => all.resolve(id, { note: "Seen", ...money }))
        await giving.tenant.staff(resolving)
        return kind
      }
    }
  ]
}
