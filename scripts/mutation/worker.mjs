/**
 * Runs tests of bundled test files with one mutant switched on. Answers `{ tests }` to `{ collect: file }`: each test with
 * its time and the mutants that it reaches; and `{ by }` to `{ mutant, tests }`: the test that failed, or null.
 */
import { performance } from "node:perf_hooks"
import vm from "node:vm"
import fc from "fast-check"
import { bundleOf } from "./bundles.mjs"
import * as vitest from "./vitest.mjs"

// The same cases each time; a mutant is killed by the first case that fails, and no simpler one is looked for.
fc.configureGlobal({ seed: 20_260_101, endOnFailure: true })

let active = 0
let reached = new Set()

globalThis.__mutant = (id) => {
  if (active === 0) reached.add(id)
  return id === active
}

const loaded = new Map([
  ["vitest", vitest],
  ["@effect/vitest", vitest]
])

const scripts = new Map()

const load = async (file, schemata) => {
  const bundle = await bundleOf(file, schemata)
  for (const name of bundle.packages) if (!loaded.has(name)) loaded.set(name, await import(name))
  const script = new vm.Script(`(function (require, module, exports) {${bundle.text}\n})`, { filename: file })
  scripts.set(file, { script, direct: bundle.direct })
}

const testsOf = (file) => {
  const module = { exports: {} }
  const evaluate = scripts.get(file).script.runInThisContext()
  return vitest.collect(() => evaluate((name) => loaded.get(name), module, module.exports))
}

const collect = async (file, schemata) => {
  await load(file, schemata)
  active = 0
  reached = new Set()
  const tests = testsOf(file)
  const atStart = [...reached]
  const measured = []
  for (const [index, { name, run }] of tests.entries()) {
    reached = new Set()
    const began = performance.now()
    let failure = null
    try {
      await run()
    } catch (cause) {
      failure = String(cause?.cause?.stack ?? cause?.message ?? cause).slice(0, 900)
    }
    measured.push({ file, index, name, millis: performance.now() - began, reached: [...reached], failure })
  }
  return { tests: measured, atStart, direct: scripts.get(file).direct }
}

/** The first of these tests that fails; a file that cannot be evaluated fails as a whole. */
const firstFailure = async (mutant, tests) => {
  active = mutant
  const files = new Map()
  for (const { file, index } of tests) {
    try {
      if (!files.has(file)) files.set(file, testsOf(file))
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
  if (message.collect !== undefined) return collect(message.collect, new Map(message.schemata))
  if (message.load !== undefined) {
    for (const file of message.load) await load(file, new Map(message.schemata))
    return { ready: true }
  }
  return { by: await firstFailure(message.mutant, message.tests) }
}

// A test may leave a promise behind that a mutant rejects.
process.on("unhandledRejection", () => {})

process.on("message", (message) => {
  answer(message).then(
    (result) => process.send(result),
    (cause) => process.send({ error: String(cause?.stack ?? cause) })
  )
})
