/**
 * Mutation testing of src/domain: `node scripts/mutation.mjs [file …]`. Changes the sources in one place at a time and
 * asks whether a test of test/domain or test/laws notices, or an example of a docstring. Prints the score of each file and
 * the survivors, and exits with 1 below 90 %. Without files it takes all of them and writes docs/mutation.md. What was
 * noticed before is believed as long as the test that did is as it was (.cache/mutation.json). While a test is written,
 * MUTATION_TESTS=text asks only the test files whose paths have the text.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { basename, join } from "node:path"
import { root } from "./mutation/bundles.mjs"
import { MutantCache } from "./mutation/cache.mjs"
import { mutantsOf, schemataOf } from "./mutation/mutants.mjs"
import { Worker } from "./mutation/pool.mjs"
import { changeOf, markdownOf, scoresOf } from "./mutation/report.mjs"

const LEAST_PERCENT = 90

/** How many processes run mutants: as many as there are cores up to four, or what the environment says. */
const workers = Number(process.env.MUTATION_WORKERS ?? Math.min(4, availableParallelism()))

const asked = process.env.MUTATION_TESTS ?? ""

/** Numbers and words: the printed reference docs/limits.md fails when these change. */
const PRINTED = new Set(
  ["Limits", "LimitFacts", "LimitSection", "PageLimits"].map((name) => `src/domain/kernel/${name}.ts`)
)

/** Those that check that mutants are caught say nothing about the sources; that of the models asks all of the use cases. */
const NOT_ASKED = new Set([
  "test/laws/mutants.slow.test.ts",
  "test/laws/MutantKit.slow.test.ts",
  "test/laws/independentMutants.slow.test.ts",
  "test/laws/mutationReport.slow.test.ts",
  "test/laws/models.slow.test.ts"
])

/** The examples of docstrings, each a test that is named by its file. */
const EXAMPLES = "test/docs/domainExamples.test.ts"

/** The suites that speak of many machines at once; the other files of test/laws hold the test kit to its word. */
const SUITES = new Set(["contract", "machines", "suites"].map((name) => `test/laws/${name}.test.ts`))

/** Files that remember what they found, and what they find it with: a mutant of theirs has every file evaluated anew. */
const REMEMBERED = /^src\/domain\/(?:kernel|outbox|access\/(?:Cidr|IpAddress))/

const say = (line) => process.stdout.write(`${line}\n`)

const listed = (folder, ending) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => `${folder}/${name}`)

const findMutants = (files) => {
  const mutants = []
  const schemata = new Map()
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8")
    const own = mutantsOf(file, text, mutants.length + 1)
    schemata.set(file, schemataOf(text, own))
    mutants.push(...own)
  }
  return { mutants, schemata }
}

/** Each test file once without any mutant: its tests, what they take and what they reach. */
const measure = async (testFiles, schemata, folder) => {
  const worker = new Worker()
  const measured = []
  try {
    for (const file of testFiles) {
      const result = await worker.ask({ collect: file, schemata: [...schemata], folder }, 300_000)
      if (result.tests === undefined) throw new Error(`${file}: ${result.by}`)
      for (const { failure, name } of result.tests) {
        if (failure !== null) say(`Not asked: ${file}: ${name}: ${failure}`)
      }
      measured.push({
        ...result,
        atStart: new Set(result.atStart),
        tests: result.tests
          .filter(({ failure }) => failure === null)
          .map((test) => ({ ...test, reached: new Set(test.reached) }))
      })
    }
  } finally {
    worker.stop()
  }
  return measured
}

const isOwn = (mutant, testFile) => basename(testFile) === basename(mutant.file).replace(/\.ts$/, ".test.ts")

/**
 * The tests that can notice a mutant, those of its own file first, then those of who imports it, each the quickest first: those
 * that reach it; for one that is reached when the file is loaded, all tests of the files that import it, and the examples of its
 * own file.
 */
const testsFor = (mutant, measured) =>
  measured
    .flatMap(({ atStart, direct, evaluation, file, tests }) => {
      const own = isOwn(mutant, file)
      const loads = atStart.has(mutant.id) && (own || direct.includes(mutant.file) || SUITES.has(file))
      return tests
        .filter(
          ({ name, reached }) =>
            loads || reached.has(mutant.id) || (atStart.has(mutant.id) && name.startsWith(`${mutant.file}: `))
        )
        .map(({ index, millis, name }) => ({
          file,
          index,
          by: `${file}: ${name}`,
          distance: own ? 0 : direct.includes(mutant.file) ? 1 : 2,
          millis: evaluation + millis
        }))
    })
    .sort((one, other) => one.distance - other.distance || one.millis - other.millis)

const judge = async (mutants, measured) => {
  const prepare = { bundles: measured.map(({ file, packages, path }) => ({ file, packages, path })) }
  const remembered = new MutantCache(measured)
  const outcomes = new Map()
  for (const mutant of mutants) {
    const by = remembered.find(mutant)
    if (by !== undefined) outcomes.set(mutant.id, by)
  }
  say(`${outcomes.size} were noticed before, by tests that are as they were`)
  const queue = mutants
    .filter(({ id }) => !outcomes.has(id))
    .map((mutant) => ({ mutant, tests: testsFor(mutant, measured) }))
  /** The test that noticed the mutant before, by its file: it is likely to notice the next one, too. */
  const noticing = new Map()
  const work = async () => {
    const worker = new Worker(prepare)
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { mutant, tests } = next
        const fresh = measured
          .filter(({ atStart }) => REMEMBERED.test(mutant.file) || atStart.has(mutant.id))
          .map(({ file }) => file)
        const likely = tests.filter(({ by }) => by === noticing.get(mutant.file))
        const ask = { mutant: mutant.id, tests: [...likely, ...tests.filter((test) => !likely.includes(test))], fresh }
        const { by } = tests.length === 0 ? { by: null } : await worker.ask(ask, 10_000)
        outcomes.set(mutant.id, by)
        if (by === null) say(`Not noticed: ${mutant.file}:${mutant.line}: ${changeOf(mutant)}`)
        else {
          remembered.add(mutant, by)
          noticing.set(mutant.file, by)
        }
        if (outcomes.size % 250 !== 0) continue
        say(`${outcomes.size} of ${mutants.length}`)
        remembered.write()
      }
    } finally {
      worker.stop()
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  remembered.write()
  return outcomes
}

/** Which test notices each mutant, or null. */
const outcomesOf = async (mutants, testFiles, schemata) => {
  const folder = mkdtempSync(join(tmpdir(), "almoner-mutation-"))
  try {
    return await judge(mutants, await measure(testFiles, schemata, folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const REPORT = join(root, "docs/mutation.md")

/** The sections about the machines, which others write; they stand last. */
const machinesSections = () => {
  const document = readFileSync(REPORT, "utf8")
  const start = document.indexOf("\n## Machines")
  return start === -1 ? "" : document.slice(start)
}

const main = async (given) => {
  const files = (given.length === 0 ? listed("src/domain", ".ts") : given).filter((file) => !PRINTED.has(file))
  const testFiles = [...listed("test/domain", ".test.ts"), ...listed("test/laws", ".test.ts"), EXAMPLES].filter(
    (file) => !NOT_ASKED.has(file) && file.includes(asked)
  )
  const { mutants, schemata } = findMutants(files)
  say(`${mutants.length} mutants of ${files.length} files`)
  const outcomes = await outcomesOf(mutants, testFiles, schemata)
  const accepted = JSON.parse(readFileSync(join(root, "scripts/mutation/accepted.json"), "utf8"))
  const scores = scoresOf(mutants, outcomes, accepted)
  say(markdownOf(scores))
  if (given.length === 0) writeFileSync(REPORT, markdownOf(scores) + machinesSections())
  if (scores.percent < LEAST_PERCENT) process.exitCode = 1
}

await main(process.argv.slice(2))
