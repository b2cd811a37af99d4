/**
 * The mounts of docs/guides/embed.md, each a real server of its framework or runtime with the packed package in it, asked
 * over real HTTP, and given through in a Chromium: `npm run mounts`, a part of `npm run verify`. Everything is installed into a temporary folder. What
 * cannot be installed here is skipped, and said. `node scripts/mounts.mjs fastify hono` runs those that are named.
 */
import assert from "node:assert/strict"
import { execFile, spawn } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { chromium as driver } from "playwright-core"
import { chromium, fill, give, next } from "./browser.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const run = promisify(execFile)
const say = (line) => process.stdout.write(`${line}\n`)

const npm = process.env.npm_execpath?.endsWith("npm-cli.js") ? [process.execPath, process.env.npm_execpath] : ["npm"]
const runNpm = (folder, ...args) =>
  run(npm[0], [...npm.slice(1), "--prefix", folder, ...args], { cwd: folder, maxBuffer: 2 ** 26 })

const node = (program) => [process.execPath, program]
const bun = (program) => [join("node_modules", ".bin", "bun"), program]
const deno = (program) => [join("node_modules", ".bin", "deno"), "run", "--allow-all", program]

/** Each mount: what is installed beside the package, and how its host is started. */
const mounts = {
  "node:http": { packages: [], start: node("mounts/hosts/node.mjs") },
  "express 4": { packages: ["express@4"], start: node("mounts/hosts/express.mjs") },
  "express 5": { packages: ["express@5"], start: node("mounts/hosts/express.mjs") },
  fastify: { packages: ["fastify@5"], start: node("mounts/hosts/fastify.mjs") },
  hono: { packages: ["hono@4", "@hono/node-server@2"], start: node("mounts/hosts/hono.mjs") },
  next: {
    packages: ["next@16", "react@19", "react-dom@19", "typescript@5", "@types/react@19", "@types/node@22"],
    build: [process.execPath, "node_modules/next/dist/bin/next", "build"],
    start: node("next.mjs")
  },
  bun: { packages: ["bun@1"], start: bun("mounts/hosts/web.mjs") },
  "hono on bun": { packages: ["bun@1", "hono@4"], start: bun("mounts/hosts/hono.mjs") },
  deno: { packages: ["deno@2"], start: deno("mounts/hosts/web.mjs") },
  "hono on deno": { packages: ["deno@2", "hono@4"], start: deno("mounts/hosts/hono.mjs") }
}

/** A folder with the examples, the hosts, the package and what the mount needs. */
const prepared = async ({ packages }, tarball) => {
  const folder = mkdtempSync(join(tmpdir(), "almoner-mount-"))
  // Their install scripts put the program itself where a script that starts it would be, which a signal would end alone.
  const allowScripts = { bun: true, deno: true }
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "mount", private: true, type: "module", allowScripts })
  )
  for (const name of ["express", "fastify", "hono"]) {
    cpSync(join(root, "examples", name, ""), join(folder, name), {
      recursive: true,
      filter: (path) => !/[\\/]node_modules$|package\.json$/.test(path)
    })
  }
  const isOfNext = (path) => path.startsWith(join(root, "scripts/mounts/next"))
  cpSync(join(root, "scripts/mounts"), join(folder, "mounts"), { recursive: true, filter: (path) => !isOfNext(path) })
  if (packages.some((name) => name.startsWith("next@"))) {
    for (const from of ["examples/next-route-handler", "scripts/mounts/next"]) {
      cpSync(join(root, from), folder, {
        recursive: true,
        filter: (path) => !/node_modules$|package\.json$/.test(path)
      })
    }
    cpSync(join(root, "scripts/mounts/sandbox.mjs"), join(folder, "sandbox.mjs"))
  }
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]
  await runNpm(folder, "install", ...quiet, tarball, "hono@4", "isbot@5", ...packages)
  return folder
}

/** The host's process, once it has said where it listens. */
const started = async (folder, [command, ...args]) => {
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    if (!line.startsWith("{")) continue
    const { port, ...rest } = JSON.parse(line)
    child.stdout.resume()
    return { child, host: { base: `http://127.0.0.1:${port}`, ...rest } }
  }
  throw new Error("The host ended without a word.")
}

const attempted = async (what, check) => {
  try {
    await check()
    return true
  } catch (error) {
    say(`  failed: ${what}\n${String(error.stack ?? error).replace(/^/gm, "    ")}`)
    return false
  }
}

const browser =
  chromium === undefined
    ? undefined
    : await driver.launch({ executablePath: chromium, args: ["--no-sandbox"], handleSIGTERM: false })

/** A gift on a telephone: the console stays empty, and no other host is asked. */
const giveInBrowser = async ({ base, page: { host, path } }, javaScriptEnabled) => {
  const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 320, height: 700 } })
  try {
    const page = await context.newPage()
    const own = base.replace("127.0.0.1", host)
    const strange = []
    page.on("console", (message) => strange.push(message.text()))
    page.on("pageerror", (error) => strange.push(String(error)))
    page.on("request", (request) => {
      if (!request.url().startsWith(`${own}/`)) strange.push(request.url())
    })
    await page.goto(`${own}${path}`)
    await fill(page, "Once")
    await next(page)
    await give(page, "card", "4242 4242 4242 4242")
    await page.getByRole("heading", { name: "Thank you" }).waitFor()
    assert.deepEqual(strange, [])
  } finally {
    await context.close()
  }
}

/** Asks a mount everything; true when all of it was as it should be. */
const asked = async (folder, { build, start }) => {
  if (build !== undefined) {
    const [command, ...args] = build
    await run(command, args, { cwd: folder, maxBuffer: 2 ** 26 }).catch(({ stderr, stdout }) => {
      throw new Error(`${stdout}\n${stderr}`)
    })
  }
  const { child, host } = await started(folder, start)
  try {
    const { calls, stop } = await import(pathToFileURL(join(folder, "mounts/calls.mjs")).href)
    let passed = true
    for (const [what, check] of calls) passed = (await attempted(what, () => check(host))) && passed
    for (const scripts of browser === undefined ? [] : [true, false]) {
      const what = `a gift in a browser with${scripts ? "" : "out"} scripts`
      passed = (await attempted(what, () => giveInBrowser(host, scripts))) && passed
    }
    return (await attempted("a stop", () => stop(host, child))) && passed
  } finally {
    child.kill("SIGKILL")
  }
}

const named = process.argv.slice(2)
const chosen = Object.entries(mounts).filter(([name]) => named.length === 0 || named.includes(name))
const unknown = named.filter((name) => !(name in mounts))
if (unknown.length > 0) {
  say(`There is no mount ${unknown.join(", ")}; there are ${Object.keys(mounts).join(", ")}.`)
  process.exit(2)
}

const packed = mkdtempSync(join(tmpdir(), "almoner-packed-"))
const folders = [packed]
const outcomes = []
try {
  await runNpm(root, "pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", packed)
  const [tarball] = readdirSync(packed).map((name) => join(packed, name))
  for (const [name, mount] of chosen) {
    say(`== ${name}`)
    let folder
    try {
      folder = await prepared(mount, tarball)
      folders.push(folder)
    } catch (error) {
      outcomes.push([name, `skipped: npm could not install ${mount.packages.join(", ")}`])
      say(String(error.stderr ?? error))
      continue
    }
    const passed = await asked(folder, mount).catch((error) => {
      say(String(error.stack ?? error))
      return false
    })
    outcomes.push([name, passed ? "passed" : "failed"])
  }
} finally {
  await browser?.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
say("")
for (const [name, outcome] of outcomes) say(`${name.padEnd(12)}  ${outcome}`)
process.exitCode = outcomes.every(([, outcome]) => outcome !== "failed") ? 0 : 1
