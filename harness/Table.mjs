/** Printed results: Markdown tables whose columns line up as plain text, too. */
import { availableParallelism, cpus, totalmem } from "node:os"

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })
const fine = new Intl.NumberFormat("en", { maximumFractionDigits: 2 })

/** A number without a unit, with two decimals at most. */
export const plain = (value) => fine.format(value)

/** A number with its unit: whole from 100 on, with two decimals below. */
export const quantity = (value, unit) =>
  value === null || Number.isNaN(value) ? "–" : `${(Math.abs(value) < 100 ? fine : whole).format(value)} ${unit}`

/** Rows, which have a text for each column, as a table. */
export function table(columns, rows) {
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
