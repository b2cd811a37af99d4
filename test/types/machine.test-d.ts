import { DateTime, type Option, pipe, Result } from "effect"
import { expectTypeOf } from "vitest"
import * as Donation from "../../src/domain/giving/Donation.ts"
import * as Donor from "../../src/domain/giving/Donor.ts"
import * as Kernel from "../../src/domain/kernel/Machine.ts"
import * as Machine from "../../src/domain/kernel/Machine.ts"
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
const plain: Machine.Machine<Donation.Donation, Donation.Status, Donation.Command, Donation.DonationEvent> = machine
const { table } = plain

/* A command is one of its machine, with all that it carries. */

const failing = Machine.decide(machine, donation, { _tag: "Fail", at, failure_code: "card_declined" })

expectTypeOf<Result.Result.Failure<typeof failing>>().toEqualTypeOf<Machine.Refusal>()

const failed = Result.getOrThrow(failing)

expectTypeOf(failed.state).toEqualTypeOf<Donation.Donation>()
expectTypeOf(failed.events).toEqualTypeOf<ReadonlyArray<Donation.DonationEmission>>()
expectTypeOf(failed.transition).toEqualTypeOf<
  Machine.AcceptedTransition<Donation.Donation, Donation.Status, Donation.Command>
>()

// @ts-expect-error an unknown command
Machine.decide(machine, donation, { _tag: "Forget", at })

// @ts-expect-error a command of another machine
Machine.decide(Delivery.machine, delivery, { _tag: "Settle", at })

// @ts-expect-error a command without its instant
Machine.decide(machine, donation, { _tag: "Lapse" })

// @ts-expect-error a command without what it carries
Machine.decide(machine, donation, { _tag: "RefundPart", at })

// @ts-expect-error a record of another machine
Machine.decide(machine, delivery, { _tag: "Settle", at })

/* The record may come last. */

const failingLater = Machine.decide(machine, { _tag: "Fail", at, failure_code: "card_declined" })

expectTypeOf(pipe(donation, failingLater)).toEqualTypeOf(failing)
expectTypeOf(pipe(donation, Machine.can(machine, { _tag: "Lapse", at }))).toBeBoolean()
expectTypeOf(pipe(donation, Machine.evolve(machine, failed.transition))).toEqualTypeOf<Donation.Donation>()

// @ts-expect-error an unknown command
Machine.decide(machine, { _tag: "Forget", at })

// @ts-expect-error a command without its instant
Machine.decide(machine, { _tag: "Lapse" })

// @ts-expect-error a record of another machine
pipe(delivery, failingLater)

// @ts-expect-error a transition of another machine
Machine.evolve(Delivery.machine, failed.transition)

/* A birth is one of its machine, and makes a whole record. */

const { births } = Donation

const written = Machine.birth(machine, births.written, (status) => ({ ...donation, status }))

expectTypeOf(written.state).toEqualTypeOf<Donation.Donation>()
expectTypeOf(written.events).toEqualTypeOf<ReadonlyArray<Donation.DonationEmission>>()

// @ts-expect-error a birth of another machine
Machine.birth(machine, Donor.births.recorded, () => donation)

// @ts-expect-error a birth that there is not
Machine.birth(machine, births.found, () => donation)

// @ts-expect-error a record of another machine
Machine.birth(machine, births.written, () => delivery)

/* Where the status is known, only the commands that it allows compile. */

Kernel.in(machine, "PENDING").decide(donation, { _tag: "Fail", at, failure_code: "card_declined" })
Kernel.in(machine, "REFUNDED").decide(donation, { _tag: "ReverseRefund", at, amount_cents: 1 })
Kernel.in(machine, "CONFIRMED").decide(donation, { _tag: "ReverseRefund", at, amount_cents: 1 })

// @ts-expect-error a command that the status refuses
Kernel.in(machine, "CONFIRMED").decide(donation, { _tag: "Fail", at, failure_code: "card_declined" })

// @ts-expect-error a terminal status allows nothing
Kernel.in(machine, "FAILED").decide(donation, { _tag: "Lapse", at })

// @ts-expect-error a command without what it carries
Kernel.in(machine, "PENDING").decide(donation, { _tag: "Fail", at })

// @ts-expect-error an unknown status
Kernel.in(machine, "LOST")

/* A transition is one of its machine. */

expectTypeOf(Machine.evolve(machine, donation, failed.transition)).toEqualTypeOf<Donation.Donation>()
expectTypeOf(Machine.replay(machine, [written.transition, failed.transition])).toEqualTypeOf<
  Option.Option<Donation.Donation>
>()

// @ts-expect-error a transition of another machine
Machine.evolve(Delivery.machine, delivery, failed.transition)

/* A table has one row for each command, of the machine's own words. */

const without: Omit<typeof table, "Lapse"> = table

// @ts-expect-error a missing row
export const missingRow: typeof plain = { ...plain, table: without }

// @ts-expect-error a row for a command that there is not
export const unknownRow: typeof plain = { ...plain, table: { ...table, Forget: table.Fail } }

// @ts-expect-error a row that leads to an unknown status
export const unknownStatus: typeof plain = { ...plain, table: { ...table, Fail: { ...table.Fail, to: "LOST" } } }

export const unknownStart: typeof plain = {
  ...plain,
  // @ts-expect-error a row that starts in an unknown status
  table: { ...table, Fail: { ...table.Fail, from: ["LOST"] } }
}

export const unknownEvent: typeof plain = {
  ...plain,
  // @ts-expect-error a row that emits an unknown event
  table: { ...table, Fail: { ...table.Fail, emits: ["donation.lost"] } }
}

export const wrongPatch: typeof plain = {
  ...plain,
  // @ts-expect-error a patch that writes another type to a field
  table: { ...table, Fail: { ...table.Fail, patch: () => ({ failure_code: 7 }) } }
}

export const foreignCommand: typeof plain = {
  ...plain,
  table: {
    ...table,
    // @ts-expect-error a guard that reads what its command does not carry
    Fail: { ...table.Fail, guard: (_, { arrived_at }) => arrived_at !== null }
  }
}

// @ts-expect-error a milestone that is no field of the record
export const unknownMilestone: typeof plain = { ...plain, milestones: { lost_at: ["FAILED"] } }

// @ts-expect-error a machine that emits cannot stand for one that emits nothing
export const silent: Machine.Machine<Donation.Donation, Donation.Status, Donation.Command, never> = machine

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
