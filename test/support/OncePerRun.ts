import { existsSync } from "node:fs"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { inject } from "vitest"
import { isAlive } from "./PostgresServer.ts"

/** Whether this process may make it now. What a process that has ended was about to make is left to the next one. */
const take = async (lock: string): Promise<boolean> => {
  try {
    await writeFile(lock, `${process.pid}`, { flag: "wx" })
    return true
  } catch {
    const holder = Number(await readFile(lock, "utf8").catch(() => ""))
    if (holder > 0 && !isAlive(holder)) await rm(lock, { force: true })
    return false
  }
}

/**
 * A folder that is made once in a run and that all test files may read and none may change: `make` fills it for the first
 * who asks, and the others wait. Whoever comes after a failure tries anew, so that nobody fails for another.
 */
export const oncePerRun = async (name: string, make: (folder: string) => Promise<void>): Promise<string> => {
  const ready = join(inject("runFolder"), name)
  const lock = `${ready}.lock`
  while (!existsSync(ready)) {
    if (!(await take(lock))) {
      await sleep(50)
      continue
    }
    const draft = `${ready}.draft`
    try {
      if (existsSync(ready)) return ready
      await rm(draft, { recursive: true, force: true })
      await mkdir(draft)
      await make(draft)
      await rename(draft, ready)
    } finally {
      await rm(lock, { force: true })
    }
  }
  return ready
}
