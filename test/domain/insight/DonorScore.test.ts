import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Play } from "../../../src/domain/insight/DonorScore.ts"

it("the next step with a donor is to ask for more, to keep, or to win back, and no other", () => {
  for (const play of ["upgrade", "retain", "reactivate"]) assert.isTrue(Schema.is(Play)(play))
  for (const play of ["", "UPGRADE", "forget"]) assert.isFalse(Schema.is(Play)(play))
})
