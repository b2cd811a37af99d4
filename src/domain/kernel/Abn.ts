import { Schema } from "effect"
import { noLongerThan } from "./Length.ts"

const weights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]

/**
 * Whether eleven digits are an Australian Business Number: one less in the first of them, their weighted sum is a multiple of 89,
 * as the Australian Business Register says.
 * @example Abn.isAbn("51824753556") // => true
 */
export const isAbn = (text: string): boolean =>
  /^[1-9]\d{10}$/.test(text) &&
  weights.reduce((sum, weight, index) => sum + weight * Number(text[index]), -10) % 89 === 0

const expected = "an ABN: 11 digits without spaces, of which the first two check the others"

/** An Australian Business Number whose digits check each other. */
export const Abn = Schema.String.check(
  noLongerThan(weights.length, expected),
  Schema.makeFilter(isAbn, { expected, description: "an ABN of 11 digits" })
)

/**
 * An ABN as people write it, in groups that stay on one line.
 * @example Abn.spacedAbn("51824753556") // => "51\u00a0824\u00a0753\u00a0556"
 */
export const spacedAbn = (abn: string): string => abn.replace(/^(..)(...)(...)(...)$/, "$1\u00a0$2\u00a0$3\u00a0$4")
