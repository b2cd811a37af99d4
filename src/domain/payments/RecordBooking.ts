import { Array as Arr } from "effect"
import type { Donation } from "../giving/Donation.ts"
import { balancesOf, type LedgerEntry } from "./Ledger.ts"
import type { PaymentException } from "./PaymentException.ts"

/** A record that entries of the books name as their cause. */
export interface BookedRecord {
  readonly id: string
  readonly currency: string
  /** The amount of each entry that moves all of it; null where entries may have any amount. */
  readonly amount_cents: number | null
  /** How much of it went back to the donor, as the record says; null where it does not say. */
  readonly returned_cents: number | null
  /** Whether the books must have entries of it. */
  readonly isBooked: boolean
}

type Moved = Pick<LedgerEntry, "amount_cents" | "cause" | "cause_id" | "currency" | "from_account" | "to_account">

/** Whether an entry moves all of its record: parts of payments to a bank account are held, and disputes have fees. */
const isWhole = ({ cause, from_account, to_account }: Moved): boolean => {
  const accounts = [from_account, to_account]
  if (cause === "credit") return accounts.includes("bank")
  return cause === "dispute" ? !accounts.includes("processor_fees") : cause !== "charge"
}

const agrees = (record: BookedRecord | undefined, entries: ReadonlyArray<Moved>): boolean => {
  if (record === undefined) return false
  if (entries.length === 0) return !record.isBooked
  const { amount_cents, returned_cents } = record
  return (
    (amount_cents === null || entries.every((each) => !isWhole(each) || each.amount_cents === amount_cents)) &&
    (returned_cents === null || balancesOf(entries).donor === BigInt(returned_cents))
  )
}

/** The records of which the books say something else than they do, or that are not there, with their currencies. */
export const misbookedRecords = (
  records: ReadonlyArray<BookedRecord>,
  entries: ReadonlyArray<Moved>
): ReadonlyArray<Pick<BookedRecord, "id" | "currency">> => {
  const byId = new Map(records.map((record) => [record.id, record]))
  const causes: Readonly<Record<string, ReadonlyArray<Moved>>> = Arr.groupBy(entries, ({ cause_id }) => cause_id)
  return [...new Set([...byId.keys(), ...Object.keys(causes)])].flatMap((id) => {
    const [record, own] = [byId.get(id), causes[id] ?? []]
    return agrees(record, own) ? [] : [{ id, currency: own[0]?.currency ?? record?.currency ?? "" }]
  })
}

type CreditGift = Pick<Donation, "amount_cents" | "credit_id" | "currency" | "id">
type BookedMoney = Pick<PaymentException, "currency" | "donation_id" | "held_cents">

/**
 * Gifts of money on a bank account that are not what one resolved exception held, and those that one became and that are
 * not there, each with its currency.
 */
export const unbookedGifts = (
  gifts: ReadonlyArray<CreditGift>,
  exceptions: ReadonlyArray<BookedMoney>
): ReadonlyArray<Pick<CreditGift, "currency" | "id">> => {
  const ofCredits = new Map(gifts.filter(({ credit_id }) => credit_id !== null).map((gift) => [gift.id, gift]))
  const booked = exceptions.flatMap(({ currency, donation_id: id, held_cents }) =>
    id === null ? [] : [{ currency, held_cents, id }]
  )
  const moneyOf: Readonly<Record<string, typeof booked>> = Arr.groupBy(booked, ({ id }) => id)
  return [...new Set([...ofCredits.keys(), ...booked.map(({ id }) => id)])].flatMap((id) => {
    const [gift, [money, ...more]] = [ofCredits.get(id), moneyOf[id] ?? []]
    const isSame = gift?.amount_cents === money?.held_cents && gift?.currency === money?.currency
    return isSame && more.length === 0 ? [] : [{ id, currency: gift?.currency ?? money?.currency ?? "" }]
  })
}
