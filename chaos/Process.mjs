/** One process of the service under test. */
import { mkdir } from "node:fs/promises"
import { freePort } from "../harness/Postgres.mjs"
import { ended, spawnServer, stop, whenReady } from "../harness/Program.mjs"

const clock = new URL("Clock.mjs", import.meta.url).href

const running = new Set()
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

/** The last of what a process has written. */
const lastLines = (log) => log.trimEnd().split("\n").slice(-3).join(" / ").slice(-1_000)

/** It keeps its port and its data folder over restarts. `log` is what it has written. */
export class Process {
  log = ""
  /** How it ended where nobody had it end, each time. */
  ends = []
  #child
  #isEnding = false

  constructor(port, options) {
    this.port = port
    this.options = options
  }

  /** Makes a process that is not started. `options` are `dataDir`, `env` and `wrap`, as `spawnServer` takes them. */
  static async make(options) {
    await mkdir(options.dataDir, { recursive: true })
    return new Process(await freePort(), options)
  }

  get baseUrl() {
    return `http://127.0.0.1:${this.port}`
  }

  /** Starts it and waits until it answers; gives its demo.json. */
  async start() {
    const child = await spawnServer({
      ...this.options,
      port: this.port,
      nodeArguments: ["--import", clock],
      stdio: ["ignore", "pipe", "pipe", "ipc"]
    })
    this.#child = child
    this.#isEnding = false
    running.add(child)
    child.once("exit", (status, signal) => {
      running.delete(child)
      if (!this.#isEnding) this.ends.push(`ended by itself with ${status ?? signal}: ${lastLines(this.log)}`)
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        this.log = (this.log + text).slice(-1_000_000)
      })
    }
    return whenReady(child, this.port, this.options.dataDir)
  }

  /** Ends it as a crash does. */
  async kill() {
    this.#isEnding = true
    this.#child.kill("SIGKILL")
    await ended(this.#child)
  }

  freeze() {
    this.#child.kill("SIGSTOP")
  }

  thaw() {
    this.#child.kill("SIGCONT")
  }

  /** Its clock is so far from the machine's from now on. */
  setClock(clockMillis) {
    // One that has ended is told of in the report.
    if (this.#child.connected) this.#child.send({ clockMillis })
  }

  /** Asks it to end, and gives how long that took and its exit status; 20 seconds are waited for. */
  async stop() {
    const start = performance.now()
    this.#isEnding = true
    await stop(this.#child, 20)
    return { seconds: (performance.now() - start) / 1_000, status: this.#child.exitCode ?? this.#child.signalCode }
  }

  /** Ends it whatever state it is in. */
  async destroy() {
    if (this.#child === undefined) return
    this.thaw()
    await this.kill()
  }
}
