import { assert, describe, it } from "@effect/vitest"
import { failpoints } from "./Failpoints.ts"

describe("the lives of gifts", () => {
  it("end as they say where nobody is stopped, and pass hundreds of points on their way", async () => {
    assert.isAbove((await failpoints()).length, 500)
  })
})
