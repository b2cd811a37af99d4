/** Child processes of the benchmark: services under test, load generators, receivers. */
import { execFileSync, fork, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "./Server.mjs"

const here = fileURLToPath(new URL(".", import.meta.url))

const ended = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once("exit", resolve)
  })

/** Ends a child, by force when it does not go within five seconds. */
export async function stop(child) {
  const timer = setTimeout(() => child.kill("SIGKILL"), 5_000)
  child.kill("SIGTERM")
  await ended(child)
  clearTimeout(timer)
}

/** The next message of a forked child. */
export const message = (child) =>
  new Promise((resolve, reject) => {
    const gone = (code) => reject(new Error(`${child.spawnargs.at(-1)} ended (${code}) before it answered`))
    child.once("exit", gone)
    child.once("message", (value) => {
      child.off("exit", gone)
      resolve(value)
    })
  })

/** Forks a script of this folder and waits for its first message, in which it says where it listens. */
export async function startScript(script, env = {}) {
  const child = fork(join(here, script), { env: { ...process.env, ...env } })
  return { child, ready: await message(child) }
}

/** Forks a script that does one piece of work: sends it the task, gives its answer. */
export async function runScript(script, task) {
  const child = fork(join(here, script))
  child.send(task)
  const answer = await message(child)
  await ended(child)
  return answer
}

/** Asks a running child something, and waits for the answer. */
export async function ask(child, question) {
  const answer = message(child)
  child.send(question)
  return answer
}

/** Resident memory of a process, bytes. */
export const residentBytes = (pid) =>
  Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) * 1024

const seconds = (count) => new Promise((resolve) => setTimeout(resolve, count * 1_000))

async function isHealthy(baseUrl) {
  try {
    return (await fetch(`${baseUrl}/api/v1/health`)).ok
  } catch {
    return false
  }
}

/** What `npm start` runs node with, after `exec node`. */
async function startArguments() {
  const { scripts } = JSON.parse(await readFile(join(here, "..", "package.json"), "utf8"))
  const [, , ...rest] = scripts.start.split(" ")
  return rest.map((argument) => (argument.endsWith("main.js") ? join(here, "..", argument) : argument))
}

/** Starts the bundled server on an empty data folder and gives the contents of its demo.json. */
export async function startAlmoner(dataDir, env = {}) {
  const port = await freePort()
  const child = spawn(process.execPath, await startArguments(), {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      ALMONER_ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 7).toString("base64")}`,
      RATE_LIMIT_PER_SECOND: "1000000",
      RATE_LIMIT_BURST: "1000000",
      LOG_LEVEL: "Error",
      ...env
    }
  })
  const demoFile = join(dataDir, "demo.json")
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    if (existsSync(demoFile) && (await isHealthy(`http://127.0.0.1:${port}`))) {
      return { child, baseUrl: `http://127.0.0.1:${port}`, demo: JSON.parse(await readFile(demoFile, "utf8")) }
    }
    await seconds(0.2)
  }
  await stop(child)
  throw new Error("the server did not answer within a minute")
}
