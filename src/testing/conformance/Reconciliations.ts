import { DateTime, Duration, Effect, Option } from "effect"
import fc from "fast-check"
import type { Integration } from "../../domain/access/Integration.ts"
import { type OrganisationId, TransferAttemptId } from "../../domain/kernel/Ids.ts"
import { type Charge, Status } from "../../domain/payments/Charge.ts"
import type { LedgerEntry } from "../../domain/payments/Ledger.ts"
import { dayIn, never } from "../../domain/payments/Reconciliation.ts"
import { Status as AttemptStatus } from "../../domain/sharing/TransferAttempt.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { RefundStore } from "../../ports/giving/RefundStore.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../ports/payments/DisputeStore.ts"
import { LedgerStore } from "../../ports/payments/LedgerStore.ts"
import { PaymentExceptionStore } from "../../ports/payments/PaymentExceptionStore.ts"
import type { Movement } from "../../ports/payments/ProcessorStatements.ts"
import { ReconciliationStore, type Side } from "../../ports/payments/ReconciliationStore.ts"
import { TransferAttemptStore } from "../../ports/sharing/TransferAttemptStore.ts"
import { assert } from "./Assert.ts"
import { refundOf } from "./Donations.ts"
import { chargeOf, disputeOf, entryOf, exceptionOf, newDonor, newIntegration } from "./MoneyRecords.ts"
import { holdsFor } from "./RecordLocks.ts"
import { at, donationOf, freshId, integrationOf, newOrganisation, storedIn } from "./Records.ts"
import { allPages, byId, lawsOf, none, runsOf, same, suite, type Thoroughness } from "./Suite.ts"
import { attemptOf, newTransferOwner } from "./TransferAttempts.ts"

const { law, must, property } = lawsOf(ReconciliationStore)

const aWhile = Duration.minutes(1)

const newAccount = Effect.flatMap(newOrganisation(), ({ id }) => newIntegration(id))

const kept = (account: Integration, given: Partial<Charge>) => storedIn(ChargeStore, chargeOf(account, given))

const leases = [
  must(
    "an account is one's at a time, until its lease has ended or it is let go",
    ["ReconciliationStore.claim MUST give it to one holder at a time."],
    function* ({ store }) {
      const { id, organisation_id } = yield* newAccount
      const claim = (holder: string, lease = aWhile) => store.claim(organisation_id, id, holder, lease)
      const holders = ["a", "b", "c", "d"]
      const claims = yield* Effect.forEach(holders, (holder) => claim(holder), { concurrency: "unbounded" })
      same(
        claims.flatMap((each) => Option.toArray(each)),
        [never(organisation_id, id)]
      )
      const winner = holders[claims.findIndex(Option.isSome)] ?? ""
      same(Option.isSome(yield* claim(winner)), true)
      none(yield* claim("other"))
      const elsewhere = yield* newAccount
      yield* store.release(elsewhere.organisation_id, elsewhere.id, winner)
      none(yield* claim("other"))
      yield* store.release(organisation_id, id, "other")
      none(yield* claim("other"))
      yield* store.release(organisation_id, id, winner)
      yield* holdsFor((lease) => claim("other", lease), Effect.map(claim("another", Duration.zero), Option.isNone))
    }
  ),

  must(
    "how far an account is reconciled is kept by who holds it",
    ["ReconciliationStore.save MUST change nothing, and answer false, where somebody else holds it by now."],
    function* ({ store }) {
      const [{ id, organisation_id }, other] = [yield* newAccount, yield* newAccount]
      yield* store.claim(organisation_id, id, "a", aWhile)
      const unheld = { ...never(other.organisation_id, other.id), listed_until: at(7), compared_until: dayIn(at(7)) }
      same(yield* store.save(unheld, "a", aWhile), false)
      const first = { ...never(organisation_id, id), listed_until: at(1), compared_until: dayIn(at(1)) }
      const second = { ...first, silent_at: at(2), reconciled_at: at(3), notices_cursor: "evt_9" }
      same(yield* store.save(first, "a", aWhile), true)
      same(yield* store.save(second, "b", aWhile), false)
      same(yield* store.claim(organisation_id, id, "a", aWhile), Option.some(first))
      same(yield* store.save(second, "a", aWhile), true)
      yield* store.release(organisation_id, id, "a")
      same(yield* store.save(first, "a", aWhile), false)
      same(yield* store.claim(organisation_id, id, "b", aWhile), Option.some(second))
      const third = { ...first, compared_until: dayIn(at(90_000)) }
      yield* holdsFor(
        (lease) => Effect.andThen(store.claim(organisation_id, id, "b", aWhile), store.save(third, "b", lease)),
        Effect.map(store.claim(organisation_id, id, "c", Duration.zero), Option.isNone)
      )
      same(yield* store.claim(organisation_id, id, "c", aWhile), Option.some(third))
      const untouched = never(other.organisation_id, other.id)
      same(yield* store.claim(other.organisation_id, other.id, "b", aWhile), Option.some(untouched))
    }
  )
]

/** A charge with one thing under way on it; each is named by what is expected of it. */
const withPart = Effect.fnUntraced(function* (account: Integration, part: "refund" | "dispute" | "late" | "paid back") {
  const { organisation_id } = account
  const given = {
    status: part === "late" ? "FAILED" : "SUCCEEDED",
    processor_fee_cents: part === "late" ? null : 0
  } as const
  const charge = yield* kept(account, given)
  if (part === "dispute") yield* (yield* DisputeStore).insert(yield* disputeOf(charge))
  if (part === "late") {
    const raised = yield* exceptionOf(organisation_id, {
      kind: "late_success",
      charge_id: charge.id,
      status: "RESOLVED"
    })
    yield* (yield* PaymentExceptionStore).insert(raised)
  }
  if (part === "refund" || part === "paid back") {
    const donor = yield* newDonor(organisation_id)
    const gift = yield* Effect.tap(donationOf(donor, { charge_id: charge.id }), (yield* DonationStore).insert)
    const status = part === "refund" ? "PENDING" : "SUCCEEDED"
    yield* (yield* RefundStore).insert(yield* refundOf(gift, { status, charge_id: charge.id }))
  }
  return charge
})

const silent = law("charges are silent of which something is expected and that nobody looks at", function* ({ store }) {
  const account = yield* newAccount
  const other = yield* newIntegration(account.organisation_id)
  const expected: Array<Charge> = []
  for (const status of Status.literals) {
    for (const processor_fee_cents of [null, 0]) {
      const given = { status, processor_fee_cents }
      yield* kept(account, { ...given, look_at: at(1) })
      yield* kept(other, given)
      const charge = yield* kept(account, given)
      const isOpen = status === "NEW" || status === "WAITING" || status === "PROCESSING"
      if (isOpen || (status === "SUCCEEDED" && processor_fee_cents === null)) expected.push(charge)
    }
  }
  for (const part of ["refund", "dispute", "late"] as const) expected.push(yield* withPart(account, part))
  yield* withPart(account, "paid back")
  same(yield* store.silent(yield* newAccount, null, 1), [])
  const found: Array<unknown> = []
  for (let after: Charge["id"] | null = null; ; ) {
    const page: Effect.Success<ReturnType<typeof store.silent>> = yield* store.silent(account, after, 3)
    same(page.length, Math.min(3, expected.length - found.length))
    found.push(...page)
    after = page.at(-1)?.id ?? null
    if (after === null) break
  }
  same<unknown>(
    found,
    byId(expected).map(({ created_at, id, reference }) => ({ created_at, id, reference }))
  )
})

const met = law("charges are met by reference and by id, at every integration with the account", function* ({ store }) {
  const integrations = yield* IntegrationStore
  const name = yield* freshId("request")
  const accountAt = (id: OrganisationId, account: string) =>
    Effect.tap(integrationOf(id, { processor_connect_account_id: account }), integrations.insert)
  const [one, two] = [yield* newOrganisation(), yield* newOrganisation()]
  const [mine, same_account, foreign] = [
    yield* accountAt(one.id, name),
    yield* accountAt(two.id, name),
    yield* accountAt(one.id, `${name}x`)
  ]
  const here = yield* kept(mine, { reference: "pi_1" })
  const unheard = yield* kept(mine, {})
  const there = yield* kept(same_account, { reference: "pi_2" })
  const elsewhere = yield* kept(foreign, { reference: "pi_1" })
  yield* kept(mine, { reference: "pi_3" })
  const found = yield* store.met(
    mine,
    ["pi_1", "pi_2", "pi_9"],
    [here.id, unheard.id, elsewhere.id, yield* freshId("charge")]
  )
  const shown = ({ id, integration_id, organisation_id, reference }: Charge) => ({
    ...{ id, integration_id, organisation_id, reference }
  })
  same(byId(found), byId([here, unheard, there]).map(shown))
  same(yield* store.met(mine, [], []), [])
  same(byId(yield* store.met(foreign, ["pi_1"], [here.id])), [shown(elsewhere)])
})

const kinds = ["charge", "refund", "dispute", "transfer", "other"] as const

const line = fc.record({
  kind: fc.constantFrom(...kinds),
  charge_reference: fc.constantFrom("pi_1", "pi_2", null),
  amount_cents: fc.integer({ min: -500, max: 500 }),
  fee_cents: fc.nat(9),
  currency: fc.constantFrom("AUD", "AUD", "NZD"),
  day: fc.constantFrom(0, 1)
})

const routes = fc.constantFrom<Pick<LedgerEntry, "cause" | "from_account" | "to_account">>(
  { cause: "charge", from_account: "donor", to_account: "organisation" },
  { cause: "charge", from_account: "unmatched", to_account: "organisation" },
  { cause: "charge", from_account: "organisation", to_account: "processor_fees" },
  { cause: "charge", from_account: "organisation", to_account: "platform_fees" },
  { cause: "refund", from_account: "organisation", to_account: "held" },
  { cause: "refund", from_account: "held", to_account: "donor" },
  { cause: "refund", from_account: "donor", to_account: "organisation" },
  { cause: "dispute", from_account: "organisation", to_account: "disputed" },
  { cause: "dispute", from_account: "disputed", to_account: "donor" },
  { cause: "dispute", from_account: "donor", to_account: "organisation" },
  { cause: "dispute", from_account: "organisation", to_account: "processor_fees" },
  { cause: "transfer", from_account: "held", to_account: "organisation" },
  { cause: "reversal", from_account: "organisation", to_account: "held" },
  { cause: "exception", from_account: "held", to_account: "donor" }
)

/** Attempts to send a part of a charge on, or to take it back: by the processor where they were sent, or found there. */
const attempts = fc.array(
  fc.record({
    isBack: fc.boolean(),
    status: fc.constantFrom(...AttemptStatus.literals),
    by: fc.constantFrom("sent", "found", "hand"),
    amount_cents: fc.integer({ min: 1, max: 500 })
  }),
  { maxLength: 4 }
)

type DrawnAttempt = (typeof attempts extends fc.Arbitrary<infer A> ? A : never)[number]

const isSeen = ({ by, isBack }: DrawnAttempt): boolean => by === "sent" || (by === "found" && isBack)

const sentOn = (all: ReadonlyArray<DrawnAttempt>) => {
  const of = (status: string, isBack: boolean) =>
    sum(
      all
        .filter((each) => isSeen(each) && each.status === status && each.isBack === isBack)
        .map(({ amount_cents }) => amount_cents)
    )
  return {
    transferred_cents: of("SUCCEEDED", false) - of("SUCCEEDED", true),
    transferring_cents: of("NEW", false),
    reversing_cents: of("NEW", true)
  }
}

/** A payment's charge with attempts to send its money on. */
const sharedCharge = Effect.fnUntraced(function* (account: Integration, drawn: ReadonlyArray<DrawnAttempt>) {
  const owner = yield* newTransferOwner(account.organisation_id)
  const given = { reference: "pi_1", status: "SUCCEEDED", purpose: "payment", subject_id: owner.payment_id } as const
  const charge = yield* kept(account, given)
  const whose = { ...owner, charge_id: charge.id }
  const store = yield* TransferAttemptStore
  const base = yield* Effect.tap(attemptOf(whose, { status: "FAILED", number: 100, look_at: null }), store.insert)
  for (const [index, { amount_cents, by, isBack, status }] of drawn.entries()) {
    const back = { reversed_id: TransferAttemptId.make(base.id), id: yield* freshId("reversal") }
    const attempt = yield* attemptOf(whose, {
      ...(isBack ? { ...back, cause: by === "found" ? "processor" : "refund" } : {}),
      amount_cents,
      status,
      number: index + 1,
      sent_at: by === "sent" ? today : null,
      look_at: null
    })
    yield* store.insert(attempt)
  }
  return charge
})

const entry = fc.record({ route: routes, amount_cents: fc.integer({ min: 1, max: 500 }), day: fc.constantFrom(0, 1) })

const today = at(0)
const onDay = (day: number): DateTime.Utc => DateTime.add(today, { days: day })

const sum = (cents: ReadonlyArray<number>): number => cents.reduce((all, each) => all + each, 0)

/** The sums that entries moved, by which of their two ends they have. */
const flow =
  (entries: ReadonlyArray<LedgerEntry>, cause: LedgerEntry["cause"], side: "from_account" | "to_account") =>
  (account: string) =>
    sum(
      entries.filter((each) => each.cause === cause && each[side] === account).map(({ amount_cents }) => amount_cents)
    )

const bookedBy = (entries: ReadonlyArray<LedgerEntry>, shared: ReadonlyArray<DrawnAttempt>) => {
  const went = (cause: LedgerEntry["cause"], account: string) =>
    flow(entries, cause, "to_account")(account) - flow(entries, cause, "from_account")(account)
  const came = flow(entries, "charge", "from_account")
  return {
    taken_cents: came("donor") + came("unmatched"),
    refunded_cents: went("refund", "donor"),
    refunding_cents: 0,
    disputed_cents: went("dispute", "donor") + went("dispute", "disputed"),
    fee_cents: went("charge", "processor_fees") + went("dispute", "processor_fees"),
    ...sentOn(shared)
  }
}

const statedBy = (lines: ReadonlyArray<Movement>) => {
  const of = (kind: Movement["kind"]) =>
    sum(lines.filter((each) => each.kind === kind).map(({ amount_cents }) => amount_cents))
  return {
    taken_cents: of("charge"),
    refunded_cents: 0 - of("refund"),
    disputed_cents: 0 - of("dispute"),
    transferred_cents: 0 - of("transfer"),
    other_cents: of("other"),
    fee_cents: sum(lines.map(({ fee_cents }) => fee_cents)),
    foreign: lines.filter(({ currency }) => currency !== "AUD").length
  }
}

/** Everything that moved on a day on one side, in pages of two. */
const movedOn = Effect.fnUntraced(function* (account: Integration, side: Side, day: number, limit = 2) {
  const store = yield* ReconciliationStore
  const moved = yield* allPages((page) => {
    const found = store.moved(account, side, dayIn(onDay(day)), page, limit)
    return Effect.tap(found, ({ data }) => Effect.sync(() => assert.isAtMost(data.length, limit)))
  })
  return [...new Set(moved)].toSorted()
})

const statements = (given: Thoroughness) =>
  property(
    "charges stand as the latest lines and all entries say, and are found on the days on which they moved",
    ["ReconciliationStore.keep MUST keep one line of a reference, the latest."],
    runsOf(given),
    fc.record({
      lines: fc.array(line, { maxLength: 6 }),
      again: fc.nat(3),
      entries: fc.array(entry, { maxLength: 6 }),
      shared: attempts
    }),
    function* ({ again, entries: drawn, lines: given, shared }, { store }) {
      const account = yield* newAccount
      const charge = yield* sharedCharge(account, shared)
      const lines = given.map(
        ({ day, ...each }, index): Movement => ({ ...each, reference: `m_${index}`, at: onDay(day) })
      )
      // Some are told anew, and are otherwise by then.
      yield* store.keep(
        account,
        lines.map((each, index) => (index < again ? { ...each, amount_cents: 7, at: today } : each)),
        "a"
      )
      yield* store.keep(account, lines, "b")
      const entries = yield* Effect.forEach(drawn, ({ amount_cents, day, route }) =>
        entryOf(account.organisation_id, { ...route, amount_cents, charge_id: charge.id, at: onDay(day) })
      )
      yield* (yield* LedgerStore).append(entries)
      const of = (reference: string) => lines.filter(({ charge_reference }) => charge_reference === reference)
      const empty = bookedBy([], [])
      same(yield* store.positions(account, []), [])
      same<unknown>(yield* store.positions(account, ["pi_2", "pi_1"]), [
        { reference: "pi_2", charge_id: null, theirs: { ...statedBy(of("pi_2")), foreign: 0 }, booked: empty },
        { reference: "pi_1", charge_id: charge.id, theirs: statedBy(of("pi_1")), booked: bookedBy(entries, shared) }
      ])
      for (const day of [0, 1]) {
        const moved = lines.filter(({ at: moment }) => dayIn(moment) === dayIn(onDay(day)))
        const references = moved.flatMap(({ charge_reference: each }) => (each === null ? [] : [each]))
        same(yield* movedOn(account, "statement", day), [...new Set(references)].toSorted())
        const booked = drawn.some((each) => each.day === day && each.route.cause !== "exception")
        same(yield* movedOn(account, "books", day), booked ? ["pi_1"] : [])
      }
    }
  )

const readings = must(
  "a day's lines that are gone from its statement are dropped, once it was read to its end",
  ["ReconciliationStore.finish MUST drop the day's lines that it did not find, and no others."],
  function* ({ store }) {
    const [account, other] = [yield* newAccount, yield* newAccount]
    const lineOf = (reference: string, day: number): Movement => ({
      reference,
      kind: "charge",
      charge_reference: reference,
      amount_cents: 5,
      fee_cents: 0,
      currency: "AUD",
      at: onDay(day)
    })
    const lines = [lineOf("stays", 0), lineOf("goes", 0), lineOf("later", 1)]
    for (const each of [account, other]) yield* store.keep(each, lines, "a")
    yield* store.keep(account, lines.slice(0, 1), "b")
    same(yield* movedOn(account, "statement", 0), ["goes", "stays"])
    yield* store.finish(other, dayIn(onDay(2)), "a")
    yield* store.finish(account, dayIn(onDay(0)), "b")
    same(yield* movedOn(account, "statement", 0), ["stays"])
    same(yield* movedOn(account, "statement", 1), ["later"])
    same(yield* movedOn(other, "statement", 0, 1), ["goes", "stays"])
  }
)

const others = law("the first charge is the oldest, and a refund under way is counted", function* ({ store }) {
  const account = yield* newAccount
  for (const each of [yield* newAccount, account]) none(yield* store.first(each))
  yield* kept(account, { created_at: at(2) })
  yield* kept(account, { created_at: at(1) })
  same(yield* store.first(account), Option.some(at(1)))
  const charge = yield* withPart(account, "refund")
  yield* Effect.orDie((yield* ChargeStore).update({ ...charge, reference: "pi_7" }))
  const [position] = yield* store.positions(account, ["pi_7"])
  const [refund] = yield* (yield* RefundStore).ofCharge(account.organisation_id, charge.id)
  same(position?.booked.refunding_cents, refund?.amount_cents ?? 0)
})

/** The laws of {@link ReconciliationStore}. */
export const reconciliations = (given: Thoroughness = {}) =>
  suite([...leases, silent, met, statements(given), readings, others])
