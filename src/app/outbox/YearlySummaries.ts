import { Effect, Option, Schema } from "effect"
import { dayOf } from "../../domain/kernel/CalendarDate.ts"
import { DonorId } from "../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import * as Summary from "../../domain/outbox/YearlySummary.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { GivingSettingsStore } from "../../ports/giving/GivingSettingsStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { YearlySummaryStore } from "../../ports/outbox/YearlySummaryStore.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { refuseArchivedDonor } from "../giving/donor/MergedDonor.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makeSummaryMail } from "./summary/SummaryWriter.ts"

/** Which year's summary a donor is sent. */
export const SummaryRequest = Schema.Struct({ year: Schema.optionalKey(Summary.YearLabel) }).annotate({
  identifier: "SummaryRequest",
  meanings: { year: "The financial year, such as 2025-26; the last one that has ended when not given." }
})
export type SummaryRequest = typeof SummaryRequest.Type

/** A summary that is on its way to a donor. */
export const RequestedSummary = Schema.Struct({
  donor_id: DonorId,
  year: Schema.String,
  gift_count: Schema.Int
}).annotate({
  identifier: "RequestedSummary",
  meanings: {
    donor_id: "The donor.",
    year: "The financial year, such as 2025-26.",
    gift_count: "Gifts of the year that it is about."
  }
})
export type RequestedSummary = typeof RequestedSummary.Type

const operations = Row.table("yearly_summaries", {
  list: Row.staffRead(
    "List how far the summaries of financial years are, the newest year first",
    [],
    Schema.Array(Summary.YearlySummaryRecord)
  ),
  send: Row.staffChange(
    "Send a donor the summary of a financial year, again or at the donor's wish: once a day",
    [id(DonorId, "donor"), body(SummaryRequest, RequestedSummary)],
    RequestedSummary
  )
})

/** The summaries of donors' gifts by financial years, for staff. docs/decisions/0083. */
export class YearlySummaries extends Service<YearlySummaries>()("almoner/app/YearlySummaries", function* () {
  const store = yield* YearlySummaryStore
  const donors = yield* DonorStore
  const settings = yield* GivingSettingsStore
  const journal = yield* ChangeLog
  const transaction = yield* Transaction
  const write = yield* makeSummaryMail

  const list = Effect.fn("YearlySummaries.list")(function* () {
    const { organisation } = yield* requireStaff(operations.list)
    return (yield* store.ofOrganisation(organisation.id)).map(Summary.summaryRecord)
  })

  /**
   * Sends the gifts as they are now, also to a donor who asked not to be contacted. On one day there is one mail, however
   * often it is asked for. Fails with {@link NotFound}, with {@link RecordArchived} for an archived donor, and with {@link
   * InvalidInput} for one without an address or without receipted gifts in the year, for a year that is not over, and where
   * receipts are switched off.
   */
  const send = Effect.fn("YearlySummaries.send")(function* (donor_id: DonorId, { year: label }: SummaryRequest) {
    const { organisation } = yield* requireStaff(operations.send)
    const refuse = (param: string, message: string) => new InvalidInput({ param, message })
    const donor = yield* donors.findForShare(organisation.id, donor_id).pipe(orNotFound("donor", donor_id))
    yield* refuseArchivedDonor(donor)
    if (donor.email === null) return yield* refuse("id", "The donor has no e-mail address. Set one first.")
    const at = yield* organisationNow
    const today = dayOf(at, organisation.timezone)
    const last = Summary.lastYearBefore(today)
    const year = label === undefined ? last : Option.getOrElse(Summary.yearNamed(label), () => last)
    if (year.ends_on >= today) {
      return yield* refuse("year", `The year ${year.label} is not over. Ask for ${last.label} or an earlier one.`)
    }
    const { sends_receipts } = yield* settings.of(organisation.id)
    if (!sends_receipts) {
      const message = "Receipts are switched off, and summaries with them. Switch them on first: sends_receipts."
      return yield* refuse("sends_receipts", message)
    }
    const sums = yield* store.sumsOf(organisation.id, donor_id, year)
    const gift_count = sums.reduce((total, sum) => total + sum.gift_count, 0)
    if (gift_count === 0) {
      return yield* refuse("year", `The donor has no gifts with receipts in ${year.label}. Ask for another year.`)
    }
    yield* write(organisation.id, { donor_id, year, again_on: today })
    yield* journal.write({ operation: operations.send.requires.name, subject_id: donor_id, at, events: [] })
    return { donor_id, year: year.label, gift_count }
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { list, send })
}) {}

/** The operations of {@link YearlySummaries}. */
export const yearlySummaryOperations = operationsOf(YearlySummaries, operations)
