import { spawn } from "node:child_process"
import { mkdir, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { root } from "../architecture/Checkout.ts"
import { program } from "../e2e/Program.ts"
import { folder } from "../support/Folder.ts"

/** Many commands, each a process; beside other tests they take turns. Milliseconds. */
export const walkTimeout = 400_000

/** A folder as a checkout has it after its set-up. */
export const builtCheckout: Effect.Effect<string, never, Scope.Scope> = Effect.gen(function* () {
  const cwd = join(yield* folder, "almoner")
  yield* Effect.promise(async () => {
    await mkdir(cwd)
    await symlink(dirname(await program()), join(cwd, "dist"))
    await symlink(join(root, "node_modules"), join(cwd, "node_modules"))
  })
  return cwd
})

/** What stands for set-up that was done: installing, building, and the server in another terminal. */
const prelude = "set -eu -o pipefail\nnpm() { :; }\n"

/** Runs a script to its end; what it began in the background runs until the scope ends, and goes on printing. */
export const runShell = Effect.fnUntraced(function* (script: string, cwd: string, path = process.env["PATH"] ?? "") {
  const printed = { out: "", err: "" }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("bash", ["-c", prelude + script], {
        cwd,
        env: { PATH: path, NO_COLOR: "1" },
        detached: true,
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    ({ pid = 0 }) =>
      Effect.sync(() => {
        try {
          process.kill(-pid, "SIGKILL")
        } catch {
          // It has ended, and so has what it began.
        }
      })
  )
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.err += text
  })
  const status = yield* Effect.promise(() => new Promise<number | null>((resolve) => child.once("exit", resolve)))
  assert.strictEqual(status, 0, printed.out + printed.err)
  return printed
})

/** Each pattern is found after the one before. */
export const assertInOrder = (text: string, patterns: ReadonlyArray<RegExp>): void => {
  let rest = text
  for (const pattern of patterns) {
    const found = pattern.exec(rest) ?? assert.fail(`${pattern} is not in what is left:\n${rest}`)
    rest = rest.slice(found.index + found[0].length)
  }
}
