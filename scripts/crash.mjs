/**
 * The crash tests in full: `npm run crash`. A process is killed with SIGKILL at every failpoint of a gift's life, on
 * PostgreSQL, on the embedded database and beside another process; `npm test` does a few of each. docs/decisions/0062.
 */
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

const files = ["test/payments/failpoints.slow.test.ts", "test/e2e/failpoints.slow.test.ts", "test/e2e/failpointsEmbedded.slow.test.ts"]

const vitest = join(root, "node_modules/vitest/vitest.mjs")
const child = spawn(process.execPath, [vitest, "run", ...files], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, FAILPOINTS: "all" }
})
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal))
child.once("close", (status) => {
  process.exitCode = status ?? 1
})
