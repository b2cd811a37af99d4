import type { Rate } from "./Fees.ts"

/** The ways of paying that the test processor knows. */
export const testMethods = ["card", "au_becs_debit", "payto"] as const
/** A way of paying that the test processor knows. */
export type TestMethod = (typeof testMethods)[number]

/** Acts of the simulated bank on a charge, by itself. */
export type Act =
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Process" }
  | { readonly _tag: "Succeed" }
  | { readonly _tag: "Fail"; readonly code: string }
  | { readonly _tag: "OpenDispute" }
  | { readonly _tag: "LoseDispute" }

/** An act, so many seconds after what began it. */
export interface Stage<A> {
  readonly after_seconds: number
  readonly act: A
}

/** The outcome of a refund: `Pay` where it was not paid at once, `Fail` where it comes back. */
export type RefundAct = "Pay" | "Fail"

/** The behaviour of one test number. */
export interface TestRule {
  readonly method: TestMethod
  /** The number as the donor types it: spaces, hyphens and case do not count. */
  readonly token: string
  /** The behaviour, in English. */
  readonly says: string
  /** The act once the charge is confirmed. */
  readonly confirmed: ReadonlyArray<Stage<Act>>
  /** The act once its donor approved it, where it waits for that; it succeeds at once when not given. */
  readonly approved?: ReadonlyArray<Stage<Act>>
  /** The act on later charges of the mandate; that to the first one, without its donor, when not given. */
  readonly renewed?: ReadonlyArray<Stage<Act>>
  /** The act on a refund after its request; it is paid at once when not given. */
  readonly refunded?: ReadonlyArray<Stage<RefundAct>>
  /** How long after the success its fee is known; at once when not given. */
  readonly fee_after_seconds?: number
  /** How much more than the amount its fee is, minor units; by the method's rate when not given. */
  readonly fee_above_cents?: number
  /** The message of a confirmation that gets lost. */
  readonly lost?: "request" | "answer"
}

/** The processor fee of the test processor. */
export const testRates: Readonly<Record<TestMethod, Rate>> = {
  card: { basis_points: 175, fixed_cents: 30 },
  au_becs_debit: { basis_points: 100, fixed_cents: 30 },
  payto: { basis_points: 100, fixed_cents: 30 }
}

/** The dispute fee of the test processor, minor units, however it ends. */
export const disputeFeeCents = 2_500

/** How long the simulated bank remembers an idempotency key, as processors do. */
export const keyHours = 24

/** The code of a charge that its donor did not approve. */
export const rejectedCodes: Readonly<Record<TestMethod, string>> = {
  card: "authentication_failed",
  au_becs_debit: "debit_not_authorized",
  payto: "payto_agreement_rejected"
}

const soon = 5
const later = 60
const slow = 180

const wait: Stage<Act> = { after_seconds: 0, act: { _tag: "Wait" } }
const succeed = (after_seconds = 0): Stage<Act> => ({ after_seconds, act: { _tag: "Succeed" } })
const work = (after_seconds = 0): Stage<Act> => ({ after_seconds, act: { _tag: "Process" } })
const fail = (code: string, after_seconds = 0): Stage<Act> => ({ after_seconds, act: { _tag: "Fail", code } })
const openDispute = (after_seconds: number): Stage<Act> => ({ after_seconds, act: { _tag: "OpenDispute" } })
const loseDispute = (after_seconds: number): Stage<Act> => ({ after_seconds, act: { _tag: "LoseDispute" } })

type Rest = Omit<TestRule, "method" | "token" | "says">

const rule =
  (method: TestMethod) =>
  <T extends string>(token: T, says: string, rest: Rest): TestRule & { readonly token: T } => ({
    method,
    token,
    says,
    ...rest
  })

const card = rule("card")
const debit = rule("au_becs_debit")
const payTo = rule("payto")

const paid: Rest = { confirmed: [succeed()] }
const declined = (code: string): Rest => ({ confirmed: [fail(code)] })
const settles = (seconds: number): Rest => ({ confirmed: [work(), succeed(seconds)] })
const dishonoured = (code: string, seconds = soon): Rest => ({ confirmed: [work(), fail(code, seconds)] })

const cards = [
  card("4242 4242 4242 4242", "Succeeds (Visa).", paid),
  card("4000 0566 5566 5556", "Succeeds (Visa, debit).", paid),
  card("5555 5555 5555 4444", "Succeeds (Mastercard).", paid),
  card("3782 822463 10005", "Succeeds (American Express).", paid),
  card("4000 0003 6000 0006", "Succeeds (an Australian Visa).", paid),
  card("4000 0000 0000 0341", "Succeeds; when it was kept for a recurring gift, later charges are declined.", {
    ...paid,
    renewed: [fail("card_declined")]
  }),
  card("4000 0000 0000 0002", "Is declined, without a reason.", declined("card_declined")),
  card("4000 0000 0000 9995", "Is declined: not enough funds.", declined("insufficient_funds")),
  card("4000 0000 0000 9987", "Is declined: reported lost.", declined("lost_card")),
  card("4000 0000 0000 9979", "Is declined: reported stolen.", declined("stolen_card")),
  card("4000 0000 0000 0069", "Is declined: expired.", declined("expired_card")),
  card("4000 0000 0000 0127", "Is declined: the security code is wrong.", declined("incorrect_cvc")),
  card("4000 0000 0000 0119", "Is declined: an error of the network's.", declined("processing_error")),
  card("4000 0000 0000 6975", "Is declined: used too often.", declined("card_velocity_exceeded")),
  card("4100 0000 0000 0019", "Is blocked as fraudulent.", declined("fraudulent")),
  card("4000 0027 6000 3184", "Waits for its holder (3-D Secure); succeeds when approved.", { confirmed: [wait] }),
  card("4000 0000 0000 3220", "Waits for its holder (3-D Secure 2); succeeds when approved.", { confirmed: [wait] }),
  card("4000 0082 6000 3178", "Waits for its holder (3-D Secure); approved, it is declined: not enough funds.", {
    confirmed: [wait],
    approved: [fail("insufficient_funds")]
  }),
  card("4000 0084 0000 1629", "Waits for its holder (3-D Secure); approved, it is declined.", {
    confirmed: [wait],
    approved: [fail("card_declined")]
  }),
  card("4000 0000 0000 0259", "Succeeds; its holder disputes it a minute later.", {
    confirmed: [succeed(), openDispute(later)]
  }),
  card("4000 0000 0000 5423", "Succeeds, with an early warning of fraud, which moves nothing.", paid),
  card("4000 0000 0000 7726", "Succeeds; a refund is pending, and paid a minute later.", {
    ...paid,
    refunded: [{ after_seconds: later, act: "Pay" }]
  }),
  card("4000 0000 0000 5126", "Succeeds; a refund is paid, and comes back a minute later.", {
    ...paid,
    refunded: [
      { after_seconds: 0, act: "Pay" },
      { after_seconds: later, act: "Fail" }
    ]
  }),
  card("4000 0000 0000 9102", "Succeeds; a refund is pending, and fails a minute later.", {
    ...paid,
    refunded: [{ after_seconds: later, act: "Fail" }]
  }),
  card("4000 0000 0000 9201", "Succeeds; its fee is known a minute later.", { ...paid, fee_after_seconds: later }),
  card("4000 0000 0000 9219", "Succeeds; its fee is 1.00 more than its amount.", { ...paid, fee_above_cents: 100 }),
  card("4000 0000 0000 9300", "The bank works on it for a minute; then it succeeds.", settles(later)),
  card("4000 0000 0000 9318", "The bank works on it for a minute; then it is declined.", {
    confirmed: [work(), fail("card_declined", later)]
  }),
  card("4000 0000 0000 9409", "Succeeds, but the answer is lost: the processor seems unreachable.", {
    ...paid,
    lost: "answer"
  }),
  card("4000 0000 0000 9417", "The confirmation never arrives, and nobody can know: nothing is taken.", {
    ...paid,
    lost: "request"
  })
]

const debits = [
  debit("000-000 000123456", "Settles within seconds.", settles(soon)),
  debit("000-000 900123456", "Settles three minutes later.", settles(slow)),
  debit("000-000 800123456", "Stays in the bank network until it is moved by hand.", { confirmed: [work()] }),
  debit("000-000 111111113", "Is dishonoured: the account is closed.", dishonoured("account_closed")),
  debit("000-000 111111116", "Is dishonoured: there is no such account.", dishonoured("no_account")),
  debit("000-000 222222227", "Is dishonoured: not enough funds.", dishonoured("refer_to_customer")),
  debit("000-000 922222227", "Is dishonoured three minutes later.", dishonoured("refer_to_customer", slow)),
  debit("000-000 333333335", "Is dishonoured: the debit was not authorised.", dishonoured("debit_not_authorized")),
  debit("000-000 666666660", "Settles within seconds; the bank takes it back a minute later, as a lost dispute.", {
    confirmed: [work(), succeed(soon), loseDispute(later)]
  })
]

const agreements = [
  payTo("approves@example.com", "Its holder approves it within seconds, and it settles.", {
    confirmed: [wait, work(soon), succeed(2 * soon)]
  }),
  payTo("waits@example.com", "Waits for its holder until it is moved by hand; approved, it settles within seconds.", {
    confirmed: [wait],
    approved: [work(), succeed(soon)]
  }),
  payTo("rejects@example.com", "Its holder rejects it within seconds.", {
    confirmed: [wait, fail(rejectedCodes.payto, soon)]
  }),
  payTo("slow@example.com", "Its holder approves it within seconds; it settles three minutes later.", {
    confirmed: [wait, work(soon), succeed(slow)]
  }),
  payTo("dishonours@example.com", "Its holder approves it within seconds; then it is dishonoured.", {
    confirmed: [wait, work(soon), fail("insufficient_funds", 2 * soon)]
  })
]

/** A number of the test processor, as it is shown. */
export type TestNumber = (typeof cards | typeof debits | typeof agreements)[number]["token"]

/** Every number of the test processor. docs/guides/test-processor.md prints it. */
export const testRules: ReadonlyArray<TestRule & { readonly token: TestNumber }> = [...cards, ...debits, ...agreements]

const keyOf = (token: string): string => token.replaceAll(/[\s-]/g, "").toLowerCase()

const byKey = new Map(testRules.map((each) => [`${each.method} ${keyOf(each.token)}`, each]))

/**
 * The rule of what a donor pays with; undefined where the test processor knows none of this method.
 * @example
 * TestRules.ruleOf("card", "4242-4242-4242-4242")?.token // => "4242 4242 4242 4242"
 * TestRules.ruleOf("payto", "4242 4242 4242 4242") // => undefined
 */
export const ruleOf = (method: string, token: string): TestRule | undefined => byKey.get(`${method} ${keyOf(token)}`)
