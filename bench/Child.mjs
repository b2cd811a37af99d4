/** Child processes of the benchmark: services under test, load generators, receivers. */
import { execFileSync, fork } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../harness/Postgres.mjs"
import { ended, spawnServer, whenReady } from "../harness/Program.mjs"

const here = fileURLToPath(new URL(".", import.meta.url))

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

/** Starts the bundled server on an empty data folder and gives the contents of its demo.json. */
export async function startAlmoner(dataDir, env = {}) {
  const port = await freePort()
  const child = await spawnServer({
    dataDir,
    port,
    stdio: ["ignore", "ignore", "inherit"],
    env: { RATE_LIMIT_PER_SECOND: "1000000", RATE_LIMIT_BURST: "1000000", ...env }
  })
  const demo = await whenReady(child, port, dataDir)
  return { child, baseUrl: `http://127.0.0.1:${port}`, demo }
}
