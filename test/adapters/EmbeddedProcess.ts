import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import { runFolder } from "../support/RunFolder.ts"

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..")

export interface BuiltProcess {
  /** Runs a module in another process; `Embedded` and `folder` are in its scope, and `lines` is what it prints. */
  readonly run: (body: string, folder: string) => Child
}

export interface Child {
  readonly kill: () => void
  readonly lines: AsyncIterable<string>
  readonly ended: Promise<number | null>
}

/** The adapter compiled to JavaScript, so that a plain Node process can run it. */
export const build = (): BuiltProcess => {
  const out = runFolder("embedded")
  const config = join(out, "tsconfig.json")
  writeFileSync(join(out, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.build.json"),
      include: [],
      files: [join(root, "src/adapters/postgres/embedded/EmbeddedDatabase.ts")],
      compilerOptions: {
        rootDir: join(root, "src"),
        outDir: out,
        declaration: false,
        typeRoots: [join(root, "node_modules/@types")]
      }
    })
  )
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")
  execFileSync(process.execPath, [compiler, "-p", config], { stdio: "inherit" })
  const entry = pathToFileURL(join(out, "adapters/postgres/embedded/EmbeddedDatabase.js")).href

  const run = (body: string, folder: string): Child => {
    const file = join(mkdtempSync(join(out, "run-")), "main.js")
    writeFileSync(
      file,
      `import { Effect, Layer } from "effect"
       import { SqlClient } from "effect/sql"
       import * as Embedded from ${JSON.stringify(entry)}
       const folder = process.argv[2]
       ${body}`
    )
    const child = spawn(process.execPath, [file, folder], { stdio: ["ignore", "pipe", "inherit"] })
    return {
      kill: () => child.kill("SIGKILL"),
      lines: createInterface({ input: child.stdout }),
      ended: new Promise((resolve) => child.once("close", resolve))
    }
  }
  return { run }
}
