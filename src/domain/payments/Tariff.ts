import { DateTime, Schema } from "effect"
import { Plan } from "../access/Plan.ts"
import { Limits } from "../kernel/Limits.ts"
import { Instant, Timestamp } from "../kernel/Timestamp.ts"
import { noRate, Rate } from "./Fees.ts"

const meanings = {
  plan: "The plan of the organisations that pay it.",
  effective_from: "When it begins to apply.",
  basis_points: "The share of a payment, in hundredths of a percent.",
  fixed_cents: "The fixed amount of each payment, in minor units of its currency."
}

/**
 * The platform's rate for organisations of a plan, from an instant on until a later one of the same plan. The operator sets
 * it for the whole installation; charges keep the rate of their time. money, section 5.
 */
export class Tariff extends Schema.Opaque<Tariff>()(
  Schema.Struct({
    plan: Plan,
    /** Of one plan, no two begin at the same instant. */
    effective_from: Instant,
    ...Rate.fields,
    created_at: Instant
  }).annotate({ identifier: "Tariff", meanings })
) {}

/** The input of a tariff; it begins now when nothing else is said. */
export const NewTariff = Schema.Struct({
  plan: Plan,
  effective_from: Schema.optionalKey(Schema.NullOr(Timestamp)),
  basis_points: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
  fixed_cents: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.donationMaximumCents }))
}).annotate({
  identifier: "NewTariff",
  meanings: { ...meanings, effective_from: "When it begins to apply; now when not given." }
})
export type NewTariff = typeof NewTariff.Type

/** The rate of a plan at an instant: 0 where none is set. money, section 5. */
export const rateAt = (tariffs: Iterable<Tariff>, plan: Plan, at: DateTime.Utc): Rate => {
  let latest: Tariff | undefined
  for (const tariff of tariffs) {
    if (tariff.plan !== plan || DateTime.isGreaterThan(tariff.effective_from, at)) continue
    if (latest === undefined || DateTime.isGreaterThan(tariff.effective_from, latest.effective_from)) latest = tariff
  }
  return latest === undefined ? noRate : { basis_points: latest.basis_points, fixed_cents: latest.fixed_cents }
}
