import { TestAccountRecord, TestChargeRecord } from "../../../domain/payments/TestCharge.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, TestProcessor, takes } from "../TestProcessor.ts"

const testProcessor = operationsOf(TestProcessor)

/** The operations of {@link TestProcessor}. */
export const testProcessorOperations = {
  list: testProcessor.forOperator({
    says: "List the charges as the simulated bank has them now, newest first",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(TestChargeRecord),
    run: (use, asked) => use.list(asked)
  }),
  approve: testProcessor.forOperator({
    says: "Approve a charge that waits, as its donor: 3-D Secure, or a PayTo agreement",
    asks: asks.approve,
    takes: takes.approve,
    gives: TestChargeRecord,
    run: (use, charge) => use.approve(charge)
  }),
  decline: testProcessor.forOperator({
    says: "Refuse a charge that waits, as its donor",
    asks: asks.decline,
    takes: takes.decline,
    gives: TestChargeRecord,
    run: (use, charge) => use.decline(charge)
  }),
  settle: testProcessor.forOperator({
    says: "Have the money of a charge arrive that the bank works on",
    asks: asks.settle,
    takes: takes.settle,
    gives: TestChargeRecord,
    run: (use, charge) => use.settle(charge)
  }),
  fail: testProcessor.forOperator({
    says: "Dishonour a charge that the bank works on",
    asks: asks.fail,
    takes: takes.fail,
    gives: TestChargeRecord,
    run: (use, charge, failure) => use.fail(charge, failure)
  }),
  refund: testProcessor.forOperator({
    says: "Pay back at the processor, as somebody there would",
    asks: asks.refund,
    takes: takes.refund,
    gives: TestChargeRecord,
    run: (use, charge, part) => use.refund(charge, part)
  }),
  failRefund: testProcessor.forOperator({
    says: "Have a charge's newest refund come back",
    asks: asks.failRefund,
    takes: takes.failRefund,
    gives: TestChargeRecord,
    run: (use, charge) => use.failRefund(charge)
  }),
  dispute: testProcessor.forOperator({
    says: "Ask the money of a charge back, as the donor's bank: a debit's is lost at once",
    asks: asks.dispute,
    takes: takes.dispute,
    gives: TestChargeRecord,
    run: (use, charge, part) => use.dispute(charge, part)
  }),
  winDispute: testProcessor.forOperator({
    says: "Decide a charge's newest dispute for the organisation, also one that was lost",
    asks: asks.winDispute,
    takes: takes.winDispute,
    gives: TestChargeRecord,
    run: (use, charge) => use.winDispute(charge)
  }),
  loseDispute: testProcessor.forOperator({
    says: "Decide a charge's open dispute for the donor",
    asks: asks.loseDispute,
    takes: takes.loseDispute,
    gives: TestChargeRecord,
    run: (use, charge) => use.loseDispute(charge)
  }),
  setMandate: testProcessor.forOperator({
    says: "Have later charges of the card or account that a recurring gift keeps work, be declined, or be refused as revoked",
    asks: asks.setMandate,
    takes: takes.setMandate,
    gives: TestChargeRecord,
    run: (use, charge, setting) => use.setMandate(charge, setting)
  }),
  setAccount: testProcessor.forOperator({
    says: "See how an integration's account behaves, and set it: disabled, out of reach, or silent",
    asks: asks.setAccount,
    takes: takes.setAccount,
    gives: TestAccountRecord,
    run: (use, integration, setting) => use.setAccount(integration, setting)
  })
}
