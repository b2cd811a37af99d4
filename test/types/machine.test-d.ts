import { DateTime, type Result } from "effect"
import { expectTypeOf } from "expect-type"
import * as Donation from "../../src/domain/giving/Donation.ts"
import * as Donor from "../../src/domain/giving/Donor.ts"
import {
  birth,
  decide,
  type GuardRefused,
  type IllegalTransition,
  type Machine
} from "../../src/domain/kernel/Machine.ts"
import * as Delivery from "../../src/domain/outbox/Delivery.ts"
import * as Histories from "../../src/testing/Histories.ts"
import * as Laws from "../../src/testing/Laws.ts"
import * as Scenarios from "../../src/testing/Scenarios.ts"
import { deliveries } from "../../src/testing/subjects/Deliveries.ts"
import { donations } from "../../src/testing/subjects/Donations.ts"

declare const donation: Donation.Donation
declare const delivery: Delivery.Delivery
const at = DateTime.makeUnsafe(0)
const { machine } = Donation
const { table } = machine

/* A command is one of its machine, with all that it carries. */

expectTypeOf(decide(machine, donation, { _tag: "Fail", at, failure_code: "card_declined" })).toEqualTypeOf<
  Result.Result<
    { readonly state: Donation.Donation; readonly events: ReadonlyArray<Donation.DonationEvent> },
    IllegalTransition | GuardRefused
  >
>()

// @ts-expect-error an unknown command
decide(machine, donation, { _tag: "Forget", at })

// @ts-expect-error a command of another machine
decide(Delivery.machine, delivery, { _tag: "Settle", at })

// @ts-expect-error a command without its instant
decide(machine, donation, { _tag: "Lapse" })

// @ts-expect-error a command without what it carries
decide(machine, donation, { _tag: "RefundPart", at })

// @ts-expect-error a record of another machine
decide(machine, delivery, { _tag: "Settle", at })

/* A birth is one of its machine, and makes a whole record. */

const { births } = Donation

expectTypeOf(birth(machine, births.written, (status) => ({ ...donation, status }))).toEqualTypeOf<{
  readonly state: Donation.Donation
  readonly events: ReadonlyArray<Donation.DonationEvent>
}>()

// @ts-expect-error a birth of another machine
birth(machine, Donor.births.recorded, () => donation)

// @ts-expect-error a birth that there is not
birth(machine, births.found, () => donation)

// @ts-expect-error a record of another machine
birth(machine, births.written, () => delivery)

/* A table has one row for each command, of the machine's own words. */

const without: Omit<typeof table, "Lapse"> = table

// @ts-expect-error a missing row
export const missingRow: typeof machine = { ...machine, table: without }

// @ts-expect-error a row for a command that there is not
export const unknownRow: typeof machine = { ...machine, table: { ...table, Forget: table.Fail } }

// @ts-expect-error a row that leads to an unknown status
export const unknownStatus: typeof machine = { ...machine, table: { ...table, Fail: { ...table.Fail, to: "LOST" } } }

export const unknownStart: typeof machine = {
  ...machine,
  // @ts-expect-error a row that starts in an unknown status
  table: { ...table, Fail: { ...table.Fail, from: ["LOST"] } }
}

export const unknownEvent: typeof machine = {
  ...machine,
  // @ts-expect-error a row that emits an unknown event
  table: { ...table, Fail: { ...table.Fail, emits: ["donation.lost"] } }
}

export const wrongPatch: typeof machine = {
  ...machine,
  // @ts-expect-error a patch that writes another type to a field
  table: { ...table, Fail: { ...table.Fail, patch: () => ({ failure_code: 7 }) } }
}

export const foreignCommand: typeof machine = {
  ...machine,
  table: {
    ...table,
    // @ts-expect-error a guard that reads what its command does not carry
    Fail: { ...table.Fail, guard: (_, { arrived_at }) => arrived_at !== null }
  }
}

// @ts-expect-error a milestone that is no field of the record
export const unknownMilestone: typeof machine = { ...machine, milestones: { lost_at: ["FAILED"] } }

// @ts-expect-error a machine that emits cannot stand for one that emits nothing
export const silent: Machine<Donation.Donation, Donation.Status, Donation.Command, never> = machine

/* The kit keeps a machine and its subject together. */

Laws.check(machine, donations)

// @ts-expect-error the subject of another machine
Laws.check(machine, deliveries)

// @ts-expect-error histories of a machine from another's subject
Histories.of(machine, deliveries)

export const histories = Histories.of(machine, donations).map((history) => {
  expectTypeOf(history.events).toEqualTypeOf<ReadonlyArray<Donation.DonationEvent>>()
  expectTypeOf(history.state).toEqualTypeOf<Donation.Donation>()
  return history
})

// @ts-expect-error an outcome that gifts do not have
Scenarios.donor().gifts(3).forgotten(1)
