import { assert, it } from "@effect/vitest"
import { failpoints } from "./Failpoints.ts"

it("the lives of gifts end as they say where nobody is stopped, and pass hundreds of points on their way", async () => {
  assert.isAbove((await failpoints()).length, 500)
})
