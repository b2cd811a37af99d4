/**
 * `npm run chaos -- [--only a,b] [--size 1] [--processes 3]`: inflicts faults on running processes of the service and
 * holds what came of it against the promises. Prints a table, writes it to chaos/results.md when every fault was tried at
 * full size, and ends with 1 when a promise was broken.
 */
import { writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { startPostgres } from "../harness/Postgres.mjs"
import { machine, table } from "../harness/Table.mjs"
import { faults } from "./faults.mjs"
import { brokenPromises, columns, rowOf, rowWithout } from "./Verdict.mjs"

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: Object.keys(faults).join(",") },
    size: { type: "string", default: "1" },
    processes: { type: "string", default: "3" }
  }
})

const chosen = options.only.split(",")
const unknown = chosen.filter((name) => !(name in faults))
if (unknown.length > 0) throw new Error(`unknown faults: ${unknown}; known are ${Object.keys(faults)}`)

const context = { size: Number(options.size), processes: Number(options.processes) }
const outcomes = new Map()

async function attempt(name, postgres) {
  const fault = faults[name]
  const why = fault.whyNot?.() ?? null
  if (why !== null) {
    outcomes.set(name, { row: rowWithout(fault, why), notes: [], broken: [] })
    return
  }
  const start = performance.now()
  process.stderr.write(`${name} …\n`)
  const result = await fault.run({ ...context, postgres }).catch((error) => {
    outcomes.set(name, { row: rowWithout(fault, "it failed"), notes: [], broken: [String(error?.message ?? error)] })
    process.stderr.write(`${name}: ${error?.stack ?? error}\n`)
  })
  if (result === undefined) return
  const broken = brokenPromises(fault, result)
  outcomes.set(name, { row: rowOf(fault, result, broken), notes: result.notes, broken })
  const took = ((performance.now() - start) / 1_000).toFixed(0)
  process.stderr.write(`${name}: ${broken.length === 0 ? "holds" : `BROKEN (${broken.join("; ")})`}, ${took} s\n`)
}

const start = performance.now()
const postgres = await startPostgres({ flags: ["-c", "max_connections=300"] })
let facts
try {
  facts = machine(await postgres.settings())
  await Promise.all(chosen.filter((name) => faults[name].isQuiet).map((name) => attempt(name, postgres)))
  for (const name of chosen.filter((each) => !faults[each].isQuiet)) await attempt(name, postgres)
} finally {
  await postgres.stop()
}

const details = chosen.flatMap((name) => {
  const { broken, notes } = outcomes.get(name)
  const lines = [...notes, ...broken.map((promise) => `**${promise}**`)]
  return lines.length === 0 ? [] : [`- ${faults[name].title}: ${lines.join("; ")}.`]
})

const result = `# Faults

${table(
  columns,
  chosen.map((name) => outcomes.get(name).row)
)}

${details.join("\n")}

Size ${context.size}, ${context.processes} processes; it took ${((performance.now() - start) / 60_000).toFixed(1)} minutes. Load, receivers, database and processes shared the machine.

${facts.map((fact) => `- ${fact}`).join("\n")}
- ${new Date().toISOString().slice(0, 10)}
`

process.stdout.write(`\n${result}`)
const isComplete = context.size >= 1 && chosen.length === Object.keys(faults).length
if (isComplete) await writeFile(new URL("results.md", import.meta.url), result)
process.exit([...outcomes.values()].some(({ broken }) => broken.length > 0) ? 1 : 0)
