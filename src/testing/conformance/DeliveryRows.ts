import { DateTime, Effect, Option, Result } from "effect"
import type { DeliveryId, OrganisationId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { decide, terminalStatuses } from "../../domain/kernel/Machine.ts"
import { type Command, type Delivery, machine, Status } from "../../domain/outbox/Delivery.ts"
import * as WebhookEndpoint from "../../domain/outbox/WebhookEndpoint.ts"
import { type AttemptResult, DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { Outbox } from "../../ports/outbox/Outbox.ts"
import { claim, idsOf } from "./Claims.ts"
import { rowFor } from "./MachineRows.ts"
import { at, deliveryOf, eventOf, longAgo, newEndpoint, newOrganisation, queryOf } from "./Records.ts"
import { byId, lawsOf, none, same } from "./Suite.ts"

const { law } = lawsOf(DeliveryStore)

/** Every command, at an instant: a new one does not compile until it is here. */
const commandsAt = (at: DateTime.Utc): { readonly [T in Command["_tag"]]: Command } => ({
  Deliver: { _tag: "Deliver", at },
  Retry: { _tag: "Retry", at },
  Exhaust: { _tag: "Exhaust", at },
  Interrupt: { _tag: "Interrupt", at },
  GiveUp: { _tag: "GiveUp", at },
  Abandon: { _tag: "Abandon", at }
})

const upTo = (most: number): ReadonlyArray<number> => Array.from({ length: most + 1 }, (_, count) => count)

const isTerminal = ({ status }: Pick<Delivery, "status">): boolean => terminalStatuses(machine).includes(status)

/** Before anything that other checks end. */
const endedAt = DateTime.makeUnsafe(Date.UTC(1960, 0, 1))

/** Deliveries of every status: those that go on with every number of attempts and interruptions, ended ones with the least and the most. */
const drafts = Status.literals.flatMap((status): ReadonlyArray<Partial<Delivery>> => {
  const counts = (most: number) => (isTerminal({ status }) ? [0, most] : upTo(most - 1))
  const dates = isTerminal({ status })
    ? { next_attempt_at: null, completed_at: endedAt }
    : { next_attempt_at: longAgo, completed_at: null }
  return counts(Limits.deliveryAttempts).flatMap((attempt_count) =>
    counts(Limits.deliveryInterruptions).map((interruption_count) => ({
      status,
      attempt_count,
      interruption_count,
      ...dates
    }))
  )
})

/** Stored deliveries of {@link drafts}, all of one event to one endpoint. */
const setUp = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const { id } = yield* newOrganisation()
  const endpoint = yield* newEndpoint(id)
  const event = yield* eventOf(id, { type: "donor.merged" })
  yield* (yield* Outbox).append([event])
  const deliveries = yield* Effect.forEach(drafts, (draft) => deliveryOf(event, endpoint, draft))
  yield* Effect.forEach(deliveries, store.insert, { discard: true })
  return { id, endpoint, deliveries }
})

const found = (organisation_id: OrganisationId, id: DeliveryId) =>
  DeliveryStore.use((store) => Effect.map(store.find(organisation_id, id), (each) => Option.getOrThrow(each).delivery))

/** Asserts that the stored deliveries are these. */
const areNow = Effect.fnUntraced(function* (expected: ReadonlyArray<Delivery>, message: string) {
  for (const delivery of expected) same(yield* found(delivery.organisation_id, delivery.id), delivery, message)
})

const sorted = (deliveries: ReadonlyArray<Pick<Delivery, "id">>): Array<string> =>
  deliveries.map(({ id }) => id).toSorted()

/** The outcome of an executor that did not know that its delivery had ended. */
const forged = (delivery: Delivery, command: Command): Option.Option<Delivery> =>
  Option.map(
    Result.getSuccess(
      decide(machine, { ...delivery, status: "PENDING", next_attempt_at: longAgo, completed_at: null }, command)
    ),
    ({ state }) => state
  )

const outcomeOf = (delivery: Delivery, command: Command, lease_id: string): ReadonlyArray<AttemptResult> => {
  const row = rowFor(machine, command)
  const outcome = isTerminal(delivery)
    ? forged(delivery, command)
    : row.isTaken(delivery)
      ? Option.some(row.after(delivery))
      : Option.none()
  return Option.toArray(Option.map(outcome, (state) => ({ delivery: state, lease_id, attempt: null })))
}

const typesOf = (organisation_id: OrganisationId) =>
  Outbox.use((outbox) =>
    Effect.map(outbox.list(organisation_id, queryOf()), ({ data }) => data.map(({ type }) => type))
  )

const settling = law("outcomes are recorded as the machine's rows say, from every status", function* ({ store }) {
  for (const command of Object.values(commandsAt(at(7)))) {
    const row = rowFor(machine, command)
    const { deliveries, id } = yield* setUp
    row.meet(deliveries)
    const [held] = yield* claim()
    const lease_id = held?.lease_id ?? ""
    yield* store.settle(deliveries.flatMap((delivery) => outcomeOf(delivery, command, lease_id)))
    yield* areNow(deliveries.map(row.after), command._tag)
    same(yield* typesOf(id), [...row.events(deliveries), "donor.merged"], command._tag)
    // Those of which the machine refuses are held as before.
    const refused = deliveries.filter((delivery) => !isTerminal(delivery) && !row.isTaken(delivery))
    const { ids } = yield* store.renew(lease_id, 60_000)
    same<ReadonlyArray<string>>([...ids].toSorted(), sorted(refused), command._tag)
  }
})

const abandoning = law("abandoning is the machine's row, from every status, held or not", function* ({ store }) {
  const row = rowFor(machine, commandsAt(at(8)).Abandon)
  const [held, free] = [yield* setUp, yield* setUp]
  yield* claim({ organisations: { known: new Map([[free.id, { room: 0, under_way: 0 }]]), others: 100 } })
  for (const { deliveries, endpoint, id } of [held, free]) {
    row.meet(deliveries)
    yield* areNow(deliveries, "before")
    yield* store.abandon(id, endpoint.id, at(8))
    yield* areNow(deliveries.map(row.after), "after")
  }
})

const leasing = law("a claim hands out what some row still moves, and no lease changes it", function* ({ store }) {
  const { deliveries } = yield* setUp
  const moving = deliveries.filter((delivery) =>
    Object.values(commandsAt(at(7))).some((command) => rowFor(machine, command).isTaken(delivery))
  )
  const claimed = yield* claim({ lease_millis: 0 })
  same(idsOf(claimed).toSorted(), sorted(moving))
  const lease_id = claimed[0]?.lease_id ?? ""
  // A lease that is over is found in those statuses in which an interruption can be recorded.
  const { GiveUp, Interrupt } = commandsAt(at(7))
  const interruptible = deliveries.filter((delivery) =>
    [Interrupt, GiveUp].some((command) => rowFor(machine, command).isTaken(delivery))
  )
  const cutOff = yield* store.expired({ limit: 100, over_millis: 0 })
  same(sorted(cutOff.map(({ delivery }) => delivery)), sorted(interruptible))
  const calls = {
    claim: Effect.void,
    renew: store.renew(lease_id, 60_000),
    repair: store.repair(60_000),
    releaseAll: store.releaseAll,
    release: store.release([lease_id]),
    putBack: store.putBack
  }
  for (const [name, call] of Object.entries(calls)) {
    yield* call
    yield* areNow(deliveries, name)
  }
  same(idsOf(yield* claim()).toSorted(), sorted(moving))
})

const trimming = law("what is trimmed is of those statuses that no row leaves", function* ({ store }) {
  const { deliveries, id } = yield* setUp
  while ((yield* store.trim(endedAt, 100)) > 0);
  for (const delivery of deliveries) {
    if (isTerminal(delivery)) none(yield* store.find(id, delivery.id))
    else same(yield* found(id, delivery.id), delivery)
  }
})

/** Endpoints of every status, that have failed for less than five days, for as long, or not at all. */
const endpointDrafts = [true, false].flatMap((is_active) =>
  [null, at(1)].flatMap((deleted_at) =>
    [null, at(50), at(50.001)].flatMap((failing_since) =>
      [null, at(90), at(50 + Limits.endpointDisableHours * 3_600)].map((exhausted_at) => ({
        is_active,
        deleted_at,
        failing_since,
        exhausted_at
      }))
    )
  )
)

const failing = law("failing endpoints are those that the machine disables for failures", function* ({ store, id }) {
  const endpoints = yield* Effect.forEach(endpointDrafts, (draft) => newEndpoint(id, draft))
  const end = at(50 + Limits.endpointDisableHours * 3_600)
  const row = rowFor(WebhookEndpoint.machine, { _tag: "DisableFailing", at: end })
  row.meet(endpoints)
  const mine = (yield* store.failing).filter(({ organisation_id }) => organisation_id === id)
  const expected = endpoints.filter(row.isTaken)
  same(byId(mine), byId(expected))
})

/** The statements that move or find deliveries and endpoints by themselves, held against the machines' tables. */
export const deliveryRows = [settling, abandoning, leasing, trimming, failing]
