import { type DateTime, Effect, Schema } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { CapLevel, capLevelOf, remainingCapCents } from "../../domain/compliance/CapLevel.ts"
import { DonorKind, jurisdictionsInForce } from "../../domain/compliance/Regime.ts"
import { dayOf } from "../../domain/kernel/CalendarDate.ts"
import { DonorId } from "../../domain/kernel/Ids.ts"
import { Cents, Currency } from "../../domain/kernel/Money.ts"
import { CapStore } from "../../ports/compliance/CapStore.ts"
import { DisclosureStore } from "../../ports/compliance/DisclosureStore.ts"
import { InstallationRegimes } from "../../ports/compliance/InstallationRegimes.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makeDisclosureKeeper } from "./disclosure/DisclosureKeeper.ts"

/** What an organisation sets about caps. */
export const CapPolicy = Schema.Struct({ is_blocking: Schema.Boolean }).annotate({
  identifier: "CapPolicy",
  meanings: {
    is_blocking: "Whether forms, checkout links and recommendation sets refuse gifts over the cap of their donor."
  }
})
export type CapPolicy = typeof CapPolicy.Type

/** What staff say of a donor's kind. */
export const DonorKindInput = Schema.Struct({ donor_kind: DonorKind }).annotate({
  identifier: "DonorKindInput",
  meanings: { donor_kind: "PEAK_BODY for a peak representative body, which has a cap of its own; ANY for all others." }
})
export type DonorKindInput = typeof DonorKindInput.Type

/** The cap of a donor in the present period of a jurisdiction. law, section 4. */
export const DonorCap = Schema.Struct({
  donor_kind: DonorKind,
  jurisdiction: Schema.String,
  period: Schema.String,
  currency: Currency,
  cap_cents: Cents,
  used_cents: Cents,
  pending_cents: Cents,
  remaining_cents: Cents,
  level: CapLevel
}).annotate({
  identifier: "DonorCap",
  meanings: {
    donor_kind: "ANY, or PEAK_BODY for a peak representative body.",
    jurisdiction: "Where the law holds, such as AU.",
    period: "Name of the present period, such as 2027.",
    currency: "The currency of the law, in which alone gifts count.",
    cap_cents: "What the donor may give in the period.",
    used_cents: "Gifts that count toward it.",
    pending_cents: "Gifts under way, whose money may still come: a checkout that refuses goes by them, too.",
    remaining_cents: "What is left once gifts under way are left out; 0 over the cap.",
    level: "How near the sum is to the cap: AMBER from 60 %, RED from 90 %, CRITICAL from 98 %, OVER."
  }
})
export type DonorCap = typeof DonorCap.Type

const donorId = id(DonorId, "donor")
const shown = Schema.Array(DonorCap)

const operations = Row.table("caps", {
  read: Row.staffRead("Show whether checkouts refuse gifts over the cap of their donor", [], CapPolicy),
  update: Row.staffChange(
    "Say whether checkouts refuse gifts over the cap of their donor",
    [body(CapPolicy)],
    CapPolicy
  ),
  donor: Row.staffRead("Show what is used of a donor's caps in the present periods", [donorId], shown),
  setDonor: Row.staffChange(
    "Say that a donor is a peak representative body, or none, and have the donor's disclosures recounted",
    [donorId, body(DonorKindInput)],
    shown
  )
})

/** Caps of donors, and what an organisation does about gifts over them. For staff. A tool, not legal advice. law, section 4. */
export class Caps extends Service<Caps>()("almoner/app/Caps", function* () {
  const store = yield* CapStore
  const disclosures = yield* DisclosureStore
  const donors = yield* DonorStore
  const keeper = yield* makeDisclosureKeeper
  const journal = yield* ChangeLog
  const { regimes } = yield* InstallationRegimes
  const transaction = yield* Transaction

  const read = Effect.fn("Caps.read")(function* () {
    const { organisation } = yield* requireStaff(operations.read)
    return { is_blocking: yield* store.isBlocking(organisation.id) }
  })

  /** Gifts that are being paid at this moment, and those that repeat already, are taken as before. */
  const update = Effect.fn("Caps.update")(function* (policy: CapPolicy) {
    const { organisation } = yield* requireStaff(operations.update)
    yield* store.setBlocking(organisation.id, policy.is_blocking)
    const operation = operations.update.requires.name
    yield* journal.write({ operation, subject_id: organisation.id, at: yield* organisationNow, events: [] })
    return policy
  }, transaction.run)

  const capsOf = Effect.fnUntraced(function* (organisation: Organisation, donor_id: DonorId) {
    const at = yield* organisationNow
    const donor_kind = yield* store.kindOf(organisation.id, donor_id)
    const today = dayOf(at, organisation.timezone)
    const found: Array<DonorCap> = []
    for (const jurisdiction of jurisdictionsInForce(regimes)) {
      const reach = keeper.reachOf(jurisdiction, today)
      const asked = reach === null ? null : { donor_id, email: null, jurisdiction, reach, day: today }
      const cap = asked === null ? null : yield* keeper.capOn(asked, { organisation, at })
      if (reach === null || cap === null) continue
      const { cap_cents, pending_cents, used_cents, within } = cap
      found.push({
        donor_kind,
        jurisdiction,
        period: within.label,
        currency: reach.regime.currency,
        cap_cents,
        used_cents,
        pending_cents,
        remaining_cents: remainingCapCents(used_cents, cap_cents),
        level: capLevelOf(used_cents, cap_cents)
      })
    }
    return found
  })

  /** One row for each jurisdiction whose present law has a cap. Fails with {@link NotFound}. */
  const donor = Effect.fn("Caps.donor")(function* (donor_id: DonorId) {
    const { organisation } = yield* requireStaff(operations.donor)
    yield* donors.find(organisation.id, donor_id).pipe(orNotFound("donor", donor_id))
    return yield* capsOf(organisation, donor_id)
  })

  /** Holds a donor's present spans: a gift of this moment goes by what is changed of the donor, or is assessed anew. */
  const holdPresent = Effect.fnUntraced(function* (
    { id: organisation_id, timezone }: Organisation,
    donor_id: DonorId,
    at: DateTime.Utc
  ) {
    for (const jurisdiction of jurisdictionsInForce(regimes)) {
      const reach = keeper.reachOf(jurisdiction, dayOf(at, timezone))
      if (reach === null) continue
      yield* disclosures.hold({ organisation_id, donor_id, jurisdiction, starts_on: reach.period.starts_on })
    }
  })

  /** Sets a donor's kind, also of one who was archived, and recounts what its caps ask for. Fails with {@link NotFound}. */
  const setDonor = Effect.fn("Caps.setDonor")(function* (donor_id: DonorId, { donor_kind }: DonorKindInput) {
    const { organisation } = yield* requireStaff(operations.setDonor)
    const found = yield* donors.findForUpdate(organisation.id, donor_id).pipe(orNotFound("donor", donor_id))
    // Whoever records a gift of theirs at this moment, of whichever day, goes by the donor as it is then.
    yield* donors.update(found)
    const at = yield* organisationNow
    yield* holdPresent(organisation, donor_id, at)
    yield* store.setKind(organisation.id, donor_id, donor_kind)
    yield* keeper.assessDonor(donor_id, { organisation, at })
    yield* journal.write({ operation: operations.setDonor.requires.name, subject_id: donor_id, at, events: [] })
    return yield* capsOf(organisation, donor_id)
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { read, update, donor, setDonor })
}) {}

/** The operations of {@link Caps}. */
export const capOperations = operationsOf(Caps, operations)
