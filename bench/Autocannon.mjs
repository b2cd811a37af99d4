/** The load generator's package: the benchmark alone needs it, and it is installed when it is first asked for. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const wanted = "autocannon@9.0.0"
const cache = join(dirname(fileURLToPath(import.meta.url)), "../.cache")
const kept = join(cache, wanted)

/** Installs the package beside its place, and moves it there whole. */
export function install() {
  if (existsSync(kept)) return
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "autocannon-"))
  writeFileSync(join(folder, "package.json"), '{ "private": true }')
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", wanted], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"]
  })
  if (existsSync(kept)) rmSync(folder, { recursive: true })
  else renameSync(folder, kept)
}

/** The function that loads a server. */
export async function autocannon() {
  install()
  const module = await import(pathToFileURL(join(kept, "node_modules/autocannon/autocannon.js")).href)
  return module.default
}
