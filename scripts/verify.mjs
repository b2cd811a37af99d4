/**
 * The long run: `npm run verify`. Checks, the suite on this Node with many hostile requests, histories, crashes and
 * stops, a kill at every failpoint (`npm run crash`), the suite on a current Node, the mounts in frameworks and
 * runtimes, each figure of the benchmark for a moment, and the faults of `npm run chaos`. Every part runs, whatever came
 * of those before it; what each took and how it ended is printed at the end, and the exit status is 0 only when all of
 * them passed. `node scripts/verify.mjs check suite` runs the parts that are named.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** How much of each kind of generated input the suite tries here; alone it tries little. */
const deep = { HOSTILE_REQUESTS: "50000", ROUNDS: "6", HISTORIES: "10000" }

const parts = [
  { name: "check", script: "check" },
  { name: "suite", script: "test", env: deep },
  { name: "crash", script: "crash" },
  { name: "current", script: "test:current" },
  { name: "generators", script: "generators" },
  { name: "mounts", script: "mounts" },
  { name: "bench", script: "bench", words: ["--brief"] },
  { name: "chaos", script: "chaos" }
].filter(({ script }) => script in scripts)

/** What all of it is to end within, minutes. */
const promisedMinutes = 120

const say = (line) => process.stdout.write(`${line}\n`)

const minutes = (millis) => `${Math.floor(millis / 60_000)} min ${Math.round((millis % 60_000) / 1_000)} s`

let child
let interrupted = false
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    interrupted = true
    child?.kill(signal)
  })
}

/** Runs a script of package.json to its end, and answers whether it passed. */
const passes = ({ env, script, words = [] }) =>
  new Promise((resolve) => {
    child = spawn("npm", ["run", script, "--", ...words], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...env }
    })
    child.once("error", () => resolve(false)).once("close", (status) => resolve(status === 0))
  })

const named = process.argv.slice(2)
const unknown = named.filter((name) => !parts.some((part) => part.name === name))
if (unknown.length > 0) {
  say(`There is no part ${unknown.join(", ")}; there are ${parts.map(({ name }) => name).join(", ")}.`)
  process.exit(2)
}

const began = performance.now()
const outcomes = []
for (const part of parts) {
  if (interrupted || (named.length > 0 && !named.includes(part.name))) continue
  say(`\n== ${part.name}: npm run ${part.script}`)
  const since = performance.now()
  const passed = await passes(part)
  outcomes.push({ ...part, passed, millis: performance.now() - since })
}
const total = performance.now() - began

say("")
for (const { millis, name, passed } of outcomes) {
  say(`${name.padEnd(8)} ${minutes(millis).padStart(12)}  ${passed ? "passed" : "failed"}`)
}
say(`${"all".padEnd(8)} ${minutes(total).padStart(12)}`)
if (total > promisedMinutes * 60_000) say(`It took longer than ${promisedMinutes} minutes.`)
process.exitCode = !interrupted && outcomes.every(({ passed }) => passed) ? 0 : 1
