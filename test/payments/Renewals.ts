import { DateTime, Effect, Option, Result } from "effect"
import { Renewer } from "../../src/app/payments/Renewer.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { TestProcessor } from "../../src/app/payments/TestProcessor.ts"
import { parse, within } from "../../src/domain/kernel/Listing.ts"
import * as Charge from "../../src/domain/payments/Charge.ts"
import * as Invoice from "../../src/domain/payments/Invoice.ts"
import { leftCents } from "../../src/domain/payments/TestBank.ts"
import type { TestMandate } from "../../src/domain/payments/TestCharge.ts"
import * as Ports from "../../src/ports.ts"
import { asOperator } from "../support/Tenant.ts"
import { askUntilDone, chargeOf, type GiftLife } from "./GivingSite.ts"

// What happens to a gift that is repeated, in the lives of the crash tests.

/** What belongs to a recurring gift, the oldest first. */
const recurringOf = Effect.fnUntraced(function* (first: Charge.Charge) {
  const { mandate_id, organisation_id } = first
  if (mandate_id === null) return null
  const mandate = Option.getOrThrow(yield* Ports.MandateStore.use((store) => store.find(organisation_id, mandate_id)))
  const { subscription_id } = mandate
  const found = yield* Ports.SubscriptionStore.use((store) => store.find(organisation_id, subscription_id))
  const hundred = [["limit", "100"]] as const
  const ofInvoices = yield* Effect.fromResult(parse(Invoice.listing, hundred))
  const ofCharges = yield* Effect.fromResult(parse(Charge.listing, [...hundred, ["mandate_id", mandate_id]]))
  const invoices = yield* Ports.InvoiceStore.use((store) =>
    store.list(organisation_id, within(ofInvoices, "subscription_id", subscription_id))
  )
  const charges = yield* Ports.ChargeStore.use((store) => store.list(organisation_id, ofCharges))
  return {
    mandate,
    subscription: Option.getOrThrow(found),
    invoices: invoices.data.toSorted((a, b) => (a.due_on < b.due_on ? -1 : 1)),
    renewals: charges.data.filter(({ purpose }) => purpose === "invoice").toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }
}, Effect.orDie)

type Recurring = Effect.Success<ReturnType<typeof recurringOf>>

/** What belongs to the recurring gift; nothing where it is given once, or was never written. */
const recurring = async (living: GiftLife): Promise<Recurring> => {
  const charge = Option.getOrUndefined(await chargeOf(living))
  return charge === undefined ? null : living.service.raw(recurringOf(charge))
}

const settleDue = Settler.use((settler) => settler.settleDue)

/** The worker looks at what has not ended of the renewals. */
export const workOnRenewals = async (living: GiftLife): Promise<void> => {
  const { place, service } = living
  const found = await recurring(living)
  if (found === null) return
  for (const { id } of found.renewals) {
    await service.raw(Ports.ChargeStore.use((store) => store.lookNow(place.organisation.id, id)))
  }
  await service.run(service.points.run("work", settleDue))
}

/** The worker renews what is due, and takes up what another one left who was cut off. */
export const renew = async (living: GiftLife): Promise<void> => {
  const { place, service } = living
  const found = await recurring(living)
  if (found === null) return
  if (found.renewals.some(({ ended_at, method }) => ended_at === null && method === "card")) {
    await workOnRenewals(living)
  }
  // What is due later is due now: the stores' clocks cannot be set.
  const now = Effect.gen(function* () {
    const store = yield* Ports.SubscriptionStore
    const held = yield* store.findForUpdate(place.organisation.id, found.subscription.id)
    const look_at = yield* Ports.ChargeStore.use((charges) => charges.now)
    if (Option.exists(held, (each) => each.look_at !== null)) {
      yield* store.update({ ...Option.getOrThrow(held), look_at })
    }
  })
  await service.raw(Effect.flatMap(Ports.Transaction, ({ run }) => run(now)))
  const renewed = Renewer.use(({ renewDue }) => Effect.asVoid(renewDue))
  await service.run(service.points.run("renew", renewed))
}

/** What the donor's card does with later charges. It is told once: before any of them has failed, or else not. */
export const setMandate = async (living: GiftLife, mandate: TestMandate): Promise<void> => {
  const { place, service } = living
  const first = Option.getOrUndefined(await chargeOf(living))
  const found = await recurring(living)
  if (first === undefined || found === null) return
  if (mandate === "DECLINING" && found.invoices.some(({ failures }) => failures > 0)) return
  const set = TestProcessor.use((bank) => bank.setMandate(first.id, { mandate }))
  await service.run(set.pipe(asOperator(place.organisation)))
}

/** Something happens at the bank to the newest renewal; it refuses what has happened already. */
export const moveRenewal = async (living: GiftLife, how: "settle" | "dispute" | "loseDispute"): Promise<void> => {
  const { place, service } = living
  const newest = (await recurring(living))?.renewals.at(-1)
  if (newest === undefined) return
  const [stored] = await service.raw(Ports.TestBank.use((bank) => bank.ofCharge(place.organisation.id, newest.id)))
  if (stored === undefined || (how === "dispute" && stored.disputes.length > 0)) return
  const moved = TestProcessor.use((bank) =>
    how === "dispute" ? Effect.asVoid(bank.dispute(newest.id, {})) : Effect.asVoid(bank[how](newest.id))
  )
  const told = await service.run(Effect.result(service.points.run(how, moved.pipe(asOperator(place.organisation)))))
  if (Result.isFailure(told) && told.failure._tag !== "InvalidInput") throw told.failure
}

/** Staff end it, by REST, once it is being repeated: another process may be about to. */
export const endRecurring = async (living: GiftLife): Promise<void> => {
  const { n, place, service } = living
  const found = await recurring(living)
  if (found === null || found.renewals.length === 0) return
  const path = `/subscriptions/${found.subscription.id}/cancel`
  const sent = Effect.promise(() => askUntilDone(service, place.key, path, undefined, `end ${n}`))
  await service.run(service.points.run("end", Effect.asVoid(sent)))
}

/** What became of a recurring gift, as plain values. */
export interface LivedRecurring {
  /** What the gift, its mandate and each of its invoices are. */
  readonly statuses: ReadonlyArray<string>
  /** What the gifts after the first are. */
  readonly gifts: ReadonlyArray<string>
  /** What of the charges after the first the organisation still has, minor units, and how many of them the bank took. */
  readonly left: ReadonlyArray<number>
  readonly told: ReadonlyArray<string>
  /** The charges after the first. */
  readonly charges: ReadonlyArray<string>
  /** How many charges were made on the day on which most were. */
  readonly on_a_day: number
}

/** The statuses of a recurring gift and of what belongs to it, by the name of the record. */
export const recurringStatuses = async (
  living: GiftLife
): Promise<ReadonlyArray<readonly [record: string, status: string]>> => {
  const found = await recurring(living)
  if (found === null) return []
  return [
    ["Subscription", found.subscription.status],
    ["Mandate", found.mandate.status],
    ...found.invoices.map(({ status }) => ["Invoice", status] as const)
  ]
}

/** What became of the recurring gift; null where it is given once. */
export const livedRecurring = async (
  living: GiftLife,
  events: ReadonlyArray<{ readonly type: string; readonly subject: string }>
): Promise<LivedRecurring | null> => {
  const { place, service } = living
  const { id } = place.organisation
  const first = Option.getOrUndefined(await chargeOf(living))
  const found = await recurring(living)
  if (first === undefined || found === null) return null
  const made = new Set(found.invoices.flatMap((each) => [each.failed_donation_id, each.donation_id]))
  const gifts = [...made].flatMap((gift) => (gift === null || gift === first.subject_id ? [] : [gift])).toSorted()
  const stored = await service.raw(
    Effect.gen(function* () {
      const donations = yield* Effect.forEach(gifts, (gift) =>
        Effect.map(
          Ports.DonationStore.use((store) => store.find(id, gift)),
          Option.getOrThrow
        )
      )
      const taken = yield* Effect.forEach(found.renewals, (each) =>
        Ports.TestBank.use((bank) => bank.ofCharge(id, each.id))
      )
      return { donations, taken: taken.flat() }
    })
  )
  const days = found.renewals.map(({ created_at }) => DateTime.formatIsoDateUtc(created_at))
  const about = new Set<string>([found.subscription.id, ...gifts])
  return {
    statuses: [found.subscription.status, found.mandate.status, ...found.invoices.map(({ status }) => status)],
    gifts: stored.donations.map(({ status }) => status),
    left: [stored.taken.reduce((sum, each) => sum + leftCents(each), 0), stored.taken.length],
    told: events.filter(({ subject }) => about.has(subject)).map(({ type }) => type),
    charges: found.renewals.map((each) => each.id),
    on_a_day: Math.max(0, ...days.map((day) => days.filter((each) => each === day).length))
  }
}
