import { numbers } from "../support/Numbers.ts"
import {
  account,
  accounts,
  backAgain,
  bank,
  debit,
  givenBack,
  hours,
  type Life,
  look,
  open,
  paidLife,
  processingLife,
  progress,
  refund,
  resolve,
  submit,
  summarise,
  unpaid,
  work,
  year
} from "./Life.ts"

/** The lives of gifts on forms at the simulated bank, which says nothing by itself. */
export const onForms: ReadonlyArray<Life> = [
  { name: "succeeds", acts: [open, submit, progress, work], outcome: paidLife },
  {
    name: "is told in the summary of its year",
    acts: [year(false), submit, work, year(true), summarise, summarise],
    outcome: { ...paidLife, summaries: 1 }
  },
  { name: "is declined", given: { payment_token: numbers.declined }, acts: [submit, work], outcome: unpaid },
  {
    name: "is approved by its holder",
    given: { payment_token: numbers.waits },
    acts: [submit, progress, bank("approve"), work],
    outcome: paidLife
  },
  {
    name: "is refused by its holder",
    given: { payment_token: numbers.waits },
    acts: [submit, bank("decline"), work],
    outcome: unpaid
  },
  {
    name: "is abandoned",
    given: { payment_token: numbers.waits },
    acts: [submit, hours(25), work],
    outcome: { ...unpaid, charge: "CANCELLED" }
  },
  {
    name: "is a debit that settles",
    given: debit,
    acts: [submit, bank("settle"), work],
    outcome: processingLife(paidLife)
  },
  {
    name: "is a debit that is dishonoured",
    given: debit,
    acts: [submit, bank("fail"), work],
    outcome: processingLife(unpaid)
  },
  {
    name: "is an agreement that is approved",
    given: { method: "payto", payment_token: numbers.agreement },
    acts: [submit, bank("approve"), work, hours(1), work],
    outcome: processingLife(paidLife)
  },
  { name: "is refunded", acts: [submit, refund(), work], outcome: givenBack },
  {
    name: "is refunded in part",
    acts: [submit, refund(2_000), work],
    outcome: { ...givenBack, gift: "CONFIRMED", left: 3_000 }
  },
  { name: "is refunded at the processor", acts: [submit, bank("refund"), look], outcome: givenBack },
  {
    name: "has a refund that is paid later",
    given: { payment_token: numbers.refundWaits },
    acts: [submit, refund(), work, hours(1), work],
    outcome: givenBack
  },
  {
    name: "has a refund that comes back",
    acts: [submit, refund(), work, bank("failRefund"), work, resolve],
    outcome: backAgain
  },
  {
    name: "has a dispute that is lost",
    acts: [submit, bank("dispute"), work, bank("loseDispute"), work],
    outcome: givenBack
  },
  {
    name: "has a dispute that is won",
    acts: [submit, bank("dispute"), work, bank("winDispute"), work],
    outcome: paidLife
  },
  {
    name: "has a dispute that is won after it was lost",
    acts: [submit, bank("dispute"), bank("loseDispute"), work, bank("winDispute"), work],
    outcome: { ...paidLife, told: [...givenBack.told, "donation.refund_reversed"], refunds: ["FAILED"] }
  },
  {
    name: "has its fee later",
    given: { payment_token: numbers.feeLater },
    acts: [submit, hours(1), work],
    outcome: paidLife
  },
  {
    name: "is confirmed without an answer",
    given: { payment_token: numbers.answerLost },
    acts: [submit, work],
    outcome: paidLife
  },
  {
    name: "comes after its end",
    given: { payment_token: numbers.waits },
    acts: [submit, hours(25), work, bank("late"), look, work],
    outcome: { ...unpaid, charge: "CANCELLED", refunds: ["SUCCEEDED"], raised: ["late_success"] }
  },
  {
    name: "comes after its end, and is disputed and lost",
    given: { payment_token: numbers.waits },
    acts: [submit, hours(25), work, bank("late"), bank("dispute"), bank("loseDispute"), look, work],
    outcome: {
      ...unpaid,
      charge: "CANCELLED",
      refunds: ["FAILED"],
      raised: ["late_success", "unrecovered", "refund_failed"]
    }
  },
  {
    name: "costs more than it is",
    given: { payment_token: numbers.dearer },
    acts: [submit, work, resolve],
    outcome: { ...paidLife, raised: ["fee_exceeds_gift"] }
  },
  {
    name: "does not reach its processor",
    isAlone: true,
    acts: [account({ reach: "LOST" }), submit, hours(1), work, account({ reach: "REACHED" }), work],
    outcome: { ...unpaid, charge: "CANCELLED" }
  },
  {
    name: "is given while accounts are looked at",
    isAlone: true,
    acts: [account({ charges_enabled: false }), accounts, account({ charges_enabled: true }), accounts, submit],
    outcome: paidLife
  }
]
