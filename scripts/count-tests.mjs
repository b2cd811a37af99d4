/**
 * Prints `N passed, N failed` from the file that vitest's json reporter wrote:
 * `node scripts/count-tests.mjs <file> <exit status of the tests>`.
 * What fails outside a test (a file that does not load, a build that breaks, an unhandled rejection) counts as one
 * failure each, so that a failed run never reads "0 failed".
 */
import { readFileSync } from "node:fs"

const [file, status] = process.argv.slice(2)

function read(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] }
  }
}

const { numPassedTests, numFailedTests, testResults } = read(file)
const brokenFiles = testResults.filter(
  ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((assertion) => assertion.status === "failed")
).length
const failed = numFailedTests + brokenFiles
const unexplained = failed === 0 && status !== "0" ? 1 : 0

process.stdout.write(`${numPassedTests} passed, ${failed + unexplained} failed\n`)
