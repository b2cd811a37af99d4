import { assert } from "@effect/vitest"
import { Sandbox } from "../../../src/app/outbox/Sandbox.ts"
import { Settler } from "../../../src/app/payments/Settler.ts"
import { NoticeManner } from "../../../src/domain/payments/TestCharge.ts"
import { asOperator } from "../../support/Tenant.ts"
import { hears, noticeBody, noticesOf } from "../../support/TestNotices.ts"
import { type Action, pick, pickNew } from "../Action.ts"
import { cutOff } from "../Interruption.ts"
import { type Houses, setAccount } from "./Houses.ts"

// What the bank tells, and how the time of one organisation passes beside that of the others.

const minute = 60_000

const notices: ReadonlyArray<Action<Houses>> = [
  {
    name: "an account tells in another manner",
    weight: 3,
    perform: async (world, { one, two }) => {
      const manner = pick(NoticeManner.literals, one)
      await setAccount(world, pick(world.houses, two), 0, { notices: manner })
      return manner
    }
  },
  {
    name: "somebody else tells of a charge",
    perform: async ({ houses, service }, { one, two }) => {
      const charges = await pick(houses, two).giving.charges()
      if (charges.length === 0) return "there is none"
      const { id: charge_id, reference } = pickNew(charges, one)
      const { integration_id, tenant } = pick(houses, two + 1).giving
      const id = `strange_${charge_id}_${one}_${two}_${service.clock.now}`
      const body = noticeBody({ id, type: "charge.failed", object: { charge_id, reference } })
      const isRefused = await hears(service, integration_id, body, `${body} `).then(
        () => false,
        () => true
      )
      assert.isTrue(isRefused, "what nobody has signed is refused")
      assert.isTrue(await hears(service, integration_id, body))
      assert.isFalse(await hears(service, integration_id, body), "what is told twice is taken once")
      await service.run(Settler.use((all) => all.settleDue))
      const kept = (await noticesOf(service, tenant.organisation.id)).find(({ event_id }) => event_id === id)
      if (kept !== undefined) assert.strictEqual(kept.status, "IGNORED", "another's charge is none of its business")
      return "it is not listened to"
    }
  }
]

const advance = (duration: string) => Sandbox.use((sandbox) => sandbox.advance({ duration }))

/** The stores that are databases have the real time, in which the bank of these histories does not live. */
const can = ({ isInMemory }: Houses): boolean => isInMemory

const clocks: ReadonlyArray<Action<Houses>> = [
  {
    name: "the clock of one organisation is moved",
    weight: 4,
    can,
    perform: async ({ houses }, { one, two }) => {
      const duration = pick(["40m", "26h", "8d", "31d"], one)
      const { reached } = await pick(houses, two).giving.tenant.staff(advance(duration))
      assert.isTrue(reached)
      return duration
    }
  },
  {
    name: "the clock of one organisation is moved, and that is cut off",
    weight: 2,
    can,
    perform: async (world, { one, two }) => {
      const moving = asOperator(pick(world.houses, two).giving.tenant.organisation)(advance(pick(["26h", "31d"], one)))
      const after = (one * 7) % 250
      const { isCut } = await cutOff(world, "advance", moving, after)
      // Whoever was stopped has it for a minute.
      world.service.clock.advance(minute)
      return isCut ? `at the point ${after}` : "not"
    }
  }
]

/** What the bank tells, and the time of each. */
export const bankNotices: ReadonlyArray<Action<Houses>> = [...notices, ...clocks]
