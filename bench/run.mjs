/**
 * The benchmark: `npm run bench -- [--only a,b] [--seconds 10] [--rounds 3] [--gifts 1000000] [--donors 200000]
 * [--pending 100000] [--renewals 100000] [--baselines] [--brief]`.
 * Prints a table and, when every figure was measured, writes it to bench/results.md; one that fails is told, and the others
 * go on. With `--baselines` the service itself is left out. With `--brief` each figure is taken for a moment and of little,
 * which says that it can be taken, and nothing is written.
 */
import { writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { startPostgres } from "../harness/Postgres.mjs"
import { machine, table } from "../harness/Table.mjs"
import { install } from "./Autocannon.mjs"
import { donorPages } from "./donorPages.mjs"
import * as fairness from "./fairness.mjs"
import * as figures from "./figures.mjs"
import { mailWaits } from "./mails.mjs"
import * as money from "./money.mjs"
import { queueTime } from "./queueTime.mjs"
import { columns } from "./Row.mjs"
import { renewalsDue } from "./renewals.mjs"
import * as surface from "./surface.mjs"

const figureOf = {
  a: figures.whoami,
  b: figures.donations,
  c: figures.embedded,
  d: figures.commitToReceipt,
  e: figures.deliveries,
  f: figures.pages,
  g: surface.filteredLists,
  h: surface.patches,
  i: surface.sets,
  j: surface.donorSearch,
  k: queueTime,
  l: fairness.besideHanging,
  m: fairness.besideBacklog,
  n: money.settledGifts,
  o: money.acceptedNotices,
  p: money.besideSettling,
  q: renewalsDue,
  r: donorPages,
  s: mailWaits
}

const whole = { seconds: "10", rounds: "3", gifts: "1000000", donors: "200000", pending: "100000", renewals: "100000" }
const brief = { seconds: "1", rounds: "1", gifts: "2000", donors: "3000", pending: "2000", renewals: "100" }

const { values: given } = parseArgs({
  options: {
    only: { type: "string", default: Object.keys(figureOf).join(",") },
    ...Object.fromEntries(Object.keys(whole).map((name) => [name, { type: "string" }])),
    baselines: { type: "boolean", default: false },
    brief: { type: "boolean", default: false }
  }
})
const options = { ...(given.brief ? brief : whole), ...given }

const chosen = options.only.split(",")
const unknown = chosen.filter((name) => !(name in figureOf))
if (unknown.length > 0) throw new Error(`unknown figures: ${unknown}`)

install()
const postgres = await startPostgres()
const rows = []
const failed = []
let facts
try {
  facts = machine(await postgres.settings())
  const context = {
    postgres,
    seconds: Number(options.seconds),
    rounds: Number(options.rounds),
    gifts: Number(options.gifts),
    donors: Number(options.donors),
    pending: Number(options.pending),
    renewals: Number(options.renewals),
    ours: !options.baselines
  }
  for (const name of chosen) {
    process.stderr.write(`measuring (${name}) …\n`)
    try {
      rows.push(...(await figureOf[name](context)))
    } catch (error) {
      failed.push(name)
      console.error(`(${name}) failed:`, error)
    }
  }
} finally {
  await postgres.stop()
}

const result = `# Benchmark

${table(columns, rows)}

Rates are medians of ${options.rounds} rounds of ${options.seconds} s with 32 connections; the services took turns in each round. Service,
load generator, receiver and database shared the machine.

${facts.map((fact) => `- ${fact}`).join("\n")}
- ${new Date().toISOString().slice(0, 10)}
`

process.stdout.write(`\n${result}`)
const isWhole = !options.baselines && !options.brief && chosen.length === Object.keys(figureOf).length
if (failed.length > 0) console.error(`\nNot measured: ${failed.join(", ")}`)
else if (isWhole) await writeFile(new URL("results.md", import.meta.url), result)
process.exit(failed.length > 0 ? 1 : 0)
