import { DateTime, Effect, HashMap, Layer } from "effect"
import { plans } from "../../../domain/access/Plan.ts"
import type { Tariff } from "../../../domain/payments/Tariff.ts"
import { TariffStore } from "../../../ports/payments/TariffStore.ts"
import { Memory } from "../Memory.ts"

const beginMillis = ({ effective_from }: Tariff): number => DateTime.toEpochMillis(effective_from)

const inOrder = (a: Tariff, b: Tariff): number =>
  plans.indexOf(a.plan) - plans.indexOf(b.plan) || beginMillis(b) - beginMillis(a)

/** Tariffs in memory. */
export const layer = Layer.effect(
  TariffStore,
  Effect.map(Memory, (memory) =>
    TariffStore.of({
      set: (tariff) =>
        memory.change((state) => ({
          ...state,
          tariffs: HashMap.set(state.tariffs, `${tariff.plan} ${beginMillis(tariff)}`, tariff)
        })),
      all: memory.read((state) => HashMap.toValues(state.tariffs).toSorted(inOrder))
    })
  )
)
