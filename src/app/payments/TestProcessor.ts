import { Effect, Option, Result, Schema } from "effect"
import { type Organisation, twinSlug } from "../../domain/access/Organisation.ts"
import type { StaffRequirement } from "../../domain/access/Policy.ts"
import { ChargeId, IntegrationId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { DonationCents } from "../../domain/kernel/Money.ts"
import { Forbidden, InvalidInput } from "../../domain/kernel/Rejection.ts"
import { GivenId } from "../../domain/kernel/Text.ts"
import * as Bank from "../../domain/payments/TestBank.ts"
import {
  listing,
  NoticeManner,
  Reach,
  standardAccount,
  type TestAccount,
  TestAccountRecord,
  TestChargeRecord,
  TestMandate,
  TransferManner
} from "../../domain/payments/TestCharge.ts"
import { mandateSet } from "../../domain/payments/TestMandates.ts"
import { reverseNewest } from "../../domain/payments/TestTransfers.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { makeTestBankChange, TestBank } from "../../ports/payments/TestBank.ts"
import { requireStaff, type WithRequirement } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, id, operationsOf, optionalBody } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { type Move, moveTestCharge } from "./charge/TestChargeMove.ts"

/** The code of a charge that is failed by hand without one. */
const usualCode = "refer_to_customer"

/** How much is asked back; all that is left when not given. */
export const PartOfCharge = Schema.Struct({
  amount_cents: Schema.optionalKey(Schema.NullOr(DonationCents))
}).annotate({ identifier: "PartOfTestCharge" })

/** Why the money of a charge does not come. */
export const FailureOfCharge = Schema.Struct({
  code: Schema.optionalKey(Schema.NullOr(GivenId))
}).annotate({ identifier: "FailureOfTestCharge" })

/** How an account behaves from now on; what is not given stays. */
export const AccountSetting = Schema.Struct({
  charges_enabled: Schema.optionalKey(Schema.Boolean),
  reach: Schema.optionalKey(Reach),
  notices: Schema.optionalKey(NoticeManner),
  transfers: Schema.optionalKey(TransferManner)
}).annotate({ identifier: "TestAccountSetting" })

/** How later charges of what a charge keeps go from now on. */
export const MandateSetting = Schema.Struct({ mandate: TestMandate }).annotate({ identifier: "TestMandateSetting" })

const charge = id(ChargeId, "charge")

const operations = Row.table("test_processor", {
  list: Row.staffList("List the charges as the simulated bank has them now, newest first", listing, TestChargeRecord),
  approve: Row.staffChange(
    "Approve a charge that waits, as its donor: 3-D Secure, or a PayTo agreement",
    [charge],
    TestChargeRecord
  ),
  decline: Row.staffChange("Refuse a charge that waits, as its donor", [charge], TestChargeRecord),
  settle: Row.staffChange("Have the money of a charge arrive that the bank works on", [charge], TestChargeRecord),
  fail: Row.staffChange(
    "Dishonour a charge that the bank works on",
    [charge, optionalBody(FailureOfCharge)],
    TestChargeRecord
  ),
  refund: Row.staffChange(
    "Pay back at the processor, as somebody there would",
    [charge, optionalBody(PartOfCharge)],
    TestChargeRecord
  ),
  failRefund: Row.staffChange("Have a charge's newest refund come back", [charge], TestChargeRecord),
  reverseTransfer: Row.staffChange(
    "Take the newest transfer of a charge back at the processor, as somebody there would",
    [charge],
    TestChargeRecord
  ),
  dispute: Row.staffChange(
    "Ask the money of a charge back, as the donor's bank: a debit's is lost at once",
    [charge, optionalBody(PartOfCharge)],
    TestChargeRecord
  ),
  winDispute: Row.staffChange(
    "Decide a charge's newest dispute for the organisation, also one that was lost",
    [charge],
    TestChargeRecord
  ),
  loseDispute: Row.staffChange("Decide a charge's open dispute for the donor", [charge], TestChargeRecord),
  setMandate: Row.staffChange(
    "Have later charges of the card or account that a recurring gift keeps work, be declined, or be refused as revoked",
    [charge, body(MandateSetting)],
    TestChargeRecord
  ),
  setAccount: Row.staffChange(
    "See how an integration's account behaves, and set it: disabled, out of reach, or silent",
    [id(IntegrationId, "integration"), optionalBody(AccountSetting)],
    TestAccountRecord
  )
})

const requireSandbox = (organisation: Organisation, { name: operation }: StaffRequirement) => {
  if (organisation.is_sandbox) return Effect.void
  const message = `The test processor is for sandboxes, and ${organisation.slug} is live. Use ${twinSlug(organisation)}.`
  return Effect.fail(new Forbidden({ operation, message }))
}

const refundThere =
  (amount_cents: number | null): Move =>
  (charge, now) =>
    Result.map(
      Bank.refund(
        charge,
        { refund_id: null, idempotency_key: null, amount_cents: amount_cents ?? Bank.leftCents(charge) },
        now
      ),
      (refunded) => refunded.charge
    )

/** What is moved by its charge alone. */
const plainMoves = {
  approve: Bank.approve,
  decline: Bank.decline,
  settle: Bank.settle,
  failRefund: Bank.refundFailed,
  reverseTransfer: reverseNewest,
  winDispute: Bank.disputeWon,
  loseDispute: Bank.disputeLost
} as const satisfies Record<string, Move>

/**
 * Moves the simulated bank of the test processor by hand, as donors, their banks and the processor's own staff would: the
 * charges of an organisation's sandbox, and its accounts. For operators. money, section 3: Test processor.
 */
export class TestProcessor extends Service<TestProcessor>()("almoner/app/TestProcessor", function* () {
  const bank = yield* TestBank
  const integrations = yield* IntegrationStore
  const changeLog = yield* ChangeLog
  const transaction = yield* Transaction
  const tokens = yield* Tokens
  const change = yield* makeTestBankChange

  const allowed = Effect.fnUntraced(function* (operation: WithRequirement<StaffRequirement>) {
    const { organisation } = yield* requireStaff(operation)
    yield* requireSandbox(organisation, operation.requires)
    return organisation.id
  })

  /** The account's settings decide which notices the bank sends of it, and when. */
  const move = (operation: WithRequirement<StaffRequirement>, subject_id: ChargeId, how: Move) =>
    Effect.gen(function* () {
      const organisation_id = yield* allowed(operation)
      const moved = yield* moveTestCharge(organisation_id, subject_id, how).pipe(
        Effect.provideService(TestBank, bank),
        Effect.provideService(Tokens, tokens)
      )
      const at = yield* organisationNow
      yield* changeLog.write({ operation: operation.requires.name, subject_id, at, events: [] })
      return moved
    }).pipe(transaction.run)

  /** A page of the charges as the bank has them now, newest first. */
  const list = Effect.fn("TestProcessor.list")(function* (query: ListQuery) {
    const page = yield* bank.list(yield* allowed(operations.list), query)
    const now = yield* bank.now
    return { ...page, data: page.data.map((each) => Bank.advance(each, now)) }
  })

  const plainly = (name: keyof typeof plainMoves) => (id: ChargeId) => move(operations[name], id, plainMoves[name])

  /** The money of a charge that the bank works on does not come. */
  const fail = (id: ChargeId, { code }: typeof FailureOfCharge.Type) =>
    move(operations.fail, id, (charge, now) => Bank.dishonour(charge, code ?? usualCode, now))

  /** Somebody pays back at the processor. */
  const refund = (id: ChargeId, { amount_cents }: typeof PartOfCharge.Type) =>
    move(operations.refund, id, refundThere(amount_cents ?? null))

  /** The donor's bank asks money back: a card's is examined, a debit's is lost at once. */
  const dispute = (id: ChargeId, { amount_cents }: typeof PartOfCharge.Type) =>
    move(operations.dispute, id, (charge, now) => Bank.dispute(charge, amount_cents ?? null, now))

  /** Has later charges of what a first one keeps work, be declined, or be refused: its holder revokes it. */
  const setMandate = (id: ChargeId, { mandate }: typeof MandateSetting.Type) =>
    move(operations.setMandate, id, (charge, now) => mandateSet(charge, mandate, now))

  /**
   * Sets how an integration's account behaves, and answers it. Fails with {@link InvalidInput} of `id` where the account
   * is another processor's.
   */
  const setAccount = Effect.fn("TestProcessor.setAccount")(function* (
    id: IntegrationId,
    setting: typeof AccountSetting.Type
  ) {
    const organisation_id = yield* allowed(operations.setAccount)
    const { processor } = yield* integrations.findForUpdate(organisation_id, id).pipe(orNotFound("integration", id))
    if (processor !== "test") {
      const message = `The integration is an account at ${processor}: only one at the test processor can be set.`
      return yield* new InvalidInput({ param: "id", message })
    }
    const found = yield* bank.account(organisation_id, id)
    const before = Option.getOrElse(found, () => standardAccount(organisation_id, id))
    const after: TestAccount = { ...before, ...setting }
    yield* change.account(before, after)
    yield* changeLog.write({
      operation: operations.setAccount.requires.name,
      subject_id: id,
      at: yield* organisationNow,
      events: []
    })
    return after
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, {
    list,
    approve: plainly("approve"),
    decline: plainly("decline"),
    settle: plainly("settle"),
    fail,
    refund,
    failRefund: plainly("failRefund"),
    reverseTransfer: plainly("reverseTransfer"),
    dispute,
    winDispute: plainly("winDispute"),
    loseDispute: plainly("loseDispute"),
    setMandate,
    setAccount
  })
}) {}

/** The operations of {@link TestProcessor}. */
export const testProcessorOperations = operationsOf(TestProcessor, operations)
