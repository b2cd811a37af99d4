import { Cause, DateTime, Duration, Effect, Exit, Option } from "effect"
import type { Reach } from "../../domain/compliance/Assessment.ts"
import { leastCrossingCents, periodsUntil, type Regime } from "../../domain/compliance/Regime.ts"
import { type CalendarDate, dayOf } from "../../domain/kernel/CalendarDate.ts"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import { addTime } from "../../domain/kernel/InstantRange.ts"
import { addMonths } from "../../domain/kernel/Schedule.ts"
import * as PaymentException from "../../domain/payments/PaymentException.ts"
import { type DisclosureDifference, DisclosureStore, type Recount } from "../../ports/compliance/DisclosureStore.ts"
import { InstallationRegimes } from "../../ports/compliance/InstallationRegimes.ts"
import { organisationNow, realNow } from "../../ports/kernel/AheadClock.ts"
import { loggedCause, orLogged } from "../../ports/kernel/LoggedCause.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { PaymentExceptionStore } from "../../ports/payments/PaymentExceptionStore.ts"
import { makeOrganisationTime } from "../access/caller/CallerContext.ts"
import { Service } from "../kernel/service/Service.ts"
import { makeStoreOutage } from "../kernel/store/StoreOutage.ts"
import { makeDisclosureKeeper } from "./disclosure/DisclosureKeeper.ts"

/** Differences of a period that are told of in one day. */
const toldAtMost = 100

/** Donors of one step of a recount, each assessed in a transaction of its own. */
const step = 50

const lookEvery = Duration.seconds(5)

/** Each organisation that counts gifts is recounted once a day: what changes without a gift, such as the data of a regime, is seen then. */
const everyDay = Duration.days(1)

/** How long the recounts of organisations that broke are left alone: twice as long each time in a row, a day at most. */
const makeBackOff = () => {
  const failures = new Map<OrganisationId, number>()
  return {
    wait: (id: OrganisationId): Duration.Duration => {
      const before = failures.get(id) ?? 0
      failures.set(id, before + 1)
      return Duration.min(everyDay, Duration.minutes(2 ** before))
    },
    reset: (id: OrganisationId): void => {
      failures.delete(id)
    }
  }
}

/** The periods that are compared on a day: those that have begun, and did not end more than a year before. */
const comparedOn = (regimes: ReadonlyArray<Regime>, today: CalendarDate): ReadonlyArray<Reach> =>
  regimes
    .filter(({ status }) => status === "IN_FORCE")
    .flatMap((regime) => periodsUntil(regime, today).map((period) => ({ regime, period })))
    .filter(({ period }) => today <= addMonths(period.ends_on, 12))

/**
 * Recounts disclosures where more has changed than one gift: codes were assigned otherwise, an election was called, the data of
 * a regime is another. An organisation is recounted in steps, beside its gifts; a crash leaves the rest to the next step, and
 * any number of processes may do it. law, section 3.
 */
export class Recounter extends Service<Recounter>()("almoner/app/Recounter", function* () {
  const store = yield* DisclosureStore
  const keeper = yield* makeDisclosureKeeper
  const timeOf = yield* makeOrganisationTime
  const exceptions = yield* PaymentExceptionStore
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  const { regimes } = yield* InstallationRegimes

  const assessDonor = Effect.fnUntraced(function* ({ organisation_id }: Recount, donor_id: DonorId) {
    const organisation = yield* keeper.organisationOf(organisation_id)
    yield* keeper.assessDonor(donor_id, { organisation, at: yield* organisationNow })
  }, transaction.run)

  const raise = Effect.fnUntraced(function* (
    { organisation_id }: Recount,
    { period, regime }: Reach,
    { counted_cents, donor_id, recorded_cents }: DisclosureDifference
  ) {
    const { currency, jurisdiction } = regime
    // Another process may compare the same at this moment: the second one finds what the first has opened.
    const { starts_on } = period
    yield* store.hold({ organisation_id, donor_id, jurisdiction: `${jurisdiction} compared`, starts_on })
    const known = yield* exceptions.ofSubject(organisation_id, donor_id)
    if (known.some(({ kind, status }) => kind === "disclosure_differs" && status === "OPEN")) return
    const says = recorded_cents === null ? "there is no disclosure" : `the disclosure says ${recorded_cents}`
    const exception = PaymentException.openException(
      {
        id: yield* tokens.id("paymentException"),
        organisation_id,
        kind: "disclosure_differs",
        charge_id: null,
        subject_id: donor_id,
        amount_cents: Math.abs(counted_cents - (recorded_cents ?? 0)),
        held_cents: 0,
        currency,
        reason: `The gifts of ${donor_id} that count in ${jurisdiction} come to ${counted_cents} in minor units, and ${says}. It was recounted.`
      },
      yield* organisationNow
    )
    yield* exceptions.insert(exception)
  })

  /**
   * Holds the present periods, and those of the last year, whose returns and late gifts are still to come, against sums that
   * the database makes by itself: what differs is told, and then recounted.
   */
  const compare = Effect.fnUntraced(function* (recount: Recount) {
    const { organisation_id } = recount
    const { timezone } = yield* keeper.organisationOf(organisation_id)
    const today = dayOf(yield* organisationNow, timezone)
    for (const reach of comparedOn(regimes, today)) {
      const { ends_on, starts_on } = reach.period
      const { currency, jurisdiction } = reach.regime
      const found = yield* store.differences(
        organisation_id,
        { currency, jurisdiction, least_cents: leastCrossingCents(reach.regime), starts_on, ends_on },
        toldAtMost
      )
      yield* Effect.forEach(found, (difference) => raise(recount, reach, difference), { discard: true })
    }
  }, transaction.run)

  /** Steps that broke, and whole recounts with donors who could not be assessed. */
  const [steps, wholes] = [makeBackOff(), makeBackOff()]
  const unfinished = new Set<OrganisationId>()

  /** Whether a donor could not be assessed, which is logged and stops no other: the recount is repeated after a while. */
  const isBroken = Effect.fnUntraced(function* (recount: Recount, donor_id: DonorId) {
    const assessed = yield* Effect.exit(assessDonor(recount, donor_id))
    yield* orLogged(assessed, `The disclosures of the donor ${donor_id} could not be recounted`)
    return Exit.isFailure(assessed)
  })

  /** The time until the next recount of an organisation that was recounted to its end. */
  const restOf = (id: OrganisationId): Duration.Duration => {
    if (unfinished.delete(id)) return wholes.wait(id)
    wholes.reset(id)
    return everyDay
  }

  const takeStep = Effect.fnUntraced(function* (recount: Recount) {
    const { after_donor_id, is_asked, organisation_id } = recount
    // What was asked for is expected to differ.
    if (!is_asked && after_donor_id === "") {
      const failed = `The disclosures of ${organisation_id} could not be compared with its gifts; they are recounted`
      yield* orLogged(compare(recount), failed).pipe(timeOf(organisation_id))
    }
    const donors = yield* store.donorsAfter(organisation_id, after_donor_id, step)
    const broken = (yield* Effect.forEach(donors, (donor_id) => isBroken(recount, donor_id)).pipe(
      timeOf(organisation_id)
    )).some((each) => each)
    if (broken) unfinished.add(organisation_id)
    const last = donors.at(-1)
    const isDone = donors.length < step || last === undefined
    const next = isDone
      ? { due_at: addTime(yield* realNow, restOf(organisation_id)), after_donor_id: "", is_asked: false }
      : { due_at: recount.due_at, after_donor_id: last, is_asked }
    yield* store.moveRecount(recount, next)
    steps.reset(organisation_id)
    return donors.length
  })

  /** Sets a recount aside whose step broke, so that those of other organisations go on; it goes on from the same donor. */
  const setAside = Effect.fnUntraced(function* (recount: Recount, cause: Cause.Cause<never>) {
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
    const { organisation_id } = recount
    const due_at = addTime(yield* realNow, steps.wait(organisation_id))
    yield* store.moveRecount(recount, { ...recount, due_at })
    const sentence = `The recount of ${organisation_id} broke; it is tried again at ${DateTime.formatIso(due_at)}`
    yield* Effect.logError(sentence, loggedCause(cause))
    return 0
  })

  /**
   * Recounts every organisation whose recount is due, and answers how many donors that were. For hosts with a job runner of
   * their own, in place of {@link run}. Dies when the store is away, and may then be called again.
   */
  const recountDue: Effect.Effect<number> = Effect.gen(function* () {
    let total = 0
    for (;;) {
      const due = yield* store.dueRecount(yield* realNow)
      if (Option.isNone(due)) return total
      total += yield* Effect.catchCause(takeStep(due.value), (cause) => setAside(due.value, cause))
    }
  })

  /** Recounts for as long as it is not interrupted; to be forked in a scope. It outlives any outage of the store. */
  const run: Effect.Effect<never> = Effect.suspend(() => {
    const outage = makeStoreOutage("The store of disclosures")
    return Effect.forever(Effect.andThen(outage.watch(recountDue), Effect.sleep(lookEvery)))
  })

  return { run, recountDue } as const
}) {}
