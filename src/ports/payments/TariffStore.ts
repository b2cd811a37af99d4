import type { Effect } from "effect"
import { Context } from "effect"
import type { Tariff } from "../../domain/payments/Tariff.ts"

/** Keeps what the platform costs, for the whole installation. Operators set it. */
export class TariffStore extends Context.Service<
  TariffStore,
  {
    /** MUST take the place of the one of the same plan that begins at the same instant. */
    set(tariff: Tariff): Effect.Effect<void>
    /** All of them, the plans in order, and of each plan the latest first. */
    readonly all: Effect.Effect<ReadonlyArray<Tariff>>
  }
>()("almoner/ports/TariffStore") {}
