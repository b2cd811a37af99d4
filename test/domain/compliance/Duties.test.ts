import { describe, it } from "@effect/vitest"
import { holdYears } from "./DonorYears.ts"

describe("the duties of a donor's year", () => {
  it("are those of the law, each on its day: none is missed, none late, none beside", () => holdYears(500))
})
