/** The bundled server as a child process, started as `npm start` starts it. */
import { execFile, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The program itself, whose other commands are given as arguments. */
export const program = join(root, "dist", "main.js")

/** Lets time pass. */
export const seconds = (count) => new Promise((resolve) => setTimeout(resolve, count * 1_000))

/** Waits until a child has ended. */
export const ended = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once("exit", resolve)
  })

/** Ends a child, by force when it does not go within `patienceSeconds`. */
export async function stop(child, patienceSeconds = 5) {
  const timer = setTimeout(() => child.kill("SIGKILL"), patienceSeconds * 1_000)
  child.kill("SIGTERM")
  await ended(child)
  clearTimeout(timer)
}

/** What `npm start` runs node with. */
async function startArguments() {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
  const rest = scripts.start.split(" ").slice(scripts.start.split(" ").indexOf("node") + 1)
  return rest.map((argument) => (argument.endsWith("main.js") ? program : argument))
}

/** The key ring of every process, so that one opens what another sealed. */
export const encryptionKeys = `bench:${Buffer.alloc(32, 7).toString("base64")}`

const run = promisify(execFile)

/** Runs a command of the program on a database, beside a server of it, and gives what it prints as JSON. */
export async function command(databaseUrl, ...args) {
  const env = { ...process.env, DATABASE_URL: databaseUrl, ALMONER_ENCRYPTION_KEYS: encryptionKeys }
  const { stdout } = await run(process.execPath, [program, ...args, "--json"], { env })
  return JSON.parse(stdout)
}

/**
 * Starts the server without waiting for it. `nodeArguments` go before those of `npm start`, `stdio` is that of `spawn`;
 * `wrap(command)` may put another command around the one that is run.
 */
export async function spawnServer({ dataDir, env, nodeArguments = [], port, stdio, wrap = (command) => command }) {
  const [command, ...args] = wrap([process.execPath, ...nodeArguments, ...(await startArguments())])
  return spawn(command, args, {
    stdio,
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      // Beside DATABASE_URL there is none otherwise, and what is tried reads its keys.
      DEMO: "on",
      ALMONER_ENCRYPTION_KEYS: encryptionKeys,
      LOG_LEVEL: "Error",
      ...env
    }
  })
}

async function isHealthy(baseUrl) {
  try {
    return (await fetch(`${baseUrl}/api/v1/health`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}

/** Waits until the server answers, for three minutes at most, and gives the contents of its demo.json. */
export async function whenReady(child, port, dataDir) {
  const demoFile = join(dataDir, "demo.json")
  const deadline = performance.now() + 180_000
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}`)
    }
    if (existsSync(demoFile) && (await isHealthy(`http://127.0.0.1:${port}`))) {
      return JSON.parse(await readFile(demoFile, "utf8"))
    }
    await seconds(0.1)
  }
  await stop(child)
  throw new Error("the server did not answer within three minutes")
}
