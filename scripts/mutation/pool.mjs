import { fork } from "node:child_process"
import { join } from "node:path"
import { root } from "./bundles.mjs"

/** A process that runs mutants. It is replaced when a mutant does not come to an end. */
export class Worker {
  #child = null
  #prepare

  /** `prepare` is the message that makes a new process ready. */
  constructor(prepare) {
    this.#prepare = prepare
  }

  async #ready() {
    if (this.#child !== null) return
    this.#child = fork(join(root, "scripts/mutation/worker.mjs"), {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    if (this.#prepare !== undefined) await this.#exchange(this.#prepare, 120_000)
  }

  #exchange(message, millis) {
    const child = this.#child
    return new Promise((resolve) => {
      let timer
      const wait = (atMost) => {
        clearTimeout(timer)
        timer = setTimeout(() => {
          this.stop()
          end({ by: "no end" })
        }, atMost)
      }
      const end = (result) => {
        clearTimeout(timer)
        child.removeAllListeners()
        resolve(result)
      }
      wait(millis)
      // A test that begins has a time of its own.
      child.on("message", (result) => (result.begins === undefined ? end(result) : wait(result.begins)))
      child.once("exit", () => {
        this.#child = null
        end({ by: "the process ended" })
      })
      child.send(message)
    })
  }

  /** The answer to a message; `{ by }` where none came in time. */
  async ask(message, millis) {
    await this.#ready()
    const result = await this.#exchange(message, millis)
    if (result.error !== undefined) throw new Error(result.error)
    return result
  }

  stop() {
    this.#child?.kill("SIGKILL")
    this.#child = null
  }
}
