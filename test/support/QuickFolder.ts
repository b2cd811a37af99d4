import { accessSync, constants, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

/** Memory that Linux shows as a folder. */
const inMemory = "/dev/shm"

/** What has to be free there, bytes: room for some dozens of databases and the server's log. */
const needed = 2 * 2 ** 30

const hasRoom = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= needed
  } catch {
    return false
  }
}

/**
 * Where databases of tests are: in memory where there is room, and else with all that is temporary. A database is hundreds
 * of files, and to copy one may take a disk's file system twenty times as long.
 */
export const quickRoot: string = hasRoom(inMemory) ? inMemory : tmpdir()
