import { DateTime, Schema } from "effect"
import { Limits } from "../kernel/Limits.ts"
import { centsOf, isCents } from "../kernel/Money.ts"
import { InvalidInput, MalformedInput } from "../kernel/Rejection.ts"
import { nameOrNull } from "../kernel/Text.ts"

/**
 * Who decides on the amounts of a recommendation set: they are locked (FIXED), pre-filled and editable (SUGGESTED), or
 * the donor's alone (OPEN). service-spec, Recommendation set.
 */
export const AmountMode = Schema.Literals(["FIXED", "SUGGESTED", "OPEN"]).annotate({ identifier: "AmountMode" })
export type AmountMode = typeof AmountMode.Type

/** The fields of an allocation that the rules use. */
interface Part {
  readonly recipient_org_account_link_id: string
  readonly amount_cents: number
}

/** The fields of a set that the rules for amounts use. */
export interface Amounts {
  readonly amount_mode: AmountMode
  readonly min_total_cents: number | null
  readonly allocations: ReadonlyArray<Part>
}

/** A new set, or a patch of one: the fields that the rules use. */
export interface Proposal {
  readonly name?: string
  readonly amount_mode?: AmountMode | null
  readonly min_total_cents?: number | null
  readonly allocations?: ReadonlyArray<Part>
  readonly expires_at?: DateTime.Utc | null
}

/**
 * The sum of the amounts asked for the recipients, minor units. Throws a `RangeError` for what is no amount.
 * @example RecommendationSetRules.totalCents([{ amount_cents: 5_00 }, { amount_cents: 7_00 }]) // => 12_00
 */
export const totalCents = (allocations: ReadonlyArray<{ readonly amount_cents: number }>): number =>
  allocations.reduce((total, { amount_cents }) => total + centsOf("amount_cents", amount_cents), 0)

const invalid = (param: string, message: string): InvalidInput => new InvalidInput({ param, message })

/**
 * The first rule that a set's allocations break on their own: 1 to 100 of them, one for each link, amounts of at least 1
 * for FIXED and SUGGESTED and of 0 for OPEN. decisions, section 4: Recommendation sets.
 * @example
 * RecommendationSetRules.allocationViolationOf({ amount_mode: "FIXED", allocations: [] })?.param // => "allocations"
 */
export const allocationViolationOf = ({
  allocations,
  amount_mode
}: Pick<Amounts, "allocations" | "amount_mode">): InvalidInput | null => {
  if (allocations.length === 0)
    return invalid("allocations", `allocations must have from 1 to ${Limits.setAllocations} items.`)
  if (allocations.length > Limits.setAllocations) {
    return invalid("allocations", `allocations must have from 1 to ${Limits.setAllocations} items.`)
  }
  const links = new Set<string>()
  for (const [index, { amount_cents, recipient_org_account_link_id }] of allocations.entries()) {
    const param = `allocations[${index}]`
    if (links.has(recipient_org_account_link_id)) {
      return invalid(
        `${param}.recipient_org_account_link_id`,
        "A recipient account has one allocation only. Put its amounts together."
      )
    }
    links.add(recipient_org_account_link_id)
    if (amount_mode === "OPEN" ? amount_cents !== 0 : !(isCents(amount_cents) && amount_cents >= 1)) {
      const wanted = amount_mode === "OPEN" ? "0" : "at least 1"
      return invalid(`${param}.amount_cents`, `amount_cents must be ${wanted} in a set that is ${amount_mode}.`)
    }
  }
  return null
}

const floorViolationOf = ({ allocations, amount_mode, min_total_cents }: Amounts): string | null => {
  if (min_total_cents === null) return null
  const maximum = amount_mode === "FIXED" ? totalCents(allocations) : Number.MAX_SAFE_INTEGER
  if (isCents(min_total_cents) && min_total_cents >= 1 && min_total_cents <= maximum) return null
  return amount_mode === "FIXED"
    ? `min_total_cents must be from 1 to ${maximum}, the total of this FIXED set.`
    : "min_total_cents must be at least 1."
}

/**
 * Whether nobody could ever give as much as a set asks for at the least: more than the largest gift. What a FIXED set comes to is
 * its own. Sets of before stay as they are until their floor is changed.
 */
const isOutOfReach = ({ amount_mode, min_total_cents }: Amounts): boolean =>
  amount_mode !== "FIXED" && min_total_cents !== null && min_total_cents > Limits.donationMaximumCents

/** Whether a set's amounts keep all rules of decisions, section 4: Recommendation sets. */
export const keepsRules = (amounts: Amounts): boolean =>
  allocationViolationOf(amounts) === null && floorViolationOf(amounts) === null

/** The path of the input to blame for a broken rule: of the fields that the rule is about, the first that was given. */
const blamed = (given: Proposal, ...fields: ReadonlyArray<keyof Proposal>): string =>
  fields.find((field) => given[field] !== undefined) ?? fields[0] ?? ""

/**
 * The first rule that a new set breaks, or an existing one (`current`) with a patch; null when all are kept. `param` is
 * the path of the input: of the fields that a rule is about, one that the patch gives. A new `expires_at` must lie in
 * the future, else the set could never be paid. decisions, section 1: Text; section 4: Recommendation sets.
 * @example RecommendationSetRules.violationOf({ name: " " }, at)?.param // => "name"
 */
export const violationOf = (
  given: Proposal,
  now: DateTime.Utc,
  current: (Amounts & { readonly expires_at: DateTime.Utc | null }) | null = null
): InvalidInput | null => {
  if (given.name !== undefined && nameOrNull(given.name) === null) return invalid("name", "name must not be blank.")
  const amounts: Amounts = {
    amount_mode: given.amount_mode ?? current?.amount_mode ?? "FIXED",
    min_total_cents: given.min_total_cents === undefined ? (current?.min_total_cents ?? null) : given.min_total_cents,
    allocations: given.allocations ?? current?.allocations ?? []
  }
  const allocation = allocationViolationOf(amounts)
  if (allocation !== null) {
    return given.allocations !== undefined || current === null
      ? allocation
      : invalid(blamed(given, "amount_mode"), allocation.message)
  }
  const floor = floorViolationOf(amounts)
  if (floor !== null) return invalid(blamed(given, "min_total_cents", "allocations", "amount_mode"), floor)
  const isFloorGiven = given.min_total_cents !== undefined || given.amount_mode !== undefined
  if (isFloorGiven && isOutOfReach(amounts)) {
    return invalid(
      blamed(given, "min_total_cents", "amount_mode"),
      `min_total_cents must be from 1 to ${Limits.donationMaximumCents}, the largest gift.`
    )
  }
  return expiryViolationOf(given.expires_at ?? null, now, current?.expires_at ?? null)
}

const expiryViolationOf = (
  given: DateTime.Utc | null,
  now: DateTime.Utc,
  current: DateTime.Utc | null
): InvalidInput | null => {
  if (given === null || DateTime.isGreaterThan(given, now)) return null
  return current !== null && DateTime.Equivalence(given, current)
    ? null
    : invalid("expires_at", "expires_at must be in the future.")
}

/**
 * The refusal of allocations to links that are not the organisation's active ones: an unknown, foreign or inactive link
 * is malformed input. service-spec, Errors: invalid_request; decisions, section 4: Recommendation sets.
 */
export const linkViolationOf = (
  allocations: ReadonlyArray<Part>,
  isActiveLink: (id: string) => boolean
): MalformedInput | null => {
  const index = allocations.findIndex((each) => !isActiveLink(each.recipient_org_account_link_id))
  return index === -1
    ? null
    : new MalformedInput({
        message: `allocations[${index}].recipient_org_account_link_id must be the id of an active recipient account of this organisation.`
      })
}

/**
 * The first rule that a donor's amounts break; null when all are kept. There is one amount for each allocation of the
 * set in its order, minor units. Amounts of a FIXED set are the set's own; in others, 0 passes a recipient over. The
 * total is at least 1 and the set's `min_total_cents`, and at most the largest gift. service-spec, Recommendation set:
 * amount_mode; service-spec, Limits: Donation amount.
 */
export const amountsViolationOf = (set: Amounts, amounts_cents: ReadonlyArray<number>): InvalidInput | null => {
  if (amounts_cents.length !== set.allocations.length) {
    return invalid("allocations", `allocations must be the ${set.allocations.length} of the set.`)
  }
  for (const [index, amount_cents] of amounts_cents.entries()) {
    const asked = set.allocations[index]?.amount_cents
    if (!Number.isInteger(amount_cents) || amount_cents < 0) {
      return invalid(`allocations[${index}].amount_cents`, "amount_cents must be a whole number of at least 0.")
    }
    if (set.amount_mode === "FIXED" && amount_cents !== asked) {
      return invalid(`allocations[${index}].amount_cents`, `amount_cents must be ${asked} in a set that is FIXED.`)
    }
  }
  const total = amounts_cents.reduce((sum, amount) => sum + amount, 0)
  if (total > Limits.donationMaximumCents) {
    return invalid("total_amount_cents", `The total must be at most ${Limits.donationMaximumCents}.`)
  }
  const least = set.min_total_cents ?? 1
  return total < least ? invalid("total_amount_cents", `The total must be at least ${least}.`) : null
}
