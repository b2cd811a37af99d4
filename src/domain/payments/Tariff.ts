import { DateTime, Schema } from "effect"
import { Plan } from "../access/Plan.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { noRate, Rate } from "./Fees.ts"

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
  }).annotate({
    identifier: "Tariff",
    meanings: {
      plan: "The plan of the organisations that pay it.",
      effective_from: "When it begins to apply.",
      basis_points: "The share of a payment, in hundredths of a percent.",
      fixed_cents: "The fixed amount of each payment, in minor units of its currency."
    }
  })
) {}

/** The rate of a plan at an instant: 0 where none is set. money, section 5. */
export const rateAt = (tariffs: Iterable<Tariff>, plan: Plan, at: DateTime.Utc): Rate => {
  let latest: Tariff | undefined
  for (const tariff of tariffs) {
    if (tariff.plan !== plan || DateTime.isGreaterThan(tariff.effective_from, at)) continue
    if (latest === undefined || DateTime.isGreaterThan(tariff.effective_from, latest.effective_from)) latest = tariff
  }
  return latest === undefined ? noRate : { basis_points: latest.basis_points, fixed_cents: latest.fixed_cents }
}
