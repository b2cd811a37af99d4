import { Effect } from "effect"
import fc from "fast-check"
import { plans } from "../../domain/access/Plan.ts"
import type { Tariff } from "../../domain/payments/Tariff.ts"
import { TariffStore } from "../../ports/payments/TariffStore.ts"
import * as Generators from "../Generators.ts"
import { at } from "./Records.ts"
import { type Check, check, forAll, runsOf, same, type Thoroughness } from "./Suite.ts"

const draft = fc.tuple(Generators.tariff, fc.nat(3).map(at)).map(([tariff, effective_from]) => ({
  ...tariff,
  effective_from
}))

const keyOf = ({ effective_from, plan }: Tariff): string => `${plan} ${effective_from.epochMilliseconds}`

/** The laws of {@link TariffStore}. Others of the same plans may be in it, set for other instants. */
export const tariffs = (given: Thoroughness = {}): ReadonlyArray<Check<TariffStore>> => [
  check(
    "tariffs are read back as they were set last, the plans in order and the latest of each first",
    ["TariffStore.set MUST take the place of the one of the same plan that begins at the same instant"],
    () => {
      const known = new Map<string, Tariff>()
      return forAll(
        runsOf(given),
        draft,
        Effect.fnUntraced(function* (tariff) {
          const store = yield* TariffStore
          yield* store.set(tariff)
          known.set(keyOf(tariff), tariff)
          const ours = (yield* store.all).filter((each) => known.has(keyOf(each)))
          const expected = plans.flatMap((plan) =>
            [3, 2, 1, 0].flatMap((second) => known.get(`${plan} ${at(second).epochMilliseconds}`) ?? [])
          )
          same(ours, expected)
        })
      )
    }
  )
]
