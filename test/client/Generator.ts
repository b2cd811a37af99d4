import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { root } from "../architecture/Checkout.ts"

const require = createRequire(import.meta.url)

/** The folder of an installed package. */
export const packageOf = (name: string): string => dirname(require.resolve(`${name}/package.json`))

/** Runs a program on this Node to its end. */
export const node = (parameters: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, parameters, { cwd, env: { ...process.env, ...env } })

/**
 * Generators print types with the compiler's own library, which version 7 of the compiler does not have: they are given
 * the copy that swagger-typescript-api depends on. Answers what to import before one of them.
 */
export const withLibrary = (folder: string): string => {
  const library = createRequire(join(packageOf("swagger-typescript-api"), "package.json")).resolve("typescript")
  const hook = `export const resolve = (name, context, next) => name === "typescript"
  ? { url: ${JSON.stringify(pathToFileURL(library).href)}, format: "commonjs", shortCircuit: true }
  : next(name, context)`
  writeFileSync(join(folder, "hook.mjs"), hook)
  writeFileSync(
    join(folder, "register.mjs"),
    'import { register } from "node:module"\nregister("./hook.mjs", import.meta.url)\n'
  )
  return pathToFileURL(join(folder, "register.mjs")).href
}

/** How a program over a generated client is compiled. */
export const compilerOptions = {
  target: "es2023",
  lib: ["es2023", "dom", "dom.iterable"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")]
}

/** The compiler's output for a folder: empty when it compiles. */
export const compiled = async (folder: string): Promise<string> => {
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const { stdout } = await node([compiler, "-p", ".", "--pretty", "false"], folder).catch(
    (failed: { readonly stdout: string }) => failed
  )
  return stdout
}
