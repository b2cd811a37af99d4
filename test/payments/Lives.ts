import type { NoticeManner } from "../../src/domain/payments/TestCharge.ts"
import { numbers } from "../support/Numbers.ts"
import { onForms } from "./FormLives.ts"
import {
  type Act,
  account,
  amount,
  bank,
  beginAnew,
  byHand,
  debit,
  givenBack,
  hours,
  type Life,
  type Line,
  look,
  type Outcome,
  open,
  paidBack,
  paidLife,
  processingLife,
  progress,
  recipient,
  refundPayment,
  resolve,
  share,
  submit,
  unpaid,
  waits,
  work
} from "./Life.ts"
import { recurringLives } from "./RecurringLives.ts"

// The lives of gifts that the crash tests stop anywhere and take up again, beside those on forms.

const linked = (status: string, ...told: ReadonlyArray<string>): Pick<Outcome, "link"> => ({
  link: [status, ...["created", ...told].map((each) => `checkout_link.${each}`)]
})
const archive: Act = { _tag: "link", how: "archive" }
const cancel: Act = { _tag: "link", how: "cancel" }
const sweep: Act = { _tag: "sweep" }

const onLinks: ReadonlyArray<Life> = [
  {
    name: "completes its link",
    page: "link",
    acts: [open, submit, progress, work],
    outcome: { ...paidLife, ...linked("COMPLETED", "updated") }
  },
  {
    name: "leaves its link free when it is declined",
    page: "link",
    given: { payment_token: numbers.declined },
    acts: [submit, work],
    outcome: { ...unpaid, ...linked("ACTIVE") }
  },
  {
    name: "leaves its link free when it is abandoned",
    page: "link",
    given: waits,
    acts: [submit, hours(25), work],
    outcome: { ...unpaid, charge: "CANCELLED", ...linked("ACTIVE") }
  },
  {
    name: "gives way to the next on its link",
    page: "link",
    given: waits,
    acts: [submit, { _tag: "submit", page: 2, given: { payment_token: numbers.succeeds } }, work],
    outcome: {
      ...unpaid,
      charge: "CANCELLED",
      ...linked("COMPLETED", "updated"),
      next: ["SUCCEEDED", "CONFIRMED", "donation.created", "donation.succeeded"]
    }
  },
  {
    name: "is cancelled with its link",
    page: "link",
    given: waits,
    acts: [submit, cancel, work],
    outcome: { ...unpaid, charge: "CANCELLED", ...linked("CANCELED", "cancelled") }
  },
  {
    name: "is paid before its link's cancellation is heard of",
    page: "link",
    isAlone: true,
    given: waits,
    acts: [submit, bank("approve"), cancel, work],
    outcome: { ...paidLife, ...linked("COMPLETED", "cancelled", "updated") }
  },
  {
    name: "is paid before its link's archiving is heard of",
    page: "link",
    isAlone: true,
    given: waits,
    acts: [submit, bank("approve"), archive, work],
    outcome: { ...paidLife, ...linked("ARCHIVED", "archived", "updated") }
  },
  {
    name: "outlives the time of its link",
    page: "link",
    expires: true,
    isAlone: true,
    given: debit,
    acts: [submit, hours(13), sweep, bank("settle"), work, sweep],
    outcome: { ...processingLife(paidLife), ...linked("COMPLETED", "updated") }
  },
  {
    name: "leaves its link to its end",
    page: "link",
    expires: true,
    isAlone: true,
    given: debit,
    acts: [submit, hours(13), bank("fail"), work, sweep],
    outcome: { ...processingLife(unpaid), ...linked("EXPIRED", "updated") }
  }
]

const transfer = { method: "bank_transfer" } as const
const imported = (...lines: ReadonlyArray<Line>): Act => ({ _tag: "import", lines })
const recorded = (amount_cents: number): Act => ({ _tag: "record", line: { amount_cents } })
const resolved = (money: "returned" | "gift"): Act => ({ _tag: "resolve", money })
/** A transfer that came; what the bank has of it is our own account of it. */
const transferred: Outcome = { ...paidLife, left: 0, came: [amount] }
const lapsed: Outcome = { ...unpaid, charge: "CANCELLED" }
/** After transfers have lapsed, and the day in which credits of before are imported. */
const weeks = hours(16 * 24)

const byTransfer: ReadonlyArray<Life> = [
  {
    name: "is transferred",
    given: transfer,
    acts: [open, submit, imported({ amount_cents: amount }), work],
    outcome: transferred
  },
  {
    name: "is transferred in two parts",
    given: transfer,
    acts: [submit, recorded(2_000), work, imported({ amount_cents: 3_000 }), work],
    outcome: { ...transferred, came: [2_000, 3_000] }
  },
  {
    name: "is transferred with more than it is",
    given: transfer,
    acts: [submit, imported({ amount_cents: 6_000 }), work, resolve],
    outcome: { ...transferred, came: [6_000], raised: ["overpaid"] }
  },
  {
    name: "is transferred twice",
    given: transfer,
    acts: [submit, recorded(amount), work, imported({ amount_cents: 5_001 }), resolved("returned")],
    outcome: { ...transferred, came: [amount, 5_001], raised: ["overpaid"] }
  },
  {
    name: "is transferred in part, and lapses",
    given: transfer,
    acts: [submit, imported({ amount_cents: 2_000 }), work, weeks, work, resolved("gift")],
    outcome: { ...lapsed, came: [2_000], raised: ["underpaid"], booked: [2_000] }
  },
  {
    name: "is transferred after it lapsed",
    given: transfer,
    acts: [submit, weeks, work, imported({ amount_cents: amount }), resolved("gift")],
    outcome: { ...lapsed, came: [amount], raised: ["late_success"], booked: [amount] }
  },
  {
    name: "is transferred without its name",
    given: transfer,
    acts: [submit, imported({ amount_cents: amount, isNameless: true }), weeks, work, resolved("gift")],
    outcome: { ...lapsed, came: [amount], raised: ["unmatched_credit"], booked: [amount] }
  },
  {
    name: "leaves its link free when its transfer lapses",
    page: "link",
    given: transfer,
    acts: [submit, weeks, work],
    outcome: { ...lapsed, ...linked("ACTIVE") }
  }
]

/** A payment that brought nothing: its parts wait for ever. */
const unpaidPayment = (outcome: Outcome, gift: string): Outcome => ({
  ...outcome,
  gift,
  told: ["recommendation_set.payment_failed"],
  transfers: ["pending"]
})

/** What a recipient has of its part. */
const theirs = {
  succeeded: ["CONFIRMED", "donor.created", "donation.created", "donation.succeeded"],
  failed: ["FAILED", "donor.created", "donation.created", "donation.failed"],
  reversed: ["REFUNDED", "donor.created", "donation.created", "donation.succeeded", "donation.refunded"]
}

/** The only part came back from its recipient. */
const reversed: Pick<Outcome, "left" | "transfers" | "theirs"> = {
  left: 0,
  transfers: ["reversed"],
  theirs: [theirs.reversed]
}

/** A payment that came, and its only part, which went to the recipient or was given up. */
const sharedOut = (outcome: Outcome, part: "succeeded" | "failed"): Outcome => ({
  ...outcome,
  gift: "SUCCEEDED",
  told: ["recommendation_set.payment_succeeded", `recommendation_set.distribution_${part}`],
  transfers: [part],
  theirs: [theirs[part]]
})

/** Its part was taken back where nobody asked for it: the organisation still has the money. */
const reversedThere: Outcome = {
  ...sharedOut(paidLife, "succeeded"),
  ...reversed,
  left: amount,
  raised: ["transfer_reversed"]
}

/** A payment that was transferred, whose parts wait for people. */
const fundsCame: Outcome = { ...transferred, gift: "SUCCEEDED", told: ["recommendation_set.payment_succeeded"] }
const waiting = ["PENDING", "donor.created", "donation.created"]

const toSets: ReadonlyArray<Life> = [
  {
    name: "pays the recipient of a set",
    page: "set",
    acts: [open, submit, progress, work, share],
    outcome: sharedOut(paidLife, "succeeded")
  },
  {
    name: "is a set's payment that is declined",
    page: "set",
    given: { payment_token: numbers.declined },
    acts: [submit, work],
    outcome: unpaidPayment(unpaid, "FAILED")
  },
  {
    name: "is a set's payment that is approved by its holder",
    page: "set",
    given: waits,
    acts: [submit, bank("approve"), work, share],
    outcome: sharedOut(paidLife, "succeeded")
  },
  {
    name: "is a set's payment that awaits its funds",
    page: "set",
    given: transfer,
    acts: [submit, imported({ amount_cents: amount }), work, share],
    outcome: { ...fundsCame, transfers: ["pending"], theirs: [waiting] }
  },
  {
    name: "is a set's payment that people bring to its recipient",
    page: "set",
    given: transfer,
    acts: [submit, imported({ amount_cents: amount }), work, share, byHand("moved")],
    outcome: sharedOut(transferred, "succeeded")
  },
  {
    name: "is a set's payment that people cannot bring to its recipient at first",
    page: "set",
    given: transfer,
    acts: [submit, imported({ amount_cents: amount }), work, share, byHand("failed"), beginAnew, byHand("moved")],
    outcome: {
      ...sharedOut(transferred, "succeeded"),
      told: [...sharedOut(paidLife, "failed").told, "recommendation_set.distribution_succeeded"],
      raised: ["transfer_given_up"]
    }
  },
  {
    name: "is a set's payment that people give back",
    page: "set",
    given: transfer,
    acts: [
      submit,
      imported({ amount_cents: amount }),
      work,
      share,
      byHand("moved"),
      refundPayment,
      byHand("moved"),
      paidBack
    ],
    outcome: { ...sharedOut(transferred, "succeeded"), ...reversed, refunds: ["SUCCEEDED"] }
  },
  {
    name: "is a set's payment that lapses",
    page: "set",
    given: transfer,
    acts: [submit, weeks, work],
    outcome: unpaidPayment(lapsed, "LAPSED")
  },
  {
    name: "pays a recipient whose account was closed",
    page: "set",
    isAlone: true,
    acts: [recipient("CLOSED"), submit, work, share, recipient("ACCEPTED")],
    outcome: { ...sharedOut(paidLife, "failed"), raised: ["transfer_given_up"] }
  },
  {
    name: "pays a recipient whose account refuses at first",
    page: "set",
    isAlone: true,
    acts: [recipient("REFUSED"), submit, work, share, recipient("ACCEPTED"), share],
    outcome: sharedOut(paidLife, "succeeded")
  },
  {
    name: "pays a recipient whose account is open again",
    page: "set",
    isAlone: true,
    acts: [recipient("CLOSED"), submit, work, share, recipient("ACCEPTED"), beginAnew, share],
    outcome: {
      ...sharedOut(paidLife, "succeeded"),
      told: [...sharedOut(paidLife, "failed").told, "recommendation_set.distribution_succeeded"],
      raised: ["transfer_given_up"]
    }
  },
  {
    name: "is a set's payment that is given back",
    page: "set",
    acts: [submit, work, share, refundPayment, share, work],
    outcome: { ...sharedOut(paidLife, "succeeded"), ...reversed, refunds: ["SUCCEEDED"] }
  },
  {
    name: "is a set's payment whose transfer is reversed at the processor",
    page: "set",
    acts: [submit, work, share, bank("reverseTransfer"), look],
    outcome: reversedThere
  },
  {
    name: "is a set's payment that is given back after its transfer was reversed at the processor",
    page: "set",
    acts: [submit, work, share, bank("reverseTransfer"), refundPayment, share, work],
    outcome: { ...sharedOut(paidLife, "succeeded"), ...reversed, refunds: ["SUCCEEDED"] }
  },
  {
    name: "is a set's payment that its recipient cannot give back",
    page: "set",
    isAlone: true,
    acts: [submit, work, share, recipient("CLOSED"), refundPayment, share, recipient("ACCEPTED")],
    outcome: { ...sharedOut(paidLife, "succeeded"), raised: ["refund_failed"] }
  },
  {
    name: "is a set's payment that its bank takes back",
    page: "set",
    acts: [submit, work, share, bank("dispute"), work, bank("loseDispute"), work, share],
    outcome: { ...sharedOut(paidLife, "succeeded"), ...reversed }
  }
]

const hear: Act = { _tag: "hear" }
const told = (notices: NoticeManner): Act => account({ notices })

const byNotices: ReadonlyArray<Life> = [
  {
    name: "is told of on time",
    isAlone: true,
    given: debit,
    acts: [submit, bank("settle"), hear, bank("dispute"), hear, bank("winDispute"), hear],
    // The bank network takes a debit back at once, and gives it again where the dispute is won.
    outcome: processingLife({ ...paidLife, told: [...givenBack.told, "donation.refund_reversed"], refunds: ["FAILED"] })
  },
  {
    name: "is told of twice",
    isAlone: true,
    given: debit,
    acts: [told("TWICE"), submit, bank("settle"), hear],
    outcome: processingLife(paidLife)
  },
  {
    name: "is told of in another order",
    isAlone: true,
    given: debit,
    acts: [told("REORDERED"), submit, bank("settle"), bank("dispute"), bank("loseDispute"), hear],
    outcome: processingLife(givenBack)
  },
  {
    name: "is told of late",
    isAlone: true,
    given: debit,
    acts: [told("LATE"), submit, bank("fail"), hear],
    outcome: processingLife(unpaid)
  },
  {
    name: "is told of while its processor is away",
    isAlone: true,
    given: debit,
    acts: [submit, bank("settle"), account({ reach: "LOST" }), hear, account({ reach: "REACHED" }), hear],
    outcome: processingLife(paidLife)
  },
  {
    name: "is told of in vain, and looked at",
    isAlone: true,
    given: debit,
    acts: [
      submit,
      bank("settle"),
      account({ reach: "LOST" }),
      ...Array(8).fill(hear),
      account({ reach: "REACHED" }),
      work
    ],
    outcome: processingLife(paidLife)
  },
  {
    name: "is a set's payment whose transfer is begun anew that was reversed at the processor",
    page: "set",
    acts: [submit, work, share, bank("reverseTransfer"), hear, beginAnew, share],
    outcome: {
      ...reversedThere,
      told: [...reversedThere.told, "recommendation_set.distribution_succeeded"],
      transfers: ["succeeded"],
      theirs: [theirs.succeeded]
    }
  },
  {
    name: "is told of beside what is not ours",
    acts: [submit, { _tag: "stray", about: "charge" }, { _tag: "stray", about: "other" }, hear],
    outcome: paidLife
  }
]

const reconcile: Act = { _tag: "reconcile" }
/** It is noon two days later, so that two days have ended at whatever hour this is. */
const days = hours(60 - new Date().getUTCHours())

const reconciled: ReadonlyArray<Life> = [
  {
    name: "settles without a word, and is compared",
    isAlone: true,
    given: debit,
    acts: [told("NEVER"), submit, bank("settle"), days, reconcile],
    outcome: processingLife(paidLife)
  },
  {
    name: "settles without a word, and is asked for",
    isAlone: true,
    given: debit,
    acts: [told("NEVER"), submit, bank("settle"), reconcile, hear],
    outcome: processingLife(paidLife)
  },
  {
    name: "is refunded without a word, and is compared",
    isAlone: true,
    acts: [told("NEVER"), submit, bank("refund"), days, reconcile],
    outcome: givenBack
  },
  // Once the answer is known, the worker looks: a reconciler that is cut off leaves the rest to it.
  {
    name: "is begun without an answer, and is listed",
    isAlone: true,
    acts: [account({ reach: "ANSWER_LOST" }), submit, account({ reach: "REACHED" }), reconcile, work],
    outcome: paidLife
  }
]

/** Nobody here gives a set's payment back: a person is told. It comes last, since whoever compares everything finds it again. */
const mismatched: ReadonlyArray<Life> = [
  {
    name: "is a set's payment that is refunded at the processor",
    page: "set",
    acts: [submit, share, bank("refund"), look, resolve],
    outcome: { ...sharedOut(paidLife, "succeeded"), left: 0, raised: ["mismatch"] }
  }
]

/** The recipient whose account is closed, and the one whose account refuses until it is back. */
const [closed, back] = [3, 7]

const many = 20

/** What each of many recipients has in the end: the one whose account is closed, and all others. */
const each = <A>(ofClosed: A, others: A): ReadonlyArray<A> =>
  Array.from({ length: many }, (_, index) => (index === closed ? ofClosed : others))

/**
 * A payment to many recipients, one of whom has closed its account, and one of whom cannot take anything for a while. It is lived at a
 * place of its own, and killed at any of its points as often as that comes by.
 */
export const toMany = {
  name: "pays twenty recipients",
  page: "set",
  recipients: many,
  isAlone: true,
  acts: [
    recipient("CLOSED", closed),
    recipient("REFUSED", back),
    submit,
    work,
    share,
    recipient("ACCEPTED", back),
    share,
    recipient("ACCEPTED", closed)
  ],
  outcome: {
    ...sharedOut(paidLife, "succeeded"),
    told: [
      "recommendation_set.payment_succeeded",
      ...each("recommendation_set.distribution_failed", "recommendation_set.distribution_succeeded")
    ],
    transfers: each("failed", "succeeded"),
    theirs: each(theirs.failed, theirs.succeeded),
    sent: many - 1,
    raised: ["transfer_given_up"]
  }
} as const satisfies Life

/** Every life at a set with one recipient, a form or a link. What a part of the program adds to what becomes of a gift is a line here. */
export const lives: ReadonlyArray<Life> = [
  ...onForms,
  ...recurringLives,
  ...onLinks,
  ...byTransfer,
  ...toSets,
  ...byNotices,
  ...reconciled,
  ...mismatched
]

export const lifeOf = (wanted: string): Life => {
  const life = [...lives, toMany].find(({ name }) => name === wanted)
  if (life === undefined) throw new Error(`There is no life ${wanted}`)
  return life
}
