import { type DateTime, Effect } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { rateAt } from "../../../domain/payments/Tariff.ts"
import { TariffStore } from "../../../ports/payments/TariffStore.ts"

/** The lookup of the platform's fees. money, section 5. */
export const makePlatformFeeLookup = Effect.map(TariffStore, (tariffs) => ({
  /** The rate of an organisation's plan at an instant, which a charge keeps. */
  of: ({ plan }: Organisation, at: DateTime.Utc) => Effect.map(tariffs.all, (all) => rateAt(all, plan, at))
}))
