import { assert } from "@effect/vitest"
import { withLayer } from "../support/Steps.ts"
import { almoner, newOrganisation, world } from "./CommandWorld.ts"

withLayer(world)("a transfer or reversal by hand", ({ effect }) => {
  effect("is named by an id of either, and an id that cannot be is one that is not there", function* () {
    yield* newOrganisation("harbour")
    for (const how of ["settle", "fail"]) {
      for (const id of ["trf_1", "rvs_1", "chg_01jqz6x8h4e5vb9m2k7ncw3t5d"]) {
        const { failure } = yield* almoner("transfer", how, id, "--organisation", "harbour-sandbox")
        assert.strictEqual(failure, "There is no transfer of this id.")
      }
    }
  })
})
