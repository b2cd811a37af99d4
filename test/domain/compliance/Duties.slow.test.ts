import { describe, it } from "@effect/vitest"
import { holdYears } from "./DonorYears.ts"

describe("the duties of ten thousand random years", () => {
  it("are those of the law, each on its day", () => holdYears(10_000))
})
