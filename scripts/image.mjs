/**
 * Puts what the service runs on into a folder, and nothing else: `node scripts/image.mjs <folder>`, in a checkout, as any user
 * who may write to both. The folder gets the build, the packages of production at the versions of package-lock.json, and the
 * licence. The Dockerfile copies it; it also runs as it is: `node <folder>/dist/main.js serve`.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** What the command needs beside the package's own dependencies; src/bin.ts tells the same to whoever installs the package. */
const packages = [
  "effect",
  "@effect/platform-node",
  "@effect/sql-pg",
  "@electric-sql/pglite",
  "hono",
  "isbot",
  "undici",
  "nodemailer",
  "stripe"
]

/** What Node never loads: declarations, sources, and maps to them. */
const isUnused = (name) => /\.(?:[cm]?ts|map)$/.test(name)

function run(command, args, cwd) {
  const { error, status } = spawnSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

function npm(args, cwd) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith("npm-cli.js")) run(process.execPath, [cli, ...args], cwd)
  else run("npm", args, cwd)
}

/** The package as it is installed in production: npm takes the versions from the lock file, and fails where they differ. */
function productionManifest() {
  const { dependencies, devDependencies, license, name, type, version } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8")
  )
  const needed = Object.fromEntries(packages.map((each) => [each, devDependencies[each]]))
  return { name, version, license, private: true, type, dependencies: { ...dependencies, ...needed } }
}

function removeUnused(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) removeUnused(path)
    else if (isUnused(entry.name)) rmSync(path)
  }
}

function main(target) {
  if (target === undefined) {
    process.stderr.write("usage: node scripts/image.mjs <folder>\n")
    process.exit(2)
  }
  const folder = resolve(target)
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length > 0) {
    process.stderr.write(`${folder} is not empty. Name a folder that is empty or not there.\n`)
    process.exit(2)
  }
  run(process.execPath, [join(root, "scripts/setup.mjs"), "build"], root)
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(productionManifest(), null, 2)}\n`)
  for (const name of ["package-lock.json", ".npmrc", "LICENSE", "dist"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  const flags = ["--omit=dev", "--omit=optional", "--omit=peer", "--ignore-scripts", "--prefer-offline"]
  npm(["ci", ...flags, "--no-audit", "--no-fund", "--loglevel=error"], folder)
  for (const name of [
    "package-lock.json",
    ".npmrc",
    "dist/.stamp",
    "node_modules/.package-lock.json",
    "node_modules/.bin"
  ]) {
    rmSync(join(folder, name), { recursive: true, force: true })
  }
  removeUnused(folder)
}

main(process.argv[2])
