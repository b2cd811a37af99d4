import type { UncodedSum } from "../../domain/compliance/UncodedGifts.ts"
import type { Donation } from "../../domain/giving/Donation.ts"
import type { RevenueCode } from "../../domain/giving/RevenueCode.ts"
import { Limits } from "../../domain/kernel/Limits.ts"

/** Gifts of a code, or of none. */
export interface UncodedGroup {
  readonly gifts: Array<Donation>
  readonly code: RevenueCode | null
  readonly is_by_default: boolean
}

/** What the store is to say of them; nothing where there are none. */
export const uncodedOf = (
  { code, gifts, is_by_default }: UncodedGroup,
  counted: ReadonlyMap<string, number>,
  least_cents: number
): ReadonlyArray<UncodedSum> => {
  const donors = [...new Set(gifts.map(({ donor_id }) => donor_id))]
  const sumOf = (all: ReadonlyArray<Donation>) => all.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  const withThese = (donor: string) =>
    (counted.get(donor) ?? 0) + sumOf(gifts.filter(({ donor_id }) => donor_id === donor))
  const over = donors.filter((donor) => (counted.get(donor) ?? 0) >= least_cents)
  const sum: UncodedSum = {
    revenue_code_id: code?.id ?? null,
    code: code?.code ?? null,
    namespace: code?.namespace ?? null,
    is_by_default,
    gifts: gifts.length,
    donors: donors.length,
    sum_cents: sumOf(gifts),
    crossing_donors: donors.filter((donor) => withThese(donor) >= least_cents).length - over.length,
    over_donors: over.length,
    donation_ids: gifts
      .toSorted((a, b) => b.amount_cents - a.amount_cents || (a.id < b.id ? -1 : 1))
      .slice(0, Limits.uncodedGiftsShown)
      .map(({ id }) => id)
  }
  return gifts.length === 0 ? [] : [sum]
}
