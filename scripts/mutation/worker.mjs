/**
 * Runs tests of bundled test files with one mutant switched on. Answers `{ tests }` to `{ collect: file }`: each test with
 * its time and the mutants that it reaches; and `{ by }` to `{ mutant, tests, fresh }`: the test that failed, or null.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import vm from "node:vm"
import fc from "fast-check"
import { bundleOf, root } from "./bundles.mjs"
import * as vitest from "./vitest.mjs"

// The same cases each time; a mutant is killed by the first case that fails, and no simpler one is looked for.
fc.configureGlobal({ seed: 20_260_101, endOnFailure: true })

let active = 0
/** By the id of a mutant, whether its place was reached. */
const reached = new Uint8Array(1 << 16)
const reachedIds = () => {
  const ids = []
  for (let id = reached.indexOf(1); id !== -1; id = reached.indexOf(1, id + 1)) ids.push(id)
  return ids
}

globalThis.__mutant = (id) => {
  if (active === 0) reached[id] = 1
  return id === active
}

const loaded = new Map([
  ["vitest", vitest],
  ["@effect/vitest", vitest]
])

const scripts = new Map()

/** What a test file is made of: as long as that is the same, it notices the same. */
const hashOf = (inputs) => {
  const hash = createHash("sha256")
  for (const path of inputs.toSorted())
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(root, path)))
      .update("\0")
  return hash.digest("hex")
}

/** Makes the bundle of a test file in a folder, where every process that runs mutants finds it. */
const bundle = async (file, schemata, folder) => {
  const { direct, inputs, packages, text } = await bundleOf(file, schemata)
  const path = join(folder, `${file.replaceAll("/", "-")}.js`)
  writeFileSync(path, `(function (require, module, exports) {${text}\n})`)
  return { file, path, packages, direct, hash: hashOf(inputs), concerns: inputs.some((each) => schemata.has(each)) }
}

/** What is known of each test file, which is loaded when the first of its tests is asked. */
let bundles = new Map()

const load = async (file) => {
  if (scripts.has(file)) return
  const { packages, path } = bundles.get(file)
  for (const name of packages) if (!loaded.has(name)) loaded.set(name, await import(name))
  // What a test imports while it runs is a package, which is found as from the root.
  const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  scripts.set(file, new vm.Script(readFileSync(path, "utf8"), { filename: file, importModuleDynamically }))
}

const testsOf = async (file) => {
  await load(file)
  const module = { exports: {} }
  const evaluate = scripts.get(file).runInThisContext()
  return vitest.collect(() => evaluate((name) => loaded.get(name), module, module.exports))
}

const collect = async (file, schemata, folder) => {
  const made = await bundle(file, schemata, folder)
  if (!made.concerns) return { ...made, tests: [], atStart: [], evaluation: 0 }
  bundles.set(file, made)
  active = 0
  await testsOf(file)
  reached.fill(0)
  const start = performance.now()
  const tests = await testsOf(file)
  const evaluation = performance.now() - start
  const atStart = reachedIds()
  const measured = []
  for (const [index, { name, run }] of tests.entries()) {
    reached.fill(0)
    const began = performance.now()
    let failure = null
    try {
      await run()
    } catch (cause) {
      failure = String(cause?.cause?.stack ?? cause?.message ?? cause).slice(0, 900)
    }
    measured.push({ file, index, name, millis: performance.now() - began, reached: reachedIds(), failure })
  }
  return { ...made, tests: measured, atStart, evaluation }
}

/** Tests that were collected once for many mutants. */
const kept = new Map()

const testsFor = async (file, mutant, fresh) => {
  const known = kept.get(file)
  if (known !== undefined && !fresh.includes(file)) return known
  active = fresh.includes(file) ? mutant : 0
  const tests = await testsOf(file)
  active = mutant
  if (!fresh.includes(file) && !tests.some(({ shares }) => shares)) kept.set(file, tests)
  return tests
}

/**
 * The first of these tests that fails; a file that cannot be evaluated fails as a whole. Those that are `fresh` are evaluated
 * with the mutant switched on.
 */
const firstFailure = async ({ fresh, mutant, tests }) => {
  active = mutant
  const files = new Map()
  for (const { file, index, millis } of tests) {
    process.send({ begins: 10_000 + 10 * millis })
    try {
      if (!files.has(file)) files.set(file, await testsFor(file, mutant, fresh))
      const test = files.get(file)[index]
      if (test === undefined) return `${file}: another number of tests`
      await test.run()
    } catch {
      return `${file}: ${files.get(file)?.[index]?.name ?? "evaluation"}`
    }
  }
  return null
}

const answer = async (message) => {
  if (message.collect !== undefined) return collect(message.collect, new Map(message.schemata), message.folder)
  if (message.bundles !== undefined) {
    bundles = new Map(message.bundles.map((each) => [each.file, each]))
    return { ready: true }
  }
  return { by: await firstFailure(message) }
}

// A test may leave a promise behind that a mutant rejects.
process.on("unhandledRejection", () => {})

process.on("message", (message) => {
  answer(message).then(
    (result) => process.send(result),
    (cause) => process.send({ error: String(cause?.stack ?? cause) })
  )
})
