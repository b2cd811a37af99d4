/** A row of the benchmark's result for each figure. */
import { plain, quantity } from "../harness/Table.mjs"

/** What is told of a figure. */
export const columns = ["figure", "ours", "baseline", "ratio", "goal"]

/** A row that compares two numbers of one unit; `null` stands for what was not measured. */
export const row = (figure, unit, ours, baseline, goal = null) => ({
  figure,
  ours: quantity(ours, unit),
  baseline: quantity(baseline, unit),
  ratio: ours === null || baseline === null ? "–" : plain(ours / baseline),
  goal: goal ?? "–"
})
