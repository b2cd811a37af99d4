import { DateTime, Effect, Option } from "effect"
import { Ledger } from "../../src/app/payments/Ledger.ts"
import type { DonationId, OrganisationId, PaymentId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import { type EventRecord, listing } from "../../src/domain/outbox/Event.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import * as PaymentException from "../../src/domain/payments/PaymentException.ts"
import { advance, leftCents } from "../../src/domain/payments/TestBank.ts"
import { distributionOf } from "../../src/domain/sharing/Transfer.ts"
import { isReversal } from "../../src/domain/sharing/TransferAttempt.ts"
import * as Ports from "../../src/ports.ts"
import { accountExceptionsOf, creditsOf, exceptionsOf, noticesOf } from "./Acts.ts"
import type { CrashService } from "./CrashService.ts"
import { undisclosedOf } from "./DisclosureLaw.ts"
import { bookedDonor, chargeOf, type GiftLife, type GivingSite, linkOf, linkStatus } from "./GivingSite.ts"
import type { Life } from "./Life.ts"
import { correctionsOf, followingFaultsOf, mailsOf } from "./Receipts.ts"
import { type LivedRecurring, livedRecurring, recurringStatuses } from "./Renewals.ts"

// What became of the lives of the crash tests.

/** What a charge pays, as far as it is compared. */
interface Subject {
  readonly record: "Donation" | "RecommendationSetPayment"
  readonly status: string
  readonly amount_cents: number
  readonly refunded_cents: number
  readonly donor_id: string | null
  readonly transfers: ReadonlyArray<string>
  /** The gifts of the recipients of a set. */
  readonly theirs: ReadonlyArray<DonationId | null>
}

const giftOf = Effect.fnUntraced(function* ({ organisation_id, subject_id }: Charge) {
  const found = yield* Ports.DonationStore.use((store) => store.find(organisation_id, subject_id as DonationId))
  const { amount_cents, donor_id, refunded_amount_cents, status } = Option.getOrThrow(found)
  const refunded_cents = refunded_amount_cents
  return { record: "Donation", status, amount_cents, refunded_cents, donor_id, transfers: [], theirs: [] } as const
})

const paymentOf = Effect.fnUntraced(function* ({ organisation_id, subject_id }: Charge) {
  const found = yield* Ports.PaymentStore.use((store) => store.find(organisation_id, subject_id as PaymentId))
  const { allocations, donor_id, payment_status, total_amount_cents } = Option.getOrThrow(found)
  return {
    record: "RecommendationSetPayment",
    status: payment_status,
    amount_cents: total_amount_cents,
    refunded_cents: 0,
    donor_id,
    transfers: allocations.map(({ transfer_status }) => transfer_status),
    theirs: allocations.map(({ donation_id }) => donation_id)
  } as const
})

const subjectOf = ({ life, service }: GiftLife, charge: Charge): Promise<Subject> =>
  service.raw<Subject, never>(life.page === "set" ? paymentOf(charge) : giftOf(charge))

/** The statuses of a payment's parts, of its distribution, and of its transfers and their reversals. */
const sharedStatuses = ({ life, service }: GiftLife, { organisation_id, subject_id }: Charge) =>
  life.page !== "set"
    ? Promise.resolve([])
    : service.raw(
        Effect.gen(function* () {
          const found = yield* Ports.PaymentStore.use((store) => store.find(organisation_id, subject_id as PaymentId))
          const { allocations } = Option.getOrThrow(found)
          const attempts = yield* Effect.forEach(allocations, ({ id }) =>
            Ports.TransferAttemptStore.use((store) => store.ofAllocation(organisation_id, id))
          )
          const parts = allocations.map(({ transfer_status }) => transfer_status)
          return [
            ...parts.map((status) => ["Transfer", status] as const),
            ["Distribution", distributionOf(parts)] as const,
            ...attempts
              .flat()
              .map((each) => [isReversal(each) ? "Reversal of a transfer" : "Transfer attempt", each.status] as const)
          ]
        })
      )

/** The statuses of a gift and of all that hangs on it, by the name of the record. */
export const statusesOf = async (
  living: GiftLife
): Promise<ReadonlyArray<readonly [record: string, status: string]>> => {
  const { life, place, service } = living
  const { id } = place.organisation
  const of = (record: string, rows: ReadonlyArray<{ readonly status: string }>) =>
    rows.map(({ status }) => [record, status] as const)
  const link = life.page === "link" ? of("CheckoutLink", [{ status: await linkStatus(living) }]) : []
  const ofAccount = (await accountExceptionsOf(living)).map(({ kind }) => ["Kind of exception", kind] as const)
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return [...link, ...ofAccount]
  const { record, status } = await subjectOf(living, charge)
  const raised = await exceptionsOf(living)
  return [
    ...link,
    ...ofAccount,
    ...(await recurringStatuses(living)),
    ...of(record, [{ status }]),
    ...of("Charge", [charge]),
    ...(await sharedStatuses(living, charge)),
    ...of("Refund", await service.raw(Ports.RefundStore.use((store) => store.ofCharge(id, charge.id)))),
    ...of("Dispute", await service.raw(Ports.DisputeStore.use((store) => store.ofCharge(id, charge.id)))),
    ...of("PaymentException", raised),
    ...raised.map(({ kind }) => ["Kind of exception", kind] as const),
    ...of("Notice", await noticesOf(living)),
    ...(await creditsOf(living)).map(({ charge_id }) => ["Credit", charge_id === null ? "aside" : "counts"] as const)
  ]
}

/** What became of a gift, as plain values. */
export interface LifeOutcome {
  readonly charge: string
  readonly gift: string
  readonly amount: number
  readonly refunded: number
  /** What the simulated bank took and still has, minor units. */
  readonly left: number
  /** How many charges the bank made for it. */
  readonly taken: number
  /** The bank's refunds by our refund's id. */
  readonly paidBack: ReadonlyArray<string | null>
  readonly told: ReadonlyArray<string>
  readonly donor: ReadonlyArray<string>
  readonly refunds: ReadonlyArray<string>
  readonly raised: ReadonlyArray<string>
  /** How many corrected receipts were made, and how many are owed for its refunds. */
  readonly corrections: readonly [made: number, owed: number]
  readonly charge_id: string
  /** What came to the account, minor units. */
  readonly came: ReadonlyArray<number>
  /** What of it was booked as gifts of their own, minor units. */
  readonly booked: ReadonlyArray<number>
  readonly transfers: ReadonlyArray<string>
  /** What the recipients of a set have each: the gift, its events, and those of its donor. */
  readonly theirs: ReadonlyArray<ReadonlyArray<string>>
  /** How many parts the bank has sent on. */
  readonly sent: number
  /** What the link is, and the events of it. */
  readonly link: ReadonlyArray<string>
  /** How many summaries of years were written to its donor. */
  readonly summaries: number
  /** What became of the gift that was given on the link after it, with its events. */
  readonly next: ReadonlyArray<string>
  readonly next_id: string | null
  readonly recurring: LivedRecurring | null
}

/** Every event of an organisation, oldest first: its type, and the record that it is about. */
const eventsOf = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const outbox = yield* Ports.Outbox
  const all: Array<EventRecord> = []
  for (let more = true; more; ) {
    const after = all.at(-1)?.id
    const paging = [["sort", "created_at"] as const, ["limit", "100"] as const]
    const query = parse(listing, after === undefined ? paging : [...paging, ["starting_after", after] as const])
    const page = yield* Effect.orDie(
      Effect.flatMap(Effect.fromResult(query), (asked) => outbox.list(organisation_id, asked))
    )
    all.push(...page.data)
    more = page.has_more
  }
  return all.map(({ data, type }) => {
    const { amount_cents, donor_id, id, recommendation_set_payment_id, source } = Object(data)
    return {
      type,
      source: `${source}`,
      subject: `${id ?? recommendation_set_payment_id}`,
      donor_id: `${donor_id}`,
      amount: Number(amount_cents)
    }
  })
})

type Events = Effect.Success<ReturnType<typeof eventsOf>>

/** What is wrong about receipts and summaries: each gift that arrived by a page has one, and each payment to a set. */
const faultsOfMails = (events: Events, mails: ReadonlyArray<string>): ReadonlyArray<string> => {
  const owed = events.flatMap(({ source, subject, type }) => {
    if (type === "recommendation_set.payment_succeeded") return [`payment_summary ${subject}`]
    return type === "donation.succeeded" && source !== "MANUAL" ? [`receipt ${subject}`] : []
  })
  const made = mails.filter(
    (each) => !/^(?:(?:receipt|payment_summary)_correction|yearly_summary|payment_(?:processing|failed)) /.test(each)
  )
  return owed.toSorted().join() === made.toSorted().join() ? [] : [`mails: ${made.join()}, not ${owed.join()}`]
}

/** After all that the bank has scheduled. */
const ever = DateTime.makeUnsafe("2100-01-01T00:00:00Z")

const isBooking = ({ acts }: Life): boolean => acts.some((act) => act._tag === "resolve" && act.money === "gift")

/** What came of the gift that was given on the link after the first. */
const nextOf = async (living: GiftLife, events: Events) => {
  const next = Option.getOrUndefined(await chargeOf(living, 2))
  if (next === undefined) return { next: [], next_id: null }
  const { status } = await subjectOf(living, next)
  const told = events.filter(({ subject }) => subject === next.subject_id).map(({ type }) => type)
  return { next: [next.status, status, ...told], next_id: next.id }
}

/** What the recipients of a set have of a payment. */
const theirsOf = async (
  { place, service }: GiftLife,
  gifts: ReadonlyArray<DonationId | null>,
  events: ReadonlyArray<Events>
): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const all: Array<ReadonlyArray<string>> = []
  for (const [index, { organisation_id }] of place.recipients.entries()) {
    const id = gifts[index] ?? null
    if (id === null) {
      all.push([])
      continue
    }
    const found = await service.raw(Ports.DonationStore.use((store) => store.find(organisation_id, id)))
    const { donor_id, status } = Option.getOrThrow(found)
    const about = (events[index] ?? []).filter(({ subject }) => subject === id || subject === donor_id)
    all.push([status, ...about.map(({ type }) => type)])
  }
  return all
}

/** What became of the n-th gift; none where it was never written. */
const livedOf = async (
  living: GiftLife,
  events: Events,
  recipients: ReadonlyArray<Events>
): Promise<LifeOutcome | null> => {
  const { life, place, service } = living
  const charge = Option.getOrUndefined(await chargeOf(living))
  if (charge === undefined) return null
  const { id } = place.organisation
  const subject = await subjectOf(living, charge)
  const refunds = await service.raw(Ports.RefundStore.use((store) => store.ofCharge(id, charge.id)))
  const raised = await exceptionsOf(living)
  const stored = await service.raw(Ports.TestBank.use((bank) => bank.ofCharge(id, charge.id)))
  const made = stored.map((each) => advance(each, ever))
  const mails = await service.raw(mailsOf(id))
  const corrected = mails.filter((each) => each === `receipt_correction ${charge.subject_id}`).length
  const came = (await creditsOf(living)).map(({ amount_cents }) => amount_cents)
  const about = (one: string) => events.filter((event) => event.subject === one).map(({ type }) => type)
  const donor = isBooking(life) ? await bookedDonor(living) : ""
  const booked = events.filter(({ donor_id, type }) => type === "donation.created" && donor_id === donor)
  const link = life.page === "link" ? [await linkStatus(living), ...about((await linkOf(living)).id)] : []
  return {
    charge: charge.status,
    gift: subject.status,
    amount: subject.amount_cents,
    refunded: subject.refunded_cents,
    left: made.reduce((sum, each) => sum + leftCents(each), 0),
    taken: made.length,
    paidBack: made.flatMap((each) => each.refunds.map(({ refund_id }) => refund_id)),
    told: about(charge.subject_id),
    donor: subject.donor_id === null ? [] : about(subject.donor_id),
    refunds: refunds.map(({ status }) => status),
    raised: raised.map(({ kind }) => kind),
    corrections: [corrected, life.page === "set" ? 0 : correctionsOf(refunds)],
    charge_id: charge.id,
    came,
    booked: booked.map(({ amount }) => amount),
    transfers: subject.transfers,
    theirs: await theirsOf(living, subject.theirs, recipients),
    sent: made.reduce((count, { transfers }) => count + transfers.length, 0),
    link,
    summaries: mails.filter((each) => each.startsWith(`yearly_summary ${subject.donor_id} `)).length,
    recurring: await livedRecurring(living, events),
    ...(await nextOf(living, events))
  }
}

/** What did not agree with the processor and could not be repaired. */
const mismatchesOf = Effect.fnUntraced(function* ({ organisation }: GivingSite) {
  const query = parse(PaymentException.listing, [
    ["limit", "100"],
    ["status", "OPEN"],
    ["kind", "mismatch"]
  ])
  const asked = yield* Effect.orDie(Effect.fromResult(query))
  const { data } = yield* Ports.PaymentExceptionStore.use((store) => Effect.orDie(store.list(organisation.id, asked)))
  return data.map(({ reason, subject_id }) => `${subject_id}: ${reason}`)
})

/** What became of everything at a place, as plain values. */
export interface Report {
  /** The gifts that were lived, by their number; null for one that was never written. */
  readonly gifts: Readonly<Record<number, LifeOutcome | null>>
  /** What is wrong in the books. */
  readonly faults: ReadonlyArray<string>
  readonly donations: number
}

/** What became of gifts, by their number and life. */
export const reportOf = async (
  service: CrashService,
  place: GivingSite,
  gifts: ReadonlyArray<readonly [n: number, life: Life]>
): Promise<Report> => {
  service.ahead.millis = 0
  const events = await service.raw(eventsOf(place.organisation.id))
  const recipients = await service.raw(
    Effect.forEach(place.recipients, ({ organisation_id }) => eventsOf(organisation_id))
  )
  const lived: Record<number, LifeOutcome | null> = {}
  for (const [n, life] of gifts) lived[n] = await livedOf({ service, place, life, n }, events, recipients)
  const { data } = await service.run(Ledger.use(({ check }) => check))
  const mismatches = await service.raw(mismatchesOf(place))
  const owners = [place.organisation.id, ...place.recipients.map(({ organisation_id }) => organisation_id)]
  const undisclosed = await service.raw(Effect.forEach(owners, undisclosedOf))
  const mails = await service.raw(Effect.forEach(owners, mailsOf))
  const unmailed = [events, ...recipients].flatMap((told, index) => faultsOfMails(told, mails[index] ?? []))
  const unfollowed = await service.raw(followingFaultsOf(place.organisation.id, mails[0] ?? []))
  const donations = events.filter(({ type }) => type === "donation.created").length
  const faults = [...data.flatMap((each) => each.faults), ...mismatches, ...unmailed, ...unfollowed]
  return { gifts: lived, faults: [...faults, ...undisclosed.flat().map((each) => JSON.stringify(each))], donations }
}
