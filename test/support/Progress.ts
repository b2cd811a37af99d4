import { writeFileSync } from "node:fs"
import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason, TestSpecification } from "vitest/node"

/** How long the projects take on two idle cores, minutes, by what their names begin with. */
const minutesOf: Readonly<Record<string, number>> = { quick: 4, slow: 7, databases: 4, failpoints: 2, histories: 1 }

/** A quick test that takes longer is told of. */
const longMillis = 1_000

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const clock = (millis: number): string =>
  `${Math.floor(millis / 60_000)}:${`${Math.floor(millis / 1_000) % 60}`.padStart(2, "0")}`

const kindOf = (project: string): string => project.split(" ", 1).join()

/** Each test of a file that failed, and the file itself where it could not be run, with the first line of the reason. */
const failuresOf = (module: TestModule): ReadonlyArray<string> => {
  const reason = (errors: ReadonlyArray<SerializedError> = []) => errors[0]?.message.split("\n", 1)[0] ?? ""
  return [
    ...module.errors().map((error) => `${module.relativeModuleId}: ${reason([error])}`),
    ...[...module.children.allTests("failed")].map(
      (test) => `${module.relativeModuleId}: ${test.fullName}: ${reason(test.result().errors)}`
    )
  ]
}

/** What failed outside a test counts as one failure each, so that a failed run never has none. */
const countOf = (modules: ReadonlyArray<TestModule>, errors: number, reason: TestRunEndReason) => {
  const passed = modules.flatMap(({ children }) => [...children.allTests("passed")]).length
  const failed = modules
    .filter((each) => each.state() === "failed")
    .reduce((sum, { children }) => sum + Math.max(1, [...children.allTests("failed")].length), errors)
  return { passed, failed: reason !== "passed" && failed === 0 ? 1 : failed, told: modules.flatMap(failuresOf) }
}

/**
 * Tells how long a run takes about and how far it is, and at its end which quick tests are long. `RESULTS` names a file that
 * gets the count of tests and what failed.
 */
export class Progress implements Reporter {
  #began = 0
  #files = 0
  #ended = 0
  #tests = 0
  #failed = 0

  onTestRunStart(specifications: ReadonlyArray<TestSpecification>): void {
    this.#began = performance.now()
    this.#files = specifications.length
    if (this.#files < 100) return
    const kinds = new Set(specifications.map(({ project }) => kindOf(project.name)))
    const minutes = [...kinds].reduce((sum, kind) => sum + (minutesOf[kind] ?? 0), 0)
    say(`${this.#files} test files: about ${minutes} minutes on two idle cores.`)
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended++
    for (const test of module.children.allTests()) {
      this.#tests++
      if (test.result().state === "failed") this.#failed++
    }
    const tenth = Math.floor((this.#ended * 10) / this.#files)
    if (this.#files < 100 || tenth === Math.floor(((this.#ended - 1) * 10) / this.#files)) return
    const time = clock(performance.now() - this.#began)
    say(`${time}  ${this.#ended} of ${this.#files} files, ${this.#tests} tests, ${this.#failed} failed`)
  }

  onTestRunEnd(
    modules: ReadonlyArray<TestModule>,
    errors: ReadonlyArray<SerializedError>,
    reason: TestRunEndReason
  ): void {
    const results = process.env["RESULTS"]
    if (results !== undefined) writeFileSync(results, JSON.stringify(countOf(modules, errors.length, reason)))
    const millisOf = (test: TestCase): number => test.diagnostic()?.duration ?? 0
    const long = modules
      .filter(({ project }) => kindOf(project.name) === "quick")
      .flatMap(({ children }) => [...children.allTests()])
      .filter((test) => millisOf(test) > longMillis)
      .sort((a, b) => millisOf(b) - millisOf(a))
    if (long.length > 0) say(`\n${long.length} quick tests took longer than a second:`)
    for (const test of long) {
      say(`  ${(millisOf(test) / 1_000).toFixed(1)} s  ${test.module.relativeModuleId}: ${test.fullName}`)
    }
  }
}
