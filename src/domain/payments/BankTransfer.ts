import { type DateTime, Order } from "effect"
import type { BankAccount, Integration } from "../access/Integration.ts"
import { type CalendarDate, dayOf, startOfDay } from "../kernel/CalendarDate.ts"
import { type Charge, lapsesAt } from "./Charge.ts"
import type { Credit } from "./Credit.ts"
import { type Posting, posting } from "./Ledger.ts"

/** The account that donors of a sandbox are told: no bank has it. */
export const playAccount: BankAccount = {
  account_name: "Test account, do not transfer",
  bsb: "000-000",
  account_number: "00000000"
}

/**
 * The account to which donors transfer; null where they do not transfer to the integration.
 * @example
 * BankTransfer.accountOf({ processor: "stripe", bank_account: null }) // => null
 * BankTransfer.accountOf({ processor: "test", bank_account: null }) // => BankTransfer.playAccount
 */
export const accountOf = ({
  bank_account,
  processor
}: Pick<Integration, "bank_account" | "processor">): BankAccount | null =>
  processor === "bank" ? bank_account : processor === "test" ? playAccount : null

/**
 * The name under which the lines of an account are kept: two integrations of one account have the same.
 * @example BankTransfer.accountKey({ bsb: "062-000", account_number: "12345678" }) // => "062-000 12345678"
 */
export const accountKey = ({ account_number, bsb }: Pick<BankAccount, "account_number" | "bsb">): string =>
  `${bsb} ${account_number}`

/**
 * The sum of a charge's credits, minor units.
 * @example BankTransfer.receivedCents([{ amount_cents: 20_00 }, { amount_cents: 5_00 }]) // => 25_00
 */
export const receivedCents = (credits: ReadonlyArray<Pick<Credit, "amount_cents">>): number =>
  credits.reduce((sum, { amount_cents }) => sum + amount_cents, 0)

/** When the money of a transfer arrived, and how much of it came. */
export interface Arrival {
  readonly at: DateTime.Utc
  readonly on: CalendarDate
  readonly received_cents: number
}

const byDay: Order.Order<Pick<Credit, "day">> = Order.mapInput(Order.String, ({ day }) => day)

/**
 * When credits that add up made an amount full, or the last of them came where it is not full; null without credits. A
 * statement has days and no times: it is taken as the beginning of its day in the organisation's timezone.
 * @example
 * const first = { amount_cents: 20_00, day: CalendarDate.CalendarDate.make("2026-07-01") }
 * const second = { amount_cents: 40_00, day: CalendarDate.CalendarDate.make("2026-07-02") }
 * BankTransfer.arrivalOf(50_00, [second, first], "Australia/Sydney")
 * // => { on: "2026-07-02", at: DateTime.makeUnsafe("2026-07-01T14:00:00Z"), received_cents: 60_00 }
 * BankTransfer.arrivalOf(20_00, [second, first], "Australia/Sydney")?.on // => "2026-07-01"
 */
export const arrivalOf = (
  amount_cents: number,
  credits: ReadonlyArray<Pick<Credit, "amount_cents" | "day">>,
  timezone: string
): Arrival | null => {
  const inOrder = credits.toSorted(byDay)
  let sum = 0
  const full = inOrder.find((credit) => {
    sum += credit.amount_cents
    return sum >= amount_cents
  })
  const on = (full ?? inOrder.at(-1))?.day
  return on === undefined ? null : { on, at: startOfDay(on, timezone), received_cents: receivedCents(credits) }
}

/** The effect of a credit on the charge whose reference it names. */
export interface CreditMatch {
  /** Whether it counts towards the charge. */
  readonly counts: boolean
  /** The reason for a person to look; null where there is none. */
  readonly raised: {
    readonly kind: "unmatched_credit" | "overpaid" | "late_success"
    readonly held_cents: number
    readonly reason: string
  } | null
}

const aside = (
  kind: "unmatched_credit" | "overpaid" | "late_success",
  held_cents: number,
  reason: string
): CreditMatch => ({ counts: false, raised: { kind, held_cents, reason } })

/** Why no charge was found for a credit. */
export type Unfound = "none" | "several"

/**
 * A credit of which it is not known what it pays, with the charges whose references it has.
 * @example BankTransfer.unfound({ amount_cents: 50_00 }, "several", ["chg_1", "chg_2"]).raised?.held_cents // => 50_00
 */
export const unfound = (
  credit: Pick<Credit, "amount_cents">,
  why: Unfound,
  charges: ReadonlyArray<string> = []
): CreditMatch =>
  aside(
    "unmatched_credit",
    credit.amount_cents,
    why === "none"
      ? "Money came whose text has no reference of a gift. Find out who gave it."
      : `Money came whose text has the references of several gifts: ${charges.join(", ")}. Find out how much is for which.`
  )

/** The last day on which money for a charge is in time, in the organisation's timezone. money, section 3: Bank transfer. */
export const lastDayOf = (charge: Charge, timezone: string): CalendarDate => dayOf(lapsesAt(charge), timezone)

/**
 * The effect of a credit on the charge whose reference it names, `received_cents` having come before. The amount of a gift never
 * changes: what is too much is set aside, and what is too little waits for the rest. money, section 3: Bank transfer.
 */
export const matchCredit = (
  { amount_cents, currency, day }: Pick<Credit, "amount_cents" | "currency" | "day">,
  charge: Charge,
  received_cents: number,
  timezone: string
): CreditMatch => {
  if (charge.status === "FAILED" || charge.status === "CANCELLED") {
    return aside("late_success", amount_cents, "Money came after the gift had failed. Decide with the donor.")
  }
  if (currency !== charge.currency) {
    return aside("unmatched_credit", amount_cents, `The gift is in ${charge.currency}, and the money in ${currency}.`)
  }
  if (charge.status === "SUCCEEDED" || received_cents >= charge.amount_cents) {
    return aside("overpaid", amount_cents, "Money came for a gift that is paid already. Decide with the donor.")
  }
  if (day > lastDayOf(charge, timezone)) {
    return aside("unmatched_credit", amount_cents, "Money came after the gift's time to be paid was over.")
  }
  const excess = received_cents + amount_cents - charge.amount_cents
  return {
    counts: true,
    raised:
      excess > 0
        ? {
            kind: "overpaid",
            held_cents: excess,
            reason: "More came than the gift is. Decide with the donor about the rest."
          }
        : null
  }
}

/**
 * A credit has come, and what of it is set aside for a person.
 * @example
 * const raised = { kind: "overpaid", held_cents: 10_00, reason: "More came than the gift is." } as const
 * BankTransfer.creditPostings({ amount_cents: 30_00 }, { counts: true, raised })
 * // => [...Ledger.posting("bank", "unmatched", 30_00), ...Ledger.posting("unmatched", "held", 10_00)]
 */
export const creditPostings = (
  { amount_cents }: Pick<Credit, "amount_cents">,
  { raised }: CreditMatch
): ReadonlyArray<Posting> => [
  ...posting("bank", "unmatched", amount_cents),
  ...posting("unmatched", "held", raised?.held_cents ?? 0)
]
