import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { inject } from "vitest"
import { root } from "../architecture/Checkout.ts"
import { oncePerRun } from "../support/OncePerRun.ts"

const execute = promisify(execFile)

/** A new folder outside the checkout, so that nothing is found there that was not installed. */
export const emptyFolder = (): string => mkdtempSync(join(tmpdir(), "almoner-package-"))

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

/**
 * Runs npm in a folder, whatever folder the npm that runs the tests works in, and gives what it printed. Its home and its cache
 * are the run's: nobody else writes to them, and nothing of them stays.
 */
export const npm = async (
  folder: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<string> => {
  const cli = process.env["npm_execpath"]
  const [command, ...before] = cli?.endsWith("npm-cli.js") === true ? [process.execPath, cli] : ["npm"]
  const HOME = inject("runFolder")
  const { stdout } = await execute(command, [...before, "--prefix", folder, ...args], {
    cwd: folder,
    env: { ...process.env, HOME, npm_config_cache: join(HOME, "npm-cache"), NO_COLOR: "1", ...env },
    maxBuffer: 2 ** 26
  })
  return stdout
}

/** Installs what `package.json` of the folder names, and the specifiers given; the run's cache is asked before the registry. */
export const install = (folder: string, ...specifiers: ReadonlyArray<string>): Promise<string> =>
  npm(folder, ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error", ...specifiers])

interface Packed {
  /** The tarball, which nobody changes. */
  readonly path: string
  readonly files: ReadonlyArray<string>
}

/** The build as a package, made once in a run, under the name that the tarball of a release has. */
export const pack = async (): Promise<Packed> => {
  const folder = await oncePerRun("tarball", async (draft) => {
    const args = ["pack", "--ignore-scripts", "--json", "--loglevel=error", "--pack-destination", draft]
    writeFileSync(join(draft, "packed.json"), await npm(root, args))
  })
  const [packed]: ReadonlyArray<{
    readonly filename: string
    readonly files: ReadonlyArray<{ readonly path: string }>
  }> = JSON.parse(readFileSync(join(folder, "packed.json"), "utf8"))
  if (packed === undefined) throw new Error("npm packed nothing")
  return { path: join(folder, packed.filename), files: packed.files.map(({ path }) => path) }
}

/** A folder with an empty package of its own. */
export const emptyPackage = (): string => {
  const folder = emptyFolder()
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "host", private: true, type: "module" }))
  return folder
}

/** Runs a module in a folder and gives what it printed. */
export const runModule = async (folder: string, program: string): Promise<string> => {
  const { stdout } = await execute(process.execPath, ["--input-type=module", "--eval", program], { cwd: folder })
  return stdout
}
