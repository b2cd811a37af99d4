import { DateTime, Formatter, Result, Struct } from "effect"
import fc from "fast-check"
import type { Organisation } from "../domain/access/Organisation.ts"
import * as Donation from "../domain/giving/Donation.ts"
import { type Donor, eventCore } from "../domain/giving/Donor.ts"
import { dayOf } from "../domain/kernel/CalendarDate.ts"
import { DonationId, DonorId, EventId, idDigits, idPrefixes, OrganisationId } from "../domain/kernel/Ids.ts"
import { decide } from "../domain/kernel/Machine.ts"
import * as Event from "../domain/outbox/Event.ts"
import * as Generators from "./Generators.ts"
import { tellRecord } from "./RecordText.ts"

/** Records that belong together, and the events that they emitted on the way, oldest first. */
export interface World {
  readonly organisation: Organisation
  readonly donor: Donor
  /** The donor's gifts, oldest first. */
  readonly donations: ReadonlyArray<Donation.Donation>
  readonly events: ReadonlyArray<Event.Event>
}

/** A world that a report tells in lines: each gift by what came of it, and how many events there are of each type. */
class DonorWorld implements World {
  readonly organisation: Organisation
  readonly donor: Donor
  readonly donations: ReadonlyArray<Donation.Donation>
  readonly events: ReadonlyArray<Event.Event>

  constructor({ donations, donor, events, organisation }: World) {
    this.organisation = organisation
    this.donor = donor
    this.donations = donations
    this.events = events
  }

  /** How fast-check shows a world that breaks a property. */
  [fc.toStringMethod](): string {
    const gifts = this.donations.map(
      ({ amount_cents, currency, donation_day, id, refunded_amount_cents, status }) =>
        `  ${id} ${status}, ${amount_cents} cents ${currency} of ${donation_day}, ${refunded_amount_cents} refunded`
    )
    const types = [...new Set(this.events.map(({ type }) => type))].map(
      (each) => `${this.events.filter(({ type }) => type === each).length} ${each}`
    )
    const lines = [
      tellRecord(this.organisation, new Set(["id", "timezone", "default_currency"])),
      tellRecord(this.donor, new Set(["id", "donor_type"])),
      ...gifts,
      `Events: ${types.join(", ")}`
    ]
    return `\n${lines.join("\n")}\n`
  }
}

/** How many of a donor's gifts there are of each kind; the others are confirmed and whole. */
interface Plan {
  readonly gifts: number
  readonly refunded: number
  readonly partlyRefunded: number
  readonly failed: number
  readonly pending: number
}

const none: Plan = { gifts: 0, refunded: 0, partlyRefunded: 0, failed: 0, pending: 0 }

const outcomes = ["refunded", "partlyRefunded", "failed", "pending"] as const

type Outcome = (typeof outcomes)[number] | "confirmed"

const outcomesOf = ({ gifts, ...plan }: Plan): ReadonlyArray<Outcome> => {
  const named = outcomes.flatMap((outcome) => Array.from({ length: plan[outcome] }, () => outcome))
  if (named.length > gifts) throw new RangeError(`${named.length} of ${gifts} gifts have an outcome of their own.`)
  return [...named, ...Array.from({ length: gifts - named.length }, () => "confirmed" as const)]
}

/** Makes the suffix of a TypeID: its first 48 bits are the instant, the rest is `number`. */
const suffixAt = (at: DateTime.Utc, number: bigint): string => {
  const version = (7n << 76n) | (2n << 62n)
  let rest = (BigInt(DateTime.toEpochMillis(at)) << 80n) | version | (number & ((1n << 62n) - 1n))
  let digits = ""
  for (let i = 0; i < 26; i++) {
    digits = idDigits.charAt(Number(rest & 31n)) + digits
    rest >>= 5n
  }
  return digits
}

const numberOfIds = fc.bigInt({ min: 0n, max: (1n << 40n) - 1n })

interface Gift {
  readonly outcome: Outcome
  readonly donation: Donation.Donation
  readonly amount_cents: number
  readonly payment_method: string
  readonly failure_code: string
  /** Part of the amount that is refunded where not all of it is, thousandths. */
  readonly share: number
  /** Time until the gift is made, and between its commands, ms. */
  readonly waits: ReadonlyArray<number>
}

const giftOf = (outcome: Outcome): fc.Arbitrary<Gift> =>
  fc.record({
    outcome: fc.constant(outcome),
    donation: Generators.donation,
    amount_cents: fc.integer({ min: outcome === "partlyRefunded" ? 2 : 1, max: 100_000_000 }),
    payment_method: fc.constantFrom("card", "payto", "au_becs_debit"),
    failure_code: fc.constantFrom("card_declined", "insufficient_funds"),
    share: fc.integer({ min: 1, max: 999 }),
    waits: fc.tuple(...Array.from({ length: 3 }, () => fc.integer({ min: 1, max: 30 * 86_400_000 })))
  })

const commandsOf = ({ amount_cents, failure_code, outcome, share }: Gift, timezone: string) => {
  const part = Math.max(1, Math.floor((amount_cents * share) / 1000))
  return (at: (index: number) => DateTime.Utc): ReadonlyArray<Donation.Command> => {
    const settle: Donation.Command = { _tag: "Settle", at: at(0), received_on: dayOf(at(0), timezone) }
    switch (outcome) {
      case "pending":
        return []
      case "failed":
        return [{ _tag: "Fail", at: at(0), failure_code }]
      case "confirmed":
        return [settle]
      case "partlyRefunded":
        return [settle, { _tag: "RefundPart", at: at(1), amount_cents: part }]
      case "refunded":
        return [settle, { _tag: "RefundRest", at: at(1), amount_cents }]
    }
  }
}

/** The state that the records of one world share while they are made. */
class Making {
  readonly events: Array<Event.Event> = []
  readonly organisation: Organisation
  private number: bigint

  constructor(organisation: Organisation, number: bigint) {
    this.organisation = organisation
    this.number = number
  }

  suffix(at: DateTime.Utc): string {
    this.number += 1n
    return suffixAt(at, this.number)
  }

  emit<T extends Event.EventType>(
    type: T,
    occurred_at: DateTime.Utc,
    dedupe_key: string,
    data: Event.EventData<T>
  ): void {
    const id = EventId.make(`${idPrefixes.event}_${this.suffix(occurred_at)}`)
    this.events.push(Event.make({ id, organisation_id: this.organisation.id, type, occurred_at, dedupe_key, data }))
  }

  donor(given: Donor, after: number): Donor {
    const created_at = DateTime.addDuration(this.organisation.created_at, after)
    const donor: Donor = {
      ...given,
      id: DonorId.make(`${idPrefixes.donor}_${this.suffix(created_at)}`),
      organisation_id: this.organisation.id,
      marketing_consent_at: given.marketing_consent_at === null ? null : created_at,
      created_at,
      updated_at: created_at,
      archived_at: null
    }
    this.emit("donor.created", created_at, donor.id, eventCore(donor))
    return donor
  }

  gift(donor: Donor, gift: Gift): Donation.Donation {
    const [wait = 0, ...pauses] = gift.waits
    const created_at = DateTime.addDuration(donor.created_at, wait)
    const born = this.pending(donor, gift, created_at)
    this.emit("donation.created", created_at, born.id, Donation.eventDataOf(born))
    let at = created_at
    const instants = pauses.map((pause) => {
      at = DateTime.addDuration(at, pause)
      return at
    })
    return commandsOf(
      gift,
      this.organisation.timezone
    )((index) => instants[index] ?? at).reduce((state, command) => {
      const decision = Result.getOrThrow(decide(Donation.machine, state, command))
      for (const { data, type } of decision.events) this.emit(type, command.at, decision.state.id, data)
      return decision.state
    }, born)
  }

  private pending(donor: Donor, { amount_cents, donation, payment_method }: Gift, at: DateTime.Utc): Donation.Donation {
    const { default_currency, timezone } = this.organisation
    return Donation.bare({
      ...Struct.pick(donation, ["consent_given", "submitted_donor", "differs_from_record"]),
      id: DonationId.make(`${idPrefixes.donation}_${this.suffix(at)}`),
      organisation_id: this.organisation.id,
      donor_id: donor.id,
      source: "PAYMENT_PROCESSOR",
      status: "PENDING",
      amount_cents,
      currency: default_currency,
      donation_date: at,
      donation_day: dayOf(at, timezone),
      payment_method,
      consent_responses: donation.consent_responses.map((each) => ({ ...each, recorded_at: at })),
      created_at: at,
      updated_at: at
    })
  }
}

const organisation = fc
  .record({
    given: Generators.organisation,
    timezone: fc.constantFrom("Australia/Sydney", "Pacific/Auckland", "America/New_York", "Asia/Kolkata", "UTC"),
    opened: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) }),
    number: numberOfIds
  })
  .map(({ given, number, opened, timezone }): Organisation => {
    const created_at = DateTime.makeUnsafe(opened)
    const id = OrganisationId.make(`${idPrefixes.organisation}_${suffixAt(created_at, number)}`)
    const slug = id.replace("_", "-")
    return {
      ...given,
      id,
      slug: given.is_sandbox ? `${slug}-sandbox` : slug,
      timezone,
      created_at,
      updated_at: created_at
    }
  })

const byTime = (one: { readonly created_at: DateTime.Utc }, other: { readonly created_at: DateTime.Utc }): number =>
  DateTime.Order(one.created_at, other.created_at)

/** A donor and the gifts that are planned. Every method returns a new scenario. */
export class DonorScenario {
  private readonly plan: Plan

  constructor(plan: Plan = none) {
    this.plan = plan
  }

  /** So many gifts in all. */
  gifts(count: number): DonorScenario {
    return this.with({ gifts: count })
  }

  /** So many of the gifts were confirmed and then refunded whole. */
  refunded(count: number): DonorScenario {
    return this.with({ refunded: count })
  }

  /** So many of the gifts were confirmed and then refunded in part. */
  partlyRefunded(count: number): DonorScenario {
    return this.with({ partlyRefunded: count })
  }

  /** So many of the gifts failed. */
  failed(count: number): DonorScenario {
    return this.with({ failed: count })
  }

  /** So many of the gifts were submitted and have not settled. */
  pending(count: number): DonorScenario {
    return this.with({ pending: count })
  }

  /**
   * Worlds like this, as a fast-check arbitrary: one tenant, one currency, dates that follow each other, identifiers that
   * sort by time, every gift by a legal history of its machine.
   *
   * @throws RangeError where more gifts have an outcome than there are gifts
   */
  get arbitrary(): fc.Arbitrary<World> {
    return fc
      .record({
        organisation,
        donor: Generators.donor,
        number: numberOfIds,
        joined: fc.nat({ max: 365 * 86_400_000 }),
        gifts: fc.tuple(...outcomesOf(this.plan).map(giftOf))
      })
      .map(({ donor: given, gifts, joined, number, organisation }) => {
        const making = new Making(organisation, number)
        const donor = making.donor(given, joined)
        const donations = gifts.map((gift) => making.gift(donor, gift)).sort(byTime)
        const events = making.events.sort((one, other) => DateTime.Order(one.occurred_at, other.occurred_at))
        return new DonorWorld({ organisation, donor, donations, events })
      })
  }

  private with(change: Partial<Plan>): DonorScenario {
    for (const [kind, count] of Object.entries(change)) {
      if (Number.isSafeInteger(count) && count >= 0) continue
      throw new RangeError(`${kind} is ${Formatter.format(count)}. Give a whole number from 0 on.`)
    }
    return new DonorScenario({ ...this.plan, ...change })
  }
}

/** A donor, to whom gifts are added. */
export const donor = (): DonorScenario => new DonorScenario()
