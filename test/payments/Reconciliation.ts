import { assert } from "@effect/vitest"
import { Duration } from "effect"
import { Reconciler } from "../../src/app/payments/Reconciler.ts"
import { PaymentExceptionStore } from "../../src/ports/payments/PaymentExceptionStore.ts"
import type { GivingSandbox } from "../support/GivingSandbox.ts"
import type { Service } from "../support/Service.ts"
import { eventsOf } from "../support/Tenant.ts"
import { type Action, pick } from "./Action.ts"
import { cutOff } from "./Interruption.ts"
import type { Points } from "./Points.ts"
import { shortLease, untilFree } from "./ShortLeases.ts"

// Everything is compared with what the bank has, as a worker does it every hour.

const compared = Reconciler.use((all) => all.reconcile({}))

/** The pace of its requests is for real processors. */
const paceMillis = 1_000

const unhurried = async <A>({ clock }: Service, work: () => Promise<A>): Promise<A> => {
  clock.shortSleep = paceMillis
  try {
    return await work()
  } finally {
    clock.shortSleep = 0
  }
}

/** Compares everything; accounts that a process held when it was stopped are waited for. */
export const reconcile = (service: Service): Promise<void> =>
  unhurried(service, () =>
    untilFree(async () => {
      const found = await service.run(compared)
      if (found.accounts_busy > 0) service.clock.advance(Duration.toMillis(shortLease))
      return found
    })
  )

/** What there is to see of an organisation's charges: their states, what was told, and what people are to look at. */
const seenOf = async (service: Service, giving: GivingSandbox) => {
  const { id } = giving.tenant.organisation
  const charges = await giving.charges()
  const raised = await Promise.all(
    charges.map((charge) => service.run(PaymentExceptionStore.use((store) => store.ofCharge(id, charge.id))))
  )
  const events = await eventsOf(giving.tenant)
  return { charges: charges.map(({ id: charge, status }) => [charge, status]), raised, events: events.length }
}

/** The last comparison finds nothing more: whatever there was to find was found by the one before it. */
export const assertReconciled = async (service: Service, givings: ReadonlyArray<GivingSandbox>): Promise<void> => {
  const seen = () => Promise.all(givings.map((giving) => seenOf(service, giving)))
  await reconcile(service)
  const before = await seen()
  await reconcile(service)
  assert.deepStrictEqual(await seen(), before, "a comparison right after another one changes nothing")
}

/** What the worker does that compares. */
export const comparisonActions: ReadonlyArray<Action<{ readonly service: Service; readonly points: Points }>> = [
  {
    name: "everything is reconciled",
    perform: async ({ service }, { one }) => {
      const runs = one % 4 === 0 ? [compared, compared] : [compared]
      const done = await unhurried(service, () => Promise.all(runs.map((run) => service.run(run))))
      return done
        .map(({ charges_repaired, days_compared }) => `${charges_repaired} of ${days_compared} d`)
        .join(" and ")
    }
  },
  {
    name: "a reconciliation is cut off",
    perform: async (world, { one, two }) => {
      const after = pick([3, 20, 60, 200], two) + (one % 20)
      const { isCut } = await unhurried(world.service, () => cutOff(world, "reconcile", compared, after))
      return isCut ? `at the point ${after}` : "not"
    }
  }
]
