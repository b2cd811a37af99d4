/** The printed result: one row for each figure. */
import { availableParallelism, cpus, totalmem } from "node:os"

const columns = ["figure", "ours", "baseline", "ratio", "goal"]

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })
const fine = new Intl.NumberFormat("en", { maximumFractionDigits: 2 })

/** A number with its unit: whole from 100 on, with two decimals below. */
export const quantity = (value, unit) =>
  value === null || Number.isNaN(value) ? "–" : `${(Math.abs(value) < 100 ? fine : whole).format(value)} ${unit}`

/** A row that compares two numbers of one unit; `null` stands for what was not measured. */
export const row = (figure, unit, ours, baseline, goal = null) => ({
  figure,
  ours: quantity(ours, unit),
  baseline: quantity(baseline, unit),
  ratio: ours === null || baseline === null ? "–" : fine.format(ours / baseline),
  goal: goal ?? "–"
})

/** The rows as a Markdown table whose columns line up as plain text, too. */
export function table(rows) {
  const cells = [columns, ...rows.map((line) => columns.map((column) => line[column]))]
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column].length)))
  const print = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`
  return [print(cells[0]), rule, ...cells.slice(1).map(print)].join("\n")
}

/** The facts that a figure means nothing without. */
export const machine = (postgres) => [
  `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${fine.format(totalmem() / 2 ** 30)} GB`,
  `Node ${process.versions.node}, ${process.platform} ${process.arch}`,
  `PostgreSQL ${postgres.version}, fsync ${postgres.fsync}, synchronous_commit ${postgres.synchronous_commit}`
]
