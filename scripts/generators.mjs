/**
 * Clients that others' generators make of the OpenAPI document: `npm run generators`, a part of `npm run verify`. Each
 * generator is installed into a temporary folder, makes its client, and a program over that compiles and drives a service
 * over real HTTP. `node scripts/generators.mjs orval` runs those that are named. What cannot be installed here is skipped,
 * and said.
 */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { build } from "esbuild"
import { openApi } from "../dist/adapters/http/reference/OpenApi.js"
import { serve } from "../dist/http.js"
import { Almoner } from "../dist/index.js"
import { memory } from "../dist/memory.js"
import * as heyApi from "./generators/hey-api.mjs"
import * as orval from "./generators/orval.mjs"
import * as swaggerTypescriptApi from "./generators/swagger-typescript-api.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const say = (line) => process.stdout.write(`${line}\n`)
const run = (command, args, cwd, env = {}) =>
  promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 })

const generators = { "swagger-typescript-api": swaggerTypescriptApi, "@hey-api/openapi-ts": heyApi, orval }

/** The compiler's library, which generators print with, and the Node that some of them need. */
const library = "typescript@6.0.3"
const newerNode = "node@24.21.0"

const [major, minor] = process.versions.node.split(".").map(Number)
const isOlder = major < 22 || (major === 22 && minor < 18)

const compilerOptions = {
  target: "es2023",
  lib: ["es2023", "dom", "dom.iterable"],
  module: "esnext",
  moduleResolution: "bundler",
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")]
}

/** A service that listens, with a sandbox's key and the passphrase of another's account. */
const started = async () => {
  const almoner = await Almoner.open({ backend: memory() })
  const { listener } = await serve(almoner)
  const server = createServer(listener)
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const callerOf = async (slug) => {
    const charity = { slug, name: slug, timezone: "Australia/Sydney", default_currency: "AUD", plan: "ENTERPRISE" }
    const { sandbox } = await almoner.organisations.create(charity)
    return almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE" })
  }
  const environment = async (name) => {
    const account = { label: "Main", processor_connect_account_id: "acct_1" }
    const { passphrase } = await almoner.integrations.create(await callerOf(`${name}-recipient`), account)
    const { secret } = await almoner.apiKeys.create(await callerOf(`${name}-sender`), { name, scope: "WRITE" })
    return { API_KEY: secret, PASSPHRASE: passphrase }
  }
  const stop = async () => {
    await new Promise((done) => server.close(done))
    await almoner.close()
  }
  return { baseUrl: `http://127.0.0.1:${server.address().port}`, environment, stop }
}

/** Has a generator make its client in a folder. */
const generate = async ({ config, needsNewerNode = false, program, words = [] }, folder, baseUrl) => {
  const json = (name, value) => writeFileSync(join(folder, name), JSON.stringify(value))
  json("openapi.json", openApi({ apiBaseUrl: baseUrl, version: "1.2.3" }))
  json("tsconfig.json", { compilerOptions, include: ["use.ts"] })
  if (config !== undefined) writeFileSync(join(folder, config.name), config.text(baseUrl))
  const given = [join("node_modules", program), ...words]
  return needsNewerNode && isOlder
    ? run("npm", ["exec", "--yes", `--package=${newerNode}`, "--", "node", ...given], folder)
    : run(process.execPath, given, folder)
}

/** Compiles the program over a client, and runs it against the service. */
const drive = async ({ expected, use }, folder, env) => {
  writeFileSync(join(folder, "use.ts"), use)
  await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", ".", "--pretty", "false"], folder)
  const outfile = join(folder, "use.mjs")
  await build({ entryPoints: [join(folder, "use.ts")], outfile, bundle: true, platform: "node", format: "esm" })
  const { stdout } = await run(process.execPath, [outfile], folder, env)
  assert.deepEqual(JSON.parse(stdout), expected)
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !(name in generators))
if (unknown.length > 0) {
  say(`There is no generator ${unknown.join(", ")}; there are ${Object.keys(generators).join(", ")}.`)
  process.exit(2)
}

const service = await started()
const outcomes = []
for (const [index, [name, generator]] of Object.entries(generators).entries()) {
  if (named.length > 0 && !named.includes(name)) continue
  say(`== ${name}`)
  const folder = mkdtempSync(join(tmpdir(), "almoner-generator-"))
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
    await run("npm", [...install, library, ...generator.packages], folder)
  } catch (error) {
    say(String(error.stderr ?? error))
    outcomes.push([name, `skipped: npm could not install ${generator.packages.join(", ")}`])
    rmSync(folder, { recursive: true, force: true })
    continue
  }
  try {
    await generate(generator, folder, service.baseUrl)
    await drive(generator, folder, { ...(await service.environment(`of-${index}`)), BASE_URL: service.baseUrl })
    outcomes.push([name, "passed"])
  } catch (error) {
    say(`${error.stdout ?? ""}${error.stderr ?? ""}${error.stack ?? error}`)
    outcomes.push([name, "failed"])
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
await service.stop()

say("")
for (const [name, outcome] of outcomes) say(`${name.padEnd(24)} ${outcome}`)
process.exitCode = outcomes.some(([, outcome]) => outcome === "failed") ? 1 : 0
