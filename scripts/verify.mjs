/**
 * The long runs, by parts: `npm run verify` is all of them in full, and `.ci/run` a share of each (`--short`). What a part
 * tries no other tries again. Every part runs, whatever came of those before it; at the end it prints what each took and
 * how it ended, which tests failed, and how many passed and failed: a part that fails without a test that does counts as one failure.
 * `node scripts/verify.mjs check rest` runs the parts that are named. `npm run bench` and `npm run chaos` are by themselves.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** A run of projects of vitest.config.ts. */
const projects = (...names) => ["exec", "--", "vitest", "run", ...names.map((name) => `--project=${name}`)]

const isShort = process.argv.includes("--short")

/** How much of each kind of generated input the quick tests and the slow ones try. */
const deep = isShort ? {} : { HOSTILE_REQUESTS: "50000", ROUNDS: "6" }

const parts = [
  { name: "check", npm: ["run", "check"] },
  { name: "quick", npm: ["test"], env: deep },
  { name: "rest", npm: ["run", "test:rest"], env: deep },
  // A process is killed with SIGKILL at points of a gift's life, and after each it is made good. docs/decisions/0062.
  { name: "failpoints", npm: projects("failpoints"), env: { FAILPOINTS: isShort ? "40" : "all" } },
  { name: "histories", npm: projects("histories"), env: { HISTORIES: isShort ? "1000" : "10000" } },
  // The laws of the test kit are asked about each mutant of each machine. docs/mutation.md.
  { name: "mutants", npm: projects("mutants"), env: isShort ? {} : { MUTANTS: "all" } },
  { name: "current", npm: ["run", "test:current"] },
  { name: "mounts", npm: ["run", "mounts"] },
  // Each client generator is installed anew.
  ...(isShort ? [] : [{ name: "generators", npm: ["run", "generators"] }]),
  { name: "additions", npm: ["run", "additions"] }
]

/** What they are to end within, minutes. */
const promisedMinutes = isShort ? 60 : 120

const say = (line) => process.stdout.write(`${line}\n`)

const minutes = (millis) => `${Math.floor(millis / 60_000)} min ${Math.floor((millis % 60_000) / 1_000)} s`

let child
let interrupted = false
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    interrupted = true
    child?.kill(signal)
  })
}

/** Runs npm to its end, and answers whether it passed. */
const passes = (words, env) =>
  new Promise((resolve) => {
    child = spawn("npm", words, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } })
    child.once("error", () => resolve(false)).once("close", (status) => resolve(status === 0))
  })

/** Runs a part, and answers how many of its tests passed and failed: its run writes them to a file. */
async function outcomeOf({ env, npm }) {
  const folder = mkdtempSync(join(tmpdir(), "almoner-verify-"))
  const results = join(folder, "results.json")
  try {
    const since = performance.now()
    const passed = await passes(npm, { ...env, RESULTS: results })
    const millis = performance.now() - since
    if (!existsSync(results)) return { passed: 0, failed: passed ? 0 : 1, millis }
    const counted = JSON.parse(readFileSync(results, "utf8"))
    return { ...counted, failed: passed ? counted.failed : Math.max(1, counted.failed), millis }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const named = process.argv.slice(2).filter((word) => word !== "--short")
const unknown = named.filter((name) => !parts.some((part) => part.name === name))
if (unknown.length > 0) {
  say(`There is no part ${unknown.join(", ")}; there are ${parts.map(({ name }) => name).join(", ")}.`)
  process.exit(2)
}

const outcomes = []
for (const part of parts) {
  if (interrupted || (named.length > 0 && !named.includes(part.name))) continue
  say(`\n== ${part.name}: npm ${part.npm.join(" ")}`)
  outcomes.push({ name: part.name, ...(await outcomeOf(part)) })
}

for (const { name, told = [] } of outcomes) for (const one of told) say(`FAILED in ${name}: ${one}`)
say("")
const all = { name: "all", passed: 0, failed: interrupted ? 1 : 0, millis: 0 }
for (const { failed, millis, passed } of outcomes) {
  all.passed += passed
  all.failed += failed
  all.millis += millis
}
for (const { failed, millis, name, passed } of [...outcomes, all]) {
  const counted = passed + failed > 0 ? `${passed} passed, ${failed} failed` : "passed"
  say(`${name.padEnd(10)} ${minutes(millis).padStart(13)}  ${counted}`)
}
if (all.millis > promisedMinutes * 60_000) say(`It took longer than ${promisedMinutes} minutes.`)
say(`${all.passed} passed, ${all.failed} failed`)
process.exitCode = all.failed === 0 ? 0 : 1
