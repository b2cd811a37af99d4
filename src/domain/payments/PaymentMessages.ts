// The words in which refused commands on charges, disputes and exceptions are explained. docs/decisions/0037.

const chargeEnded = "That is final: the donor has to pay anew."

/** The words of charges. */
export const charge = {
  record: "A charge",
  can: {
    Refer: "be given a reference",
    Confirm: "be confirmed at the processor",
    Wait: "wait for its donor",
    Process: "enter the bank network",
    Succeed: "succeed",
    Fail: "fail",
    End: "be ended",
    Cancel: "be cancelled",
    LearnFee: "have its fee recorded"
  },
  instead: {
    NEW: "The processor does not know it yet.",
    WAITING: "It waits for its donor.",
    PROCESSING: "The bank network has it: wait for what comes of it.",
    SUCCEEDED: "Its money has arrived, which is final; to give it back, refund the gift.",
    FAILED: chargeEnded,
    CANCELLED: chargeEnded
  },
  unless: {
    "it has no reference yet": "It has a reference already, and keeps it.",
    "the processor was not told to take the money yet":
      "The processor was told to take the money already, which happens once. Look at what came of it.",
    "the fee is another one": "Its fee is known already, and is that."
  }
}

/** The words of disputes. */
export const dispute = {
  record: "A dispute",
  can: { Win: "be won", Lose: "be lost", LearnFee: "have its fee recorded" },
  instead: { WON: "It is won already; it may still be lost.", LOST: "It is lost already; it may still be won." },
  unless: { "the fee is another one": "Its fee is known already, and is that." }
}

/** The words of notices. */
export const notice = {
  record: "A webhook of a processor",
  can: {
    Apply: "be applied",
    Ignore: "be ignored",
    Wait: "wait for its charge",
    Delay: "be tried again",
    Fail: "be given up",
    Retry: "be retried"
  },
  instead: {
    RECEIVED: "It is about to be applied.",
    WAITING: "It waits for the charge that it names.",
    APPLIED: "It was applied, which is final; to ask the processor again, look at the charge.",
    IGNORED: "It concerns nothing of ours.",
    FAILED: "It was given up; retry it."
  },
  unless: {}
}

/** The words of payment exceptions. */
export const paymentException = {
  record: "A payment exception",
  can: { Resolve: "be resolved" },
  instead: { RESOLVED: "It is resolved already." },
  unless: {}
}
