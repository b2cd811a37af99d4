// The words in which refused commands on mandates and invoices are explained. docs/decisions/0037.

/** The words of mandates. */
export const mandate = {
  record: "A mandate",
  can: { Activate: "become active", Revoke: "be revoked" },
  instead: { ACTIVE: "It is active already.", REVOKED: "That is final: the donor has to set up a new recurring gift." },
  unless: {}
}

/** The words of invoices. */
export const invoice = {
  record: "An invoice",
  can: { Attempt: "be charged", FailAttempt: "have an attempt fail", Pay: "be paid", GiveUp: "be given up" },
  instead: { PAID: "It is paid, which is final.", FAILED: "It was given up, which is final." },
  unless: {}
}
