import { Schema } from "effect"
import { Plan } from "../access/Plan.ts"
import { Limits } from "../kernel/Limits.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** The input of a tariff; it begins now when nothing else is said. */
export const NewTariff = Schema.Struct({
  plan: Plan,
  effective_from: Schema.optionalKey(Schema.NullOr(Timestamp)),
  basis_points: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
  fixed_cents: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.donationMaximumCents }))
}).annotate({
  identifier: "NewTariff",
  meanings: {
    plan: "The plan of the organisations that pay it.",
    effective_from: "When it begins to apply; now when not given.",
    basis_points: "The share of a payment, in hundredths of a percent.",
    fixed_cents: "The fixed amount of each payment, in minor units of its currency."
  }
})
export type NewTariff = typeof NewTariff.Type
